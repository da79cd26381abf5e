"""Tokenize the text of all sets; drop training pairs that are empty or too long.

Called by dvc.yaml as `python stages/tokens.py params.yaml`.

Reads   data/<experiment>/raw/
Writes  data/<experiment>/tokens/<set>.<language>    tokens joined by spaces
                                 <set>.<language>.2  other references, if known
                                 <set>.links         gold word links, if known
                                 summary.json        counts, digests
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.files.atomic import atomic_folder
from attnmt.layout import Layout
from attnmt.text.tokens import tokenize_sets
from attnmt.workflow.stage import run_stage

# The parameters that decide the outputs
PARAMS = ("languages", "sets", "tokenize")


def main(params_file: Path) -> None:
    """Tokenize the sets of the experiment that ``params_file`` describes."""
    params = load_params(params_file)
    layout = Layout(params.experiment)
    with atomic_folder(layout.tokens) as folder:
        summary = tokenize_sets(layout.raw, folder, params.languages, params.sets, params.tokenize)
    for name, counts in summary["sets"].items():
        dropped = "".join(f", {n:,} {why} dropped" for why, n in counts["dropped"].items() if n)
        sides = "; ".join(f"{k} {text['tokens']:,} tokens" for k, text in counts["text"].items())
        print(f"{name}: {counts['lines']:,} pairs{dropped}; {sides}")


if __name__ == "__main__":
    run_stage(main, __doc__)
