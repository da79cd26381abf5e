"""How much of a text comes back: the table of languages.md, and its texts where they are here."""

import gzip
from pathlib import Path

import pytest
from real_text import needs, written

from attnmt.files.csv_file import read_csv, write_csv
from benchmarks import ceilings
from benchmarks.ceilings import FILE, SHOWN, Ceiling, measure, page

ROOT = Path(__file__).parents[2]
MEASURED = {one.file: one for one in read_csv(ROOT / FILE, Ceiling, "")}


def test_other_languages_stay_when_one_is_measured_again(tmp_path, monkeypatch):
    file, one = tmp_path / "ceilings.csv", MEASURED["deu"]
    write_csv(file, Ceiling, [one, MEASURED["eng"]])
    monkeypatch.setattr(ceilings, "FILE", file)
    monkeypatch.setattr(ceilings, "PAGE", tmp_path / "page.md")
    (tmp_path / "page.md").write_text("<!-- results:ceilings -->\n<!-- /results:ceilings -->\n")
    (tmp_path / "deu.gz").touch()
    again = one.model_copy(update={"sacrebleu": 12.5})
    monkeypatch.setattr(ceilings, "measure", lambda path: again)
    ceilings.main(str(tmp_path))
    assert read_csv(file, Ceiling, "") == [again, MEASURED["eng"]]
    assert "| 12.5 |" in (tmp_path / "page.md").read_text()


def test_the_page_has_the_measured_ceilings():
    assert page([*MEASURED.values()]) in (ROOT / ceilings.PAGE).read_text(encoding="utf-8")
    assert len(MEASURED.keys() - set(SHOWN)) >= 25


def test_a_perfect_translation_scores_in_every_language():
    for file, one in MEASURED.items():
        assert one.sacrebleu >= (99.5 if file in ("eng", "deu", "fra") else 97), file
        assert one.moses is None or one.moses >= 97, file
        assert one.same == one.lines or one.rule == "moses", file


@pytest.mark.parametrize(
    "file",
    [pytest.param(one, marks=needs("FLORES_DIR", f"{one}.gz")) for one in SHOWN],
)
def test_the_ceilings_are_those_of_todays_rules(file):
    assert measure(written("FLORES_DIR", f"{file}.gz")) == MEASURED[file]


def test_a_text_is_measured_by_the_rule_that_is_proposed(tmp_path):
    file = tmp_path / "cat.gz"
    with gzip.open(file, "wt", encoding="utf-8") as stream:
        stream.write("L'aigua d'un riu és freda.\nE\u0301s «així».\n")
    one = measure(file)
    assert (one.name, one.code, one.rule, one.lines) == ("Catalan", "ca", "words", 2)
    assert (one.sacrebleu, one.same, one.moses_same) == (100.0, 2, 2)
    assert one.as_written < 100  # its accent was not composed
    assert one.sacremoses_same == 0
