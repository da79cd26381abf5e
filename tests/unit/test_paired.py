"""Gains are tested on the outputs: from which files, and for which lines of a table."""

from pathlib import Path

import pytest
from made_scores import write_aligner, write_data, write_outputs, write_scores
from papers import paper_params

from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json, write_lines
from attnmt.layout import Layout
from attnmt.reporting.compare import make_tables
from attnmt.scoring.paired import alignment_p
from attnmt.scoring.results import read_scores
from attnmt.scoring.scripts import References
from attnmt.scoring.seed_runs import Study
from attnmt.scoring.significance import paired_p

ROOT = Path(__file__).parents[2]
BEST = "local_p_general_feed"
MODELS = ("base", "base_reverse", "base_reverse_dropout", "local_m_general_feed", BEST)
RIGHT = [f"das rote Haus steht in der Stadt Nummer {n} ." for n in range(30)]
WRONG = ["das Haus ist rot ."] * 30
CLOSE = [line.replace("steht", "ist") if n == 7 else line for n, line in enumerate(RIGHT)]
GOLD = ["0-0 1-1 2-2 3?3"] * 30
COUNTS = {"lines": 30, "sure": 90, "possible": 120}


@pytest.fixture
def params(tmp_path, monkeypatch):
    """Return the root's experiment with five models; write scores and outputs, also the aligner's."""
    monkeypatch.chdir(tmp_path)
    params = paper_params()
    models = {name: params.models[name] for name in MODELS}
    params = params.model_copy(update={"models": models, "ensembles": {}})
    write_data(params, "luong", RIGHT, GOLD)
    for name, value in zip(MODELS, (10.0, 60.0, 60.1, 20.0, 30.0), strict=True):
        write_scores(params, name, value, aer=value / 100)
        set_counts(name, COUNTS)
    write_outputs(params, "base", WRONG)
    write_outputs(params, "base_reverse", CLOSE)
    write_outputs(params, "base_reverse_dropout", RIGHT)
    write_outputs(params, "local_m_general_feed", WRONG, links=["0-0 1-1 2-2"] * 30)
    write_outputs(params, BEST, WRONG, after=RIGHT, links=["0-1 1-2 2-0"] * 30)
    write_aligner(params, aer={"test1": 0.1})
    write_lines(Path("data/demo/tokens/test1.en"), ["a b c d"] * 30)
    write_lines(Path("data/demo/tokens/test1.de"), ["A B C D"] * 15 + ["A B C D E F"] * 15)
    write_lines(Path("data/demo/dictionary/test1.links"), ["0-0 1-1"] * 15 + ["0-0 1-2"] * 15)
    return params


def set_counts(name, counts):
    """Change what the scores of a system say about the links that they are measured against."""
    path = Layout("demo").scores(name)
    scores = read_json(path)
    scores["alignments"] = [one | counts for one in scores["alignments"]]
    write_json(path, scores)


def rows_of(params, name):
    return next(table for table in make_tables(Study(params)) if table.name == name).rows


def row_of(params, table, model, replaced=False):
    rows = [row for row in rows_of(params, table) if row["model"] == model]
    return rows[-1 if replaced else 0]


def test_p_is_that_of_the_paired_test_on_the_outputs(params):
    better = row_of(params, "table1", "base_reverse")
    assert (
        better["p"] == round(paired_p("tokenized", CLOSE, WRONG, References(RIGHT), 1000), 6) < 0.01
    )
    noise = row_of(params, "table1", "base_reverse_dropout")
    assert (
        noise["p"] == round(paired_p("tokenized", RIGHT, CLOSE, References(RIGHT), 1000), 6) > 0.05
    )


def test_the_replacement_is_tested_on_the_replaced_text(params):
    row = row_of(params, "table1", BEST, replaced=True)
    assert row["p"] == round(paired_p("tokenized", RIGHT, WRONG, References(RIGHT), 1000), 6) < 0.01
    four = row_of(params, "table4", BEST)
    assert four["p"] == row["p"]
    unchanged = row_of(params, "table4", "local_m_general_feed")
    assert unchanged["p"] == 1.0


def test_error_rates_are_tested_on_the_links(params):
    row = row_of(params, "table6", BEST)
    assert row["p"] < 0.01
    write_outputs(params, BEST, WRONG, links=["0-0 1-1 2-2"] * 30)  # those of the row above
    assert row_of(params, "table6", BEST)["p"] == 1.0


def test_the_aligners_interval_is_of_its_own_links(params):
    aligner = next(row for row in rows_of(params, "table6") if row["stage"] == "dictionary")
    matches = 15 * (2 + 2) + 15 * (1 + 1)  # sure and possible; one link in four is wrong
    assert aligner["aer_low"] < 1 - matches / (60 + 90) < aligner["aer_high"]
    assert aligner["aer_high"] - aligner["aer_low"] < 0.2


def test_the_diagonal_links_each_word_to_the_word_at_its_own_place(params):
    diagonal = next(row for row in rows_of(params, "table6") if row["stage"] == "tables")
    # The diagonal gives each line four right links; in the second half it also gives two wrong ones.
    assert diagonal["aer"] == round(1 - 30 * (3 + 4) / (15 * 4 + 15 * 6 + 90), 4)
    assert diagonal["aer_low"] < diagonal["aer"] < diagonal["aer_high"]
    assert [diagonal[key] for key in ("gain", "p", "paper_aer")] == [None] * 3
    assert diagonal["files"] == "data/demo/tokens/test1.links"


def test_the_aligner_is_tested_on_its_own_links(params):
    aligner = None
    assert alignment_p(params, "test1", aligner, read_scores("demo", BEST)) < 0.01
    assert alignment_p(params, "test1", aligner, aligner) == 1.0


def test_missing_outputs_are_named(params):
    Path(f"translations/demo/{BEST}/test1.replaced").unlink()
    with pytest.raises(InputError, match=rf"{BEST}/test1.replaced: no such file"):
        make_tables(Study(params))


def test_silver_links_are_the_aligners(params):
    Path("data/demo/tokens/test1.links").unlink()
    for name in MODELS:
        set_counts(name, {"kind": "silver", "lines": 30, "sure": 60, "possible": 60})
    rows = rows_of(params, "table6")
    aligner, diagonal = (
        next(row for row in rows if row["stage"] == stage) for stage in ("dictionary", "tables")
    )
    assert [aligner[key] for key in ("aer", "aer_low", "gain", "p")] == [None] * 4
    # The diagonal gives 4 or 6 links a line; both of the aligner's are among them, or one of the two.
    assert diagonal["aer"] == round(1 - 15 * (4 + 2) / (15 * (4 + 2) + 15 * (6 + 2)), 4)
    assert diagonal["links"] == "silver"
    assert (diagonal["sure"], diagonal["possible"]) == (60, 60)
    assert row_of(params, "table6", BEST)["p"] < 0.01


@pytest.mark.parametrize("gold", [True, False])
def test_missing_links_of_the_aligner_are_named(params, gold):
    if not gold:
        Path("data/demo/tokens/test1.links").unlink()
    Path("data/demo/dictionary/test1.links").unlink()
    message = r"dictionary/test1.links: no such file"
    with pytest.raises(InputError, match=message):
        make_tables(Study(params))
