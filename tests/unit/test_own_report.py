"""The report on one's own text: its own systems, every test set, and whether attention helps."""

import shlex
from html import unescape

import pytest
from made_report import (
    MODELS,
    ROOT,
    changed,
    made_claim,
    made_params,
    of_own_text,
    own_numbers,
    page_of,
    write_report,
)

from attnmt.config import load_params
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.answer import make_answer
from attnmt.reporting.attention_table import attention_table
from attnmt.reporting.own_text import next_steps
from attnmt.reporting.report import Report, make_report
from attnmt.reporting.table import Interval
from attnmt.reporting.tables import make_tables
from attnmt.scoring.limits import SHORT
from attnmt.scoring.numbers import Numbers, write_numbers
from attnmt.scoring.ranking import attention_pairs

BASE, OTHER = "base_reverse_dropout", "base_reverse"
BEST, SECOND = "local_p_general_feed", "local_m_general_feed"
PARAMS = of_own_text(made_params(*MODELS))
NUMBERS = own_numbers(PARAMS)


def line_of(name, metric="bleu", test="test1", replacement="after"):
    if metric == "ppl":
        return NUMBERS.system(name, "ppl", PARAMS.sets.dev)
    return NUMBERS.system(name, metric, test, "tokenized", replacement)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the report and the page of an experiment on one's own text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("report"))
        params = of_own_text(write_report())
        write_numbers(Layout(params.experiment).numbers, NUMBERS.lines)
        yield make_report(params), page_of(params)


def test_only_text_that_is_not_the_demos_is_ones_own(monkeypatch):
    monkeypatch.chdir(ROOT)
    for path in ("params.yaml", *(f"experiments/{n}/params.yaml" for n in ("study", "multi30k"))):
        params = load_params(ROOT / path, ROOT)
        assert make_answer(params, NUMBERS, {}) == []
        assert attention_table(params, NUMBERS) is None
    assert attention_table(PARAMS, NUMBERS) is not None


def test_every_attention_stands_against_the_best_system_without_on_every_test_set():
    table, seen = attention_table(PARAMS, NUMBERS), 0
    for test in PARAMS.sets.tests:
        for name in MODELS:
            base = "back_base_reverse" if name.startswith("back") else BASE
            for kind in ("before", "after") if PARAMS.attends(name) else ("before",):
                row, line = f"{test}/{name}/{kind}", line_of(name, "bleu", test, kind)
                gain = NUMBERS.gain(line, line_of(base, "bleu", test, "before"))
                expected = [None] * 4
                if PARAMS.attends(name):
                    expected = [gain.value, Interval(gain.low, gain.high), 0.01, base]
                    seen += 1
                headings = ("BLEU", "set", "gain", "gain, 95%", "p", "gain over")
                cells = [table.cell(row, heading) for heading in headings]
                assert cells == [line.value, test, *expected]
    assert seen == 2 * 2 * 5  # sets, before and after, systems with attention


def test_gains_between_scores_against_other_references_are_not_counted():
    """The GRU's references are cut, as their digest says."""
    lines = [
        line.model_copy(update={"reference": "cut"}) if line.family == "course" else line
        for line in NUMBERS.lines
    ]
    systems = {ours.system for ours, _ in attention_pairs(PARAMS, Numbers(lines))}
    assert systems == {name for name in MODELS if PARAMS.attends(name)} - {"gru_additive"}


def test_the_answer_follows_the_development_set():
    answer = make_answer(PARAMS, NUMBERS, {})
    alone = NUMBERS.gain(line_of(BEST, replacement="before"), line_of(BASE, replacement="before"))
    assert answer[0] == (
        f"Attention local_p over none ({BEST} over {BASE}): +5.0 BLEU (+4.5 to +5.5) on test1, "
        "within noise as one of 8 comparisons, one seed each: another may change it."
    )
    assert answer[3:] == [
        "5 more comparisons are in the table.",
        f"Without replacing unknown words, {BEST} gains {alone.value:+.1f} over {BASE}.",
        "Perplexity does not rank what reads other units: gru_additive.",
        f"{BEST} is the best system on dev, with BLEU 17.0 (16.0–18.0) on test1.",
        "Of the 700 words of test1 that its vocabulary lacks, it gets 450 right.",
    ]
    other = make_answer(PARAMS, changed(NUMBERS, line_of(SECOND, "ppl"), value=1.0), {})
    assert f"{SECOND} is the best system on dev, with BLEU 16.0 (15.0–17.0) on test1." in other
    assert other[0].startswith(f"Attention local_m over none ({SECOND} over {BASE})")


def test_systems_that_all_translate_backward_have_an_answer_and_their_language_s_example(
    tmp_path, monkeypatch
):
    names = ["back_base_reverse", "back_global_dot_feed"]
    params = of_own_text(made_params(*names))
    answer = make_answer(params, own_numbers(params), {})
    assert answer[0].startswith(f"{names[1]} over {names[0]}: +3.0 BLEU")
    assert any(f"{names[1]} is the best system on dev" in one for one in answer)
    monkeypatch.chdir(tmp_path)
    for code, line in {"en": "The old house is small.", "de": "Das alte Haus ist klein."}.items():
        write_lines(Layout(params.experiment).raw / f"{params.sets.tests[0]}.{code}", [line])
    assert "'Das alte Haus ist klein.'" in next_steps(params)


