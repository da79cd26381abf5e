"""Tables, samples and figures of another pair of languages, and of several aligned sets."""

import re
from pathlib import Path

import pytest
from attnmt.reporting.compare import make_tables
from attnmt.reporting.render import write_tables
from made_scores import made_tests, write_aligner, write_all
from other_languages import in_languages
from papers import paper_params

from attnmt.config import Params
from attnmt.files.text_file import read_json, write_json, write_lines
from attnmt.layout import Layout
from attnmt.reporting.samples import make_samples, write_samples
from attnmt.scoring.seed_runs import Study

OTHERS = re.compile(r"English|German|\b(en|de)\b", re.IGNORECASE)


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    """Return the demo's systems, trained on French and English and scored."""
    monkeypatch.chdir(tmp_path)
    made_tests(monkeypatch)
    params = in_languages(paper_params(), "fr French", "oc Occitan", "plain")
    write_all(params)
    return params


def test_no_table_names_another_language(params: Params) -> None:
    tables = make_tables(Study(params))
    write_tables(params.experiment, tables, Path("tables"), [])
    texts = {path.name: path.read_text() for path in Path("tables").iterdir()}
    assert {f"table{k}.md" for k in (1, 2, 3, 4, 6)} <= texts.keys()
    found = {name: OTHERS.findall(text) for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}
    assert "French-Occitan" in texts["table1.md"]
    assert "Occitan-French" in texts["table3.md"]


def test_samples_and_the_page_have_the_names_of_the_languages(params: Params) -> None:
    layout = Layout(params.experiment)
    for test in params.sets.tests:
        for code in params.languages.codes:
            write_lines(layout.raw / f"{test}.{code}", ["word"] * 3)
        for name in params.models:
            write_lines(layout.translations(name) / f"{test}.txt", ["word"] * 3)
    samples = make_samples(params)
    write_samples(params, samples, Path("tables"))
    text = Path("tables/table5.md").read_text()
    assert "French-Occitan, test1, 3 sentences" in text
    assert "Occitan-French, test2, 3 sentences" in text
    assert OTHERS.findall(text) == []


def test_every_aligned_set_has_a_table_6(params: Params) -> None:
    sets = params.sets.model_copy(update={"aligned": ["test1", "test2", "gold"]})
    params = params.model_copy(update={"sets": sets})
    write_all(params)
    (Layout(params.experiment).tokens / "gold.links").unlink()
    path = Layout(params.experiment).scores("ensemble")
    scores = read_json(path)
    scores["alignments"][1] |= {"aer": 0.3, "low": 0.28, "high": 0.32, "sure": 4000}
    write_json(path, scores)
    for name in filter(params.attends, [*params.models, *params.ensembles]):
        silver = read_json(Layout(params.experiment).scores(name))
        silver["alignments"][2]["kind"] = "silver"
        write_json(Layout(params.experiment).scores(name), silver)
    tables = {table.name: table for table in make_tables(Study(params))}
    names = [name for name in tables if name.startswith("table6")]
    assert names == ["table6", "table6_test2", "table6_gold"]
    first, second, third = (tables[name] for name in names)
    assert str(second.title) == "Table 6 on test2, French-Occitan, experiment demo"
    for table, name in ((first, "test1"), (second, "test2"), (third, "gold")):
        assert {row["aligned_set"] for row in table.rows} - {None} == {name}
    row = {table.name: table.rows[3] for table in (first, second)}
    assert row["table6"]["model"] == row["table6_test2"]["model"] == "ensemble"
    assert (row["table6"]["aer"], row["table6_test2"]["aer"]) == (0.5, 0.3)
    assert row["table6_test2"]["paper_aer"] == row["table6"]["paper_aer"] == "0.34"
    assert third.rows[-1]["links"] == "silver"
    assert "silver links" in third.caption.lead
    assert "silver" not in str(second.caption)


def test_scores_of_other_aligned_sets_are_refused(params: Params) -> None:
    sets = params.sets.model_copy(update={"aligned": ["test1", "test2"]})
    changed = params.model_copy(update={"sets": sets})
    write_aligner(changed)
    message = "alignments: global_location has links of test1, but needs those of test1, test2"
    with pytest.raises(Exception, match=message):
        make_tables(Study(changed))
    write_aligner(params, aer={"test2": 0.2})
    with pytest.raises(Exception, match=r"aligner.json: is about test2, not about test1; run"):
        make_tables(Study(params))
