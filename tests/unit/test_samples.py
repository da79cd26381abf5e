"""Table 5: sample translations."""

import pytest
from made_report import MODELS, made_numbers, made_params
from other_languages import in_languages

from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.samples import make_samples, samples_table
from attnmt.reporting.table import markdown

LINES = 30
SAMPLED = [0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27]  # 12 of 30
BEST, BASE = "local_p_general_feed", "base_reverse_dropout"  # best on the development set
GERMAN_BEST, GERMAN_BASE = "back_global_dot_feed", "back_base_reverse"


def texts(what, lines=LINES):
    return [f"{what} {line}, 'a_b' | <unk> 5%." for line in range(lines)]


def samples_of(params):
    return make_samples(params, made_numbers(params))


@pytest.fixture
def params(tmp_path, monkeypatch):
    """A few systems, with made-up text and translations."""
    monkeypatch.chdir(tmp_path)
    params, layout = made_params(*MODELS), Layout("demo")
    for test in params.sets.tests:
        for language in ("en", "de"):
            write_lines(layout.raw / f"{test}.{language}", texts(f"{test}.{language}"))
        for name in params.models:
            write_lines(layout.translations(name) / f"{test}.txt", texts(f"{test} by {name}"))
    return params


def test_samples_stand_beside_their_references_and_the_best_systems(params):
    samples = samples_of(params)
    expected = [("forward", "test1", line) for line in SAMPLED]
    expected += [("backward", "test2", line) for line in SAMPLED]
    assert [(one.direction, one.set, one.line) for one in samples] == expected
    for sample, (one, two), systems in (
        (samples[1], ("en", "de"), (BEST, BASE)),
        (samples[-1], ("de", "en"), (GERMAN_BEST, GERMAN_BASE)),
    ):
        test, line = sample.set, sample.line
        given = {"source": f"{test}.{one}", "reference": f"{test}.{two}"}
        given |= {name: f"{test} by {name}" for name in systems}
        assert sample.texts == {who: texts(what)[line] for who, what in given.items()}


def test_raw_text_that_is_tokens_is_detokenized(params):
    write_lines(Layout("demo").raw / "test1.en", ["It &apos;s well @-@ known ."] * LINES)
    sample = samples_of(in_languages(params, "en English", "de German", "none"))[0]
    assert sample.texts["source"] == "It's well-known."


def test_the_table_has_a_row_for_each_text_and_keeps_it(params):
    write_lines(Layout("demo").translations(BASE) / "test1.txt", [""] * LINES)  # blank is kept
    table = samples_table(params, samples_of(params))
    assert len(table.frame) == 2 * 12 * 4
    assert list(table.frame.iloc[6]) == ["test1", 3.0, BEST, texts(f"test1 by {BEST}")[2]]
    assert list(table.frame.iloc[7]) == ["test1", 3.0, BASE, ""]
    line = markdown(table, "demo").splitlines()[4]
    assert line == r"| test1 | 1 | source | test1.en 0, 'a_b' \| &lt;unk> 5%. |"


def test_translations_of_another_text_are_named(params):
    write_lines(Layout("demo").translations(BASE) / "test1.txt", texts("x", LINES - 1))
    message = rf"demo/{BASE}/test1.txt: 29 lines where test1 has 30; run translate of {BASE}"
    with pytest.raises(InputError, match=message):
        samples_of(params)
