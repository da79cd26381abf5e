"""Write the text, the vocabularies and the ids that the models of one family read.

Called by dvc.yaml as `python stages/encode.py params.yaml luong_bpe`.

Reads   data/<experiment>/tokens/
Writes  data/<experiment>/encoded/<family>/<set>.<language>.tok  words or pieces
                                        <set>.links           gold word links, if known
                                        codes                 merges, if words are cut into pieces
                                        vocab.<language>      one entry a line
                                        <set>.<language>.{ids, offsets}.npy
                                        summary.json          counts, digests
"""

import attnmt.startup  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.atomic import atomic_folder
from attnmt.config import load_params
from attnmt.data.encode import encode_sets
from attnmt.data.tokenise import LANGUAGES
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.stage import run_stage
from attnmt.yaml_file import hint


def main(params_file: Path, family: str) -> None:
    """Encode the sets of the experiment that ``params_file`` describes for the models of ``family``."""
    params = load_params(params_file)
    if family not in params.families:
        raise InputError(f"{params_file}: no family {family!r}{hint(family, params.families)}")
    layout = Layout(params.experiment)
    with atomic_folder(layout.encoded(family)) as folder:
        encoding = params.families[family].encoding
        workers = params.machine.workers
        summary = encode_sets(layout.tokens, folder, params.sets, encoding, workers)
    print("; ".join(f"{k} {summary['vocabulary'][k]:,} entries" for k in LANGUAGES))
    kind = "pieces" if summary["pieces"] else "words"
    for name, found in summary["sets"].items():
        sides = ((k, found[k]["tokens"], found[k]["unknown"]) for k in LANGUAGES)
        texts = (f"{k} {tokens:,} {kind}, {unknown:.2%} unknown" for k, tokens, unknown in sides)
        print(f"{name}: {found['lines']:,} pairs; {'; '.join(texts)}")


if __name__ == "__main__":
    run_stage(main, __doc__)
