"""Do the claims on BLEU that a report decides point the same way on sets that no stage has read?

    python examples/other_gains.py params.yaml other.csv

The second file has what other_set.py prints, for three seeds or more of each system. For each claim on
BLEU with a verdict, and for each recipe, it prints the claim's value in the report and on each of these
sets. Nothing is tested. docs/trust.md says why.
"""

import csv
import sys
from pathlib import Path

import pandas as pd

import attnmt
from attnmt.config import load_params
from attnmt.config.claims import Claim, project_claims
from attnmt.scoring.claim_lines import read_claims
from attnmt.scoring.seed_statistics import FEWEST, Runs
from attnmt.scoring.verdicts import DEPENDS, judge

MEASURES = {
    "bleu": lambda scores: scores.before,
    "bleu_replaced": lambda scores: scores.after,
    "gain_by_replacement": lambda scores: scores.after - scores.before,
}


def value(params: attnmt.Params, claim: Claim, scores: pd.DataFrame) -> float:
    """Return a claim's value: the mean of one side less that of the other, or the weakest difference."""
    measured = MEASURES[claim.measure](scores.set_index("model"))
    runs = {
        name: Runs.of_values(measured.reindex(params.runs_of(name)).dropna())
        for name in [*claim.systems, *(claim.over or ())]
    }
    if few := [name for name, one in runs.items() if len(one.values) < FEWEST]:
        sys.exit(
            f"fewer than {FEWEST} seeds of {', '.join(few)}; add what other_set.py prints for them"
        )
    return judge(claim, runs).value


def main(params_file: str, other: str) -> None:
    """Print a line for each claim with a verdict, each recipe and each set."""
    params, claims = load_params(Path(params_file)), project_claims().judged
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["claim", "verdict", "recipe", "set", "in the report", "on this set"])
    for line in read_claims(params.experiment):
        # The line names the systems as its recipe trains them.
        over = line.over and line.over.split()
        claim = claims[line.key].model_copy(update={"systems": line.systems.split(), "over": over})
        if line.verdict not in ("confirmed", "refuted", DEPENDS) or claim.measure not in MEASURES:
            continue
        for name, scores in pd.read_csv(other).groupby("set", sort=False):
            row = [line.key, line.verdict, line.recipe, name]
            numbers = line.ours, value(params, claim, scores)
            table.writerow([*row, *(f"{number:+.2f}" for number in numbers)])


if __name__ == "__main__":
    main(*sys.argv[1:])
