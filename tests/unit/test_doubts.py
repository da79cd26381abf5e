"""What a report says beside a verdict: attention that was not learned, too low a BLEU."""

import pytest
from made_report import changed, made_gain, made_params, of_own_text, own_numbers
from sacrebleu.metrics.bleu import BLEU

from attnmt.config import DIAGONAL
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.answer import answers_table, make_answer
from attnmt.reporting.doubts import AER, best_sentence, one_sentence_bleus, unlearned
from attnmt.scoring.ranking import final_bleu

GLOBAL, LOCAL = "global_general_feed", "local_p_general_feed"


def rated(numbers, name, aer):
    """Return numbers in which a system has an error rate at the chosen step."""
    line = numbers.system(name, AER, "test1")
    return changed(numbers, line, value=aer, low=aer, high=aer)


def losing(params, numbers, value):
    """Return the gain of the two systems, of a value, and the numbers that have it."""
    (gain,) = (line for line in numbers.lines if line.kind == "gain" and line.set == "test1")
    made = changed(numbers, gain, value=value, low=value - 1, high=value + 1)
    return next(line for line in made.lines if line.kind == "gain" and line.set == "test1"), made


@pytest.mark.parametrize(
    ("value", "loser", "winner"), [(-5.0, LOCAL, GLOBAL), (5.0, GLOBAL, LOCAL)]
)
def test_a_loser_that_links_no_better_than_the_diagonal_is_named_with_what_to_try(
    value, loser, winner
):
    params = of_own_text(made_params(GLOBAL, LOCAL, seeds=3))
    gain, numbers = losing(params, own_numbers(params), value)
    assert unlearned(params, numbers, [gain]) == []  # 0.25 and 0.24
    diagonal = numbers.system(DIAGONAL, "aer", "test1").value
    assert unlearned(params, rated(numbers, loser, diagonal - 0.01), [gain]) == []
    assert unlearned(params, rated(numbers, winner, diagonal), [gain]) == []
    bad = rated(numbers, loser, diagonal)
    assert unlearned(params, rated(bad, winner, diagonal), [gain]) == []
    over_another = gain.model_copy(update={"over" if value < 0 else "system": "base"})
    (said,) = unlearned(params, bad, [gain, over_another])  # once, though it loses twice
    other = numbers.system(winner, AER, "test1").value
    assert said == (
        f"{loser} links words no better than the diagonal does (AER 0.56; the diagonal has 0.56, "
        f"{winner} {other:.2f}), so at rate 1 it has probably not learned where to look. Try a "
        f"rate below 1: write lower: {{{loser}: {{learning_rate: 0.5}}}} below the key "
        "recipes in params.yaml."
    )
    assert said in make_answer(params, bad, {})[1]
    assert answers_table(params, bad).notes == [said]


@pytest.mark.parametrize(
    ("winner", "loser", "score", "unread"),
    [
        (GLOBAL, "global_location_feed", "location", "the states of the source"),
        ("gru_additive", "gru_self", "self", "the state of the target"),
    ],
)
def test_of_a_score_that_compares_no_words_no_rate_is_blamed(winner, loser, score, unread):
    params = of_own_text(made_params(winner, loser, seeds=3))
    gain, numbers = losing(params, own_numbers(params), -5.0)
    (said,) = unlearned(params, rated(numbers, loser, 0.9), [gain])
    assert said.endswith(
        f"). Its score, {score}, never reads {unread}: at no rate does it compare words."
    )


def test_a_gain_within_noise_blames_nobody():
    params = of_own_text(made_params(GLOBAL, LOCAL, seeds=3))
    gain, numbers = losing(params, own_numbers(params), -5.0)
    bad = rated(numbers, LOCAL, 0.9)
    assert answers_table(params, bad).notes
    noise = changed(bad, gain, p=0.5)
    assert answers_table(params, noise).notes == []
    assert len(make_answer(params, noise, {})) == len(make_answer(params, bad, {})) - 1


