"""The sign and the sides of a gain, on hand-made counts, without a file."""

import numpy as np
import pytest
from made_report import made_line, made_params, with_rows

from attnmt.config import TableRow
from attnmt.scoring.compared import compared
from attnmt.scoring.counts import counted
from attnmt.scoring.experiment_scores import ExperimentScores
from attnmt.scoring.gather import gain
from attnmt.scoring.score_table import ScoreTable

BEST, LINES = "local_p_general_feed", 20
RIGHT = {("base", "before"): 4, ("base", "after"): 4, (BEST, "before"): 6, (BEST, "after"): 9}
ROWS = {
    "base": TableRow(label="", system="base"),
    "local_p": TableRow(label="", system=BEST, over="base"),
    "local_p_unk": TableRow(label="", system=BEST, replaced=True, over="local_p"),
}


def made_study(seeds):
    """Return a study in which 10 words a line are translated, and RIGHT of them are right."""
    params = made_params("base", BEST, seeds=seeds)
    chance = np.random.default_rng(1)
    tables = {"table1": with_rows(params, "table1", ROWS).tables["table1"]}
    params = params.model_copy(update={"tables": tables, "ensembles": {}})
    lines, arrays = {}, {}
    for system in ("base", BEST):
        for seed, run in enumerate(params.runs_of(system)):
            own = {"kind": "training", "model": run, "set": "test1", "reference": "abc"}
            scored = [
                made_line(
                    system, "bleu", RIGHT[system, at], script="tokenized", replacement=at, **own
                )
                for at in ("before", "after")
            ]
            made = [
                RIGHT[system, at] + 0.05 * seed - chance.integers(2, size=LINES)
                for at in ("before", "after")
            ]
            lines[run] = ScoreTable(scored)
            arrays[run] = {
                counted(line): np.stack(
                    [np.full(LINES, 10.0)] * 2 + [right] * 4 + [np.full(LINES, 10.0)] * 4, 1
                )
                for line, right in zip(scored, made, strict=True)
            }
    study = ExperimentScores(params)
    study.scores, study.counts = lines.__getitem__, arrays.__getitem__
    return study, [
        line.model_copy(update={"kind": "system"}) for n in lines.values() for line in n.lines
    ]


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_gain_is_the_row_less_the_one_that_it_names(seeds):
    study, lines = made_study(seeds)
    firsts = [
        line.model_copy(update={"trainings": seeds}) for line in lines if line.model == line.system
    ]
    pairs = list(compared(study.params, ScoreTable(firsts)))[:2]
    assert [(one.system, one.replacement, two.system, two.replacement) for one, two in pairs] == [
        (BEST, "before", "base", "before"),
        (BEST, "after", BEST, "before"),
    ]
    for ours, other in pairs:
        line = gain(study, ours, other, 100)
        assert (line.over, line.over_replacement) == (other.system, other.replacement)
        assert 0 < line.low < line.high
        assert line.value > 0
        assert line.p < 0.05
        back = gain(study, other, ours, 100)
        assert back.high < 0 > back.value
