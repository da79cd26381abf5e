"""Tokenise, filter and number the words of all sets.

Called by dvc.yaml as `python stages/preprocess.py params.yaml`.

Reads   data/<profile>/raw/
Writes  data/<profile>/prepared/<set>.<language>.tok  tokens
                                vocab.<language>      one word a line
                                <set>.<language>.{ids, offsets}.npy
                                summary.json          counts, digests
"""

from pathlib import Path

from attnmt.config import load_params
from attnmt.data.preprocess import LANGUAGES, prepare
from attnmt.files import atomic_path
from attnmt.layout import Layout
from attnmt.stage import run_stage


def main(params_file: Path) -> None:
    """Prepare the sets of the profile that ``params_file`` describes."""
    params = load_params(params_file)
    layout = Layout(params.profile)
    with atomic_path(layout.prepared) as folder:
        folder.mkdir()
        summary = prepare(layout.raw, folder, params.sets, params.preprocess)
    for name, found in summary["sets"].items():
        dropped = "".join(
            f", {n:,} {reason} dropped" for reason, n in found["dropped"].items() if n
        )
        sides = [(language, found[language]) for language in LANGUAGES]
        words = "; ".join(
            f"{k} {v['tokens']:,} words, {v['unknown']:.2%} unknown" for k, v in sides
        )
        print(f"{name}: {found['lines']:,} pairs{dropped}; {words}")


if __name__ == "__main__":
    run_stage(main, __doc__)