def test_the_bleu_that_needs_no_source_is_that_of_one_reference_for_every_line(
    tmp_path, monkeypatch
):
    """The development set chooses the sentence. All references of a line count, and no other text."""
    monkeypatch.chdir(tmp_path)
    params = of_own_text(made_params(GLOBAL, LOCAL))
    folder = Layout(params.experiment).tokens
    best, test = "a b c d e", params.sets.tests[0]
    files = {
        f"{params.sets.dev}.de": [best, "x y z", best],
        f"{test}.de": ["a b c x y", "u v w x y"],
        f"{test}.de.2": ["p q r s t", "b c d e f"],
        f"{test}.en": [best, best],
        f"{test}.en.2": [best, best],
    }
    folder.mkdir(parents=True)
    for name, lines in files.items():
        write_lines(folder / name, lines)
    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    expected = bleu.corpus_score([best] * 2, [files[f"{test}.de"], files[f"{test}.de.2"]]).score
    assert 0 < expected < 100
    assert one_sentence_bleus(params) == {"forward": pytest.approx(expected)}


@pytest.mark.parametrize(
    ("diagonal", "winner", "loser", "speaks"),
    [
        (0.02, 0.02, 0.03, False),  # almost word for word: both look where the words are
        (0.49, 0.2, 0.49, False),
        (0.49, 0.2, 0.5, True),
        (0.02, 0.9, 0.6, False),
        (0.84, 0.81, 0.9, True),
        (0.84, 0.87, 0.95, True),
    ],
)
def test_a_loser_that_looks_where_the_words_are_or_links_no_worse_than_the_winner_is_not_blamed(
    diagonal, winner, loser, speaks
):
    params = of_own_text(made_params(GLOBAL, LOCAL, seeds=3))
    gain, numbers = losing(params, own_numbers(params), -5.0)
    line = numbers.system(DIAGONAL, "aer", "test1")
    numbers = rated(changed(numbers, line, value=diagonal), GLOBAL, winner)
    assert bool(unlearned(params, rated(numbers, LOCAL, loser), [gain])) == speaks


def test_the_recipe_to_try_has_a_name_that_no_recipe_has():
    params = of_own_text(made_params(GLOBAL, LOCAL))
    gain, numbers = losing(params, own_numbers(params), -5.0)
    own = params.model_copy(update={"recipes": {"lower": {}, "lower3": {}}})
    (said,) = unlearned(own, rated(numbers, LOCAL, 0.9), [gain])
    assert f"write lower2: {{{LOCAL}: {{learning_rate: 0.5}}}} below" in said


def test_another_recipe_that_mends_a_system_is_named():
    params = of_own_text(
        made_params(GLOBAL, LOCAL, f"{LOCAL}_own", file="experiments/multi30k/params.yaml")
    )
    numbers = own_numbers(params)
    test = params.sets.aligned[0]
    bad = changed(numbers, numbers.system(LOCAL, AER, test), value=0.9)
    one, two = (final_bleu(params, bad, name) for name in (LOCAL, GLOBAL))
    gain = made_gain(one, two).model_copy(update={"value": -3.0})
    (said,) = unlearned(params, bad, [gain])
    assert f"{LOCAL}_own, at rate 0.5, has AER 0.23 and BLEU 14.0." in said


def test_a_bleu_that_needs_no_source_is_named():
    params = of_own_text(made_params(GLOBAL, LOCAL))
    numbers = own_numbers(params)
    said = make_answer(params, numbers, {"forward": 11.0})  # 12 and 13, with 1 to either side
    assert said[1] == (
        "A comparison with so low a BLEU says little: "
        f"{GLOBAL} has 12.0 (11.0–13.0), and one sentence for all lines 11.0."
    )
    assert make_answer(params, numbers, {"forward": 10.9}) == [said[0], *said[2:]]


def test_the_one_sentence_is_that_of_a_search_through_all():
    lines = ["a b c d e", "a b c d", "a b c d f g", "x y", "b c d e f", "a b c d e f g h i j k"]
    bleu = BLEU(tokenize="none", smooth_method="none", force=True)
    scores = {one: bleu.corpus_score([one] * len(lines), [lines]).score for one in lines}
    assert best_sentence(lines) == max(scores, key=scores.__getitem__)
    assert sorted(scores.values())[-2] < max(scores.values())
