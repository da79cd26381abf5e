"""Write the text, the vocabularies and the ids that the models of one family read.

Called by dvc.yaml as `python stages/encode.py params.yaml luong_bpe`.

Reads   data/<experiment>/tokens/
Writes  data/<experiment>/encoded/<family>/<set>.<language>.tok  words or pieces
                                           codes                 merges, if words are cut into pieces
                                           vocab.<language>      one entry per line
                                           <set>.<language>.{ids, offsets}.npy
                                           summary.json          counts, digests
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

import gc
from pathlib import Path

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder
from attnmt.files.yaml_file import suggestion
from attnmt.layout import Layout
from attnmt.text.encode import encode_sets
from attnmt.workflow.stage import run_stage

# The parameters that decide the outputs
PARAMS = ("languages", "sets", "encoding")


def main(params_file: Path, family: str) -> None:
    """Encode the sets of the experiment that ``params_file`` describes for the models of ``family``."""
    params = load_params(params_file)
    if family not in params.families:
        raise InputError(
            f"{params_file}: no family {family!r}{suggestion(family, params.families)}"
        )
    layout = Layout(params.experiment)
    with atomic_folder(layout.encoded(family)) as folder:
        encoding = params.families[family].encoding
        summary = encode_sets(layout.tokens, folder, params.languages, params.sets, encoding)
    print("; ".join(f"{k} {entries:,} entries" for k, entries in summary["vocabulary"].items()))
    kind = "pieces" if summary["pieces"] else "words"
    for name, counts in summary["sets"].items():
        sides = ((k, text["tokens"], text["unknown"]) for k, text in counts["text"].items())
        texts = (f"{k} {tokens:,} {kind}, {unknown:.2%} unknown" for k, tokens, unknown in sides)
        print(f"{name}: {counts['lines']:,} pairs; {'; '.join(texts)}")


if __name__ == "__main__":
    gc.disable()  # merges are millions of small objects, which it would look at again and again
    run_stage(main, __doc__)
