"""Tokenise the text of all sets; drop training pairs that are empty or too long.

Called by dvc.yaml as `python stages/tokenise.py params.yaml`.

Reads   data/<experiment>/raw/
Writes  data/<experiment>/tokens/<set>.en, <set>.de  tokens joined by spaces
                              <set>.links         gold word links, if known
                              summary.json        counts, digests
"""

import attnmt.startup  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.atomic import atomic_folder
from attnmt.config import load_params
from attnmt.data.tokenise import LANGUAGES, tokenise_sets
from attnmt.layout import Layout
from attnmt.stage import run_stage


def main(params_file: Path) -> None:
    """Tokenise the sets of the experiment that ``params_file`` describes."""
    params = load_params(params_file)
    layout = Layout(params.experiment)
    with atomic_folder(layout.tokens) as folder:
        summary = tokenise_sets(
            layout.raw, folder, params.sets, params.tokenise, params.machine.workers
        )
    for name, found in summary["sets"].items():
        dropped = "".join(f", {n:,} {why} dropped" for why, n in found["dropped"].items() if n)
        sides = "; ".join(f"{k} {found[k]['tokens']:,} tokens" for k in LANGUAGES)
        print(f"{name}: {found['lines']:,} pairs{dropped}; {sides}")


if __name__ == "__main__":
    run_stage(main, __doc__)
