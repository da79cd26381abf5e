"""Table 5: sample translations."""

import pytest
from made_report import MODELS, made_numbers, made_params
from other_languages import in_languages

from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.samples import samples_table

LINES = 30
SAMPLED = [0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27]  # 12 of 30
BEST, BASE = "local_p_general_feed", "base_reverse_dropout"  # best on the development set
GERMAN_BEST, GERMAN_BASE = "back_global_dot_feed", "back_base_reverse"


def texts(what, lines=LINES):
    return [f"{what} {line}, 'a_b' | <unk> 5%." for line in range(lines)]


def samples_of(params):
    """Return the rows of the table."""
    return samples_table(params, made_numbers(params)).frame.to_numpy().tolist()


@pytest.fixture
def params(tmp_path, monkeypatch):
    """A few systems, with made-up text and translations."""
    monkeypatch.chdir(tmp_path)
    params, layout = made_params(*MODELS), Layout("demo")
    for test in params.sets.tests:
        for language in ("en", "de"):
            write_lines(layout.raw / f"{test}.{language}", texts(f"{test}.{language}"))
        for name in params.trainings:
            write_lines(layout.translations(name) / f"{test}.txt", texts(f"{test} by {name}"))
    return params


def test_samples_stand_beside_their_references_and_the_best_systems(params):
    expected = []
    for test, languages, systems in (
        ("test1", ("en", "de"), (BEST, BASE)),
        ("test2", ("de", "en"), (GERMAN_BEST, GERMAN_BASE)),
    ):
        source, reference = (f"{test}.{code}" for code in languages)
        given = {"source": source, "reference": reference}
        given |= {name: f"{test} by {name}" for name in systems}
        for line in SAMPLED:
            expected += [[test, line + 1, who, texts(what)[line]] for who, what in given.items()]
    write_lines(Layout("demo").translations(BASE) / "test1.txt", [""] * LINES)  # blank is kept
    expected = [
        [*one[:3], "" if one[0] == "test1" and one[2] == BASE else one[3]] for one in expected
    ]
    assert samples_of(params) == expected


def test_the_best_system_without_attention_may_read_other_units(params):
    for name in ("local_p_general_feed_bpe", BASE):
        for test in params.sets.tests:
            write_lines(Layout("demo").translations(name) / f"{test}.txt", texts(name))
    rows = samples_of(made_params("local_p_general_feed_bpe", BASE))
    assert {who for _, _, who, _ in rows} >= {"local_p_general_feed_bpe", BASE}


def test_raw_text_that_is_tokens_is_detokenized(params):
    write_lines(Layout("demo").raw / "test1.en", ["It &apos;s well @-@ known ."] * LINES)
    rows = samples_of(in_languages(params, "en English", "de German", "none"))
    assert rows[0] == ["test1", 1, "source", "It's well-known."]
