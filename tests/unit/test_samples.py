"""Table 5: sample translations."""

from pathlib import Path

import pytest
from made_report import MODELS, made_numbers, made_params
from other_languages import in_languages

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.samples import Sample, make_samples, samples_table
from attnmt.reporting.table import csv, markdown

LINES = 30
SAMPLED = [0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27]  # 12 of 30
BEST, BASE = "local_p_general_feed", "base_reverse_dropout"  # best on the development set
GERMAN_BEST, GERMAN_BASE = "back_global_dot_feed", "back_base_reverse"


def texts(what: str, lines: int = LINES) -> list[str]:
    return [f"{what} {line}, 'a_b' | <unk> 5%." for line in range(lines)]


def samples_of(params: Params) -> list[Sample]:
    return make_samples(params, made_numbers(params))


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    """A few systems, with made-up text and translations."""
    monkeypatch.chdir(tmp_path)
    params, layout = made_params(*MODELS), Layout("demo")
    for test in params.sets.tests:
        for language in ("en", "de"):
            write_lines(layout.raw / f"{test}.{language}", texts(f"{test}.{language}"))
        for name in params.models:
            write_lines(layout.translations(name) / f"{test}.txt", texts(f"{test} by {name}"))
    return params


def test_the_same_lines_of_both_directions_are_shown(params: Params) -> None:
    expected = [("forward", "test1", line) for line in SAMPLED]
    expected += [("backward", "test2", line) for line in SAMPLED]
    assert [(one.direction, one.set, one.line) for one in samples_of(params)] == expected


def test_a_sample_stands_beside_its_reference_and_the_best_systems(params: Params) -> None:
    first, *_, last = samples_of(params)
    assert first.texts == {
        "source": texts("test1.en")[0],
        "reference": texts("test1.de")[0],
        BEST: texts(f"test1 by {BEST}")[0],
        BASE: texts(f"test1 by {BASE}")[0],
    }
    assert last.texts == {
        "source": texts("test2.de")[27],
        "reference": texts("test2.en")[27],
        GERMAN_BEST: texts(f"test2 by {GERMAN_BEST}")[27],
        GERMAN_BASE: texts(f"test2 by {GERMAN_BASE}")[27],
    }


def test_raw_text_that_is_tokens_is_detokenized(params: Params) -> None:
    write_lines(Layout("demo").raw / "test1.en", ["It &apos;s well @-@ known ."] * LINES)
    sample = samples_of(in_languages(params, "en English", "de German", "none"))[0]
    assert sample.texts["source"] == "It's well-known."


def test_an_experiment_shows_what_it_has(params: Params) -> None:
    samples = samples_of(made_params(BEST, "gru_additive"))
    assert {sample.direction for sample in samples} == {"forward"}
    assert list(samples[0].texts) == ["source", "reference", BEST]
    none = made_params("gru_additive")
    assert samples_table(make_samples(none, made_numbers(made_params("base")))) is None


def test_the_table_has_a_row_for_each_text_and_keeps_it(params: Params) -> None:
    write_lines(Layout("demo").translations(BASE) / "test1.txt", [""] * LINES)  # blank is kept
    table = samples_table(samples_of(params))
    assert table is not None
    assert len(table.frame) == 2 * 12 * 4
    assert list(table.frame.iloc[6]) == ["test1", 3.0, BEST, texts(f"test1 by {BEST}")[2]]
    assert list(table.frame.iloc[7]) == ["test1", 3.0, BASE, ""]
    assert csv(table).startswith("set,line,text of,text\n")
    line = markdown(table, "demo").splitlines()[4]
    assert line == r"| test1 | 1 | source | test1.en 0, 'a_b' \| &lt;unk> 5%. |"
    assert "over test1 and test2" in table.caption


def test_translations_of_another_text_are_named(params: Params) -> None:
    write_lines(Layout("demo").translations(BASE) / "test1.txt", texts("x", LINES - 1))
    message = rf"demo/{BASE}/test1.txt: 29 lines where test1 has 30; run translate of {BASE}"
    with pytest.raises(InputError, match=message):
        samples_of(params)