def test_a_score_that_cannot_be_otherwise_is_explained_in_answer_table_and_figure():
    numbers = changed(NUMBERS, line_of(BEST), note=SHORT)
    answer = make_answer(PARAMS, numbers, {})
    assert f"{SHORT[0].upper()}{SHORT[1:]}." in answer
    captions = {table.name: table.caption for table in make_tables(PARAMS, numbers)}
    plain = {table.name: table.caption for table in make_tables(PARAMS, NUMBERS)}
    told = {name for name in captions if captions[name] != plain[name]}
    assert told == {"table_attention", "table_scripts"}
    for name in told:
        assert captions[name].replace(f" In some rows {SHORT}.", "") == plain[name]


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        (
            {"p": 0.2},
            "within noise, 3 seeds; an effect of 0.7 would have been found with a probability of 80%.",
        ),
        ({}, "better, 3 seeds."),
        ({"value": -2.0}, "worse, 3 seeds."),
        ({"p": 0.2, "trainings": 1}, "within noise, one seed each: another may change it."),
        ({"p": None}, "not tested."),
    ],
)
def test_the_outcome_is_that_of_the_test(fields, outcome):
    params = of_own_text(made_params(SECOND, BEST, seeds=3))
    numbers = own_numbers(params)
    (gain,) = (line for line in numbers.lines if line.kind == "gain" and line.set == "test1")
    assert make_answer(params, changed(numbers, gain, **fields), {})[0].endswith(
        f"on test1, {outcome}"
    )


def test_long_sentences_are_named_where_they_are_worse():
    groups = [one for one in NUMBERS.lines if one.system == BEST and one.max_words]
    last = max(one.max_words for one in groups)
    lines = [
        one.model_copy(update={"value": 3.0}) if one in groups and one.max_words == last else one
        for one in NUMBERS.lines
    ]
    assert make_answer(PARAMS, Numbers(lines), {})[-1] == (
        "Long sentences are harder: BLEU 3.0 on the 100 longest, 18.0 on the 100 shortest."
    )


def test_the_page_has_only_the_experiments_own_systems(made):
    report, page = made
    for name in ("RNNsearch", "WMT&#39;14", "Base + reverse", "The paper", "Table 1", "Figure 5"):
        assert name not in page
    assert f"<h1>{report.headline}</h1>" in page
    assert [one.name for one in report.tables][:2] == ["table_compared", "table_attention"]
    for table in report.tables:
        assert not any(heading.startswith("paper") for heading in table.headings)
    scripts = {t.name: t for t in report.tables if t.name.startswith("table_scripts")}
    assert list(scripts) == ["table_scripts", "table_scripts_test2"]
    assert all({*one.frame.index} == {*MODELS} for one in scripts.values())
    top, *folded = page.split('<details class="group">')
    assert '<section id="table_attention">' in top
    assert "silver" not in top.split("How to read the numbers")[0]
    assert "table_links" in "".join(folded)


def test_curves_samples_and_matrices_are_those_of_the_same_systems(made):
    report, _ = made
    assert isinstance(report, Report)
    luong = {n for n in MODELS if not n.startswith(("back", "gru"))}
    for figure in report.figures:
        (panel,) = figure.panels
        assert {series.model for series in panel.series} == luong
    table5 = next(table for table in report.tables if table.name == "table5")
    whose = table5.frame["text of"].unique()
    assert list(whose[:4]) == ["source", "reference", BEST, BASE]  # as in the answer
    assert report.attention is not None
    assert [*report.attention.labels][:2] == [BEST, SECOND]


def test_page_and_run_end_with_commands_that_the_command_line_knows(made, attnmt):
    _, page = made
    write_lines(Layout("demo").raw / "test1.en", ["It's a test."])
    lines = [shlex.split(line, comments=True) for line in next_steps(PARAMS).splitlines()[1:]]
    steps = [words for words in lines if words]  # without comments
    shown = unescape(page.split('id="use"')[1].split("</code>")[0])
    assert [words[:2] for words in steps] == [
        ["attnmt", name]
        for name in ("commit", "translate", "explain", "serve", "pack", "translate")
    ]
    assert steps[1] == ["attnmt", "translate", "-e", "demo", "It's a test."]
    for words in steps[1:]:
        assert " ".join(words[:3]) in shown
        status, _, error = attnmt(*words[1:])
        assert (status, error[:7]) == (2, "error: ")  # about files, which this folder lacks
        assert "option" not in error.lower()


def test_claims_do_not_open_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    claims = [made_claim("one"), made_claim("two", claim="Untested.", verdict="not tested")]
    params = of_own_text(write_report([SECOND, BEST], claims, seeds=2))
    write_numbers(Layout(params.experiment).numbers, own_numbers(params).lines)
    text = page_of(params)
    assert "trained once" not in text
    assert '<section id="claims">' in text.split('<details class="group">', 1)[1]
    assert "Claim one holds." in text
    assert "Untested." not in text
    title = text.split("<h1>")[1].split("</h1>")[0]
    assert title.startswith("Attention local_p over ")
