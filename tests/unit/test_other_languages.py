"""Numbers, tables and samples of another pair of languages, and of several aligned sets."""

import re
from pathlib import Path

import pytest
from made_scores import make_scored
from other_languages import languages

from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.samples import samples_table
from attnmt.reporting.tables import make_tables, write_tables
from attnmt.scoring.evaluate import evaluate
from attnmt.scoring.experiment_scores import ExperimentScores
from attnmt.scoring.gather import gather
from attnmt.scoring.score_table import BASELINES

OTHERS = re.compile(r"English|German|\b(en|de)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Score a small experiment in French and Occitan, whose second aligned set has silver links.

    Return its parameters, its numbers and its tables.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("other"))
        sets = {"train": "train", "dev": "dev", "tests": ["test", "news"]}
        both = languages("fr French", "oc Occitan", "words").model_dump()
        params = make_scored(languages=both, sets=sets | {"aligned": ["test", "news"]})
        (Layout("demo").tokens / "news.links").unlink()
        for name in [*params.trainings, *params.ensembles, *BASELINES]:
            evaluate(params, name).write(params, name)
        numbers = gather(ExperimentScores(params))
        yield params, numbers, {table.name: table for table in make_tables(params, numbers)}


def test_no_table_names_another_language(made):
    params, numbers, tables = made
    for name in params.trainings:
        for test in params.sets.tests:
            write_lines(Layout("demo").translations(name) / f"{test}.txt", ["mot"] * 24)
    for test in params.sets.tests:
        for code in params.languages.codes:
            write_lines(Layout("demo").raw / f"{test}.{code}", ["mot"] * 24)
    samples = samples_table(params, numbers)
    write_tables("demo", [*tables.values(), samples], Path("tables"))
    texts = {path.name: path.read_text() for path in Path("tables").glob("*.md")}
    assert {"table1.md", "table5.md", "table6.md"} <= texts.keys()
    assert len(texts) == len(tables) + 1
    for name, text in texts.items():
        assert OTHERS.findall(text) == [], name


def test_every_aligned_set_has_its_rates_and_its_rows(made):
    """The links of every system are the same on both sets; the links that judge them are not."""
    _, numbers, tables = made
    rows = {"dot": "local_m_general", "back": "back"}
    for system, row in rows.items():
        for test, kind, end in (("test", "gold", ""), ("news", "silver", "/news")):
            line = numbers.system(system, "aer", test)
            cell = tables["table6"].cell(row + end, "AER")
            assert getattr(cell, "value", cell) == line.value
            assert tables["table6"].cell(row + end, "links") == kind
    assert numbers.system("aligner", "aer", "news") is None
