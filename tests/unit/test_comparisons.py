"""The comparisons of a report on one's own text, beside the lines of systems.yaml."""

import pytest
from made_report import (
    changed,
    made_numbers,
    made_params,
    of_own_text,
    own_numbers,
)

from attnmt.scoring.comparisons import compared_pairs, differing

GLOBAL, LOCAL = "global_general_feed", "local_p_general_feed"
SUBWORDS = "local_p_general_feed_bpe"


def with_models(**models):
    """Return parameters of one's own text with only these models, in their order."""
    params = made_params(GLOBAL, LOCAL, "base_reverse_dropout")
    known = {
        name: params.trainings[like].model_copy(update=new) for name, (like, new) in models.items()
    }
    named = {name: one.model_copy(update={"system_name": name}) for name, one in known.items()}
    return of_own_text(params.model_copy(update={"trainings": named, "ensembles": {}}))


def names_compared(params, numbers):
    return {(ours.system, other.system) for ours, other in compared_pairs(params, numbers, "test1")}


@pytest.mark.parametrize(
    ("like", "new", "parts"),
    [
        (LOCAL, {"window_D": 4}, ["window_D"]),
        (GLOBAL, {"layers": 3}, ["layers"]),
        (GLOBAL, {"output_dropout": 0.5}, ["output_dropout"]),
        (GLOBAL, {"tied_embeddings": True}, ["tied_embeddings"]),
        (GLOBAL, {"epochs": 3, "halve_after": 2}, ["settings"]),
        (LOCAL, {"size": 7, "window_D": 4}, ["window_D", "size"]),
    ],
)
def test_systems_that_differ_in_one_part_are_compared(like, new, parts):
    params = with_models(one=(like, {}), two=(like, new))
    assert [*differing(params, "two", "one")] == parts
    expected = {("two", "one")} if len(parts) == 1 else set()
    assert names_compared(params, own_numbers(params)) == expected


def test_the_one_that_params_yaml_names_first_is_the_base():
    for systems in ([GLOBAL, LOCAL], [LOCAL, GLOBAL]):
        params = of_own_text(made_params(GLOBAL, LOCAL)).model_copy(update={"systems": systems})
        assert names_compared(params, made_numbers(params)) == {(systems[1], systems[0])}


def test_other_references_are_not_compared():
    params = of_own_text(made_params(GLOBAL, LOCAL))
    lines = made_numbers(params)
    line = lines.system(LOCAL, "bleu", "test1", "tokenized", "after")
    assert names_compared(params, lines)
    assert not names_compared(params, changed(lines, line, reference="cut"))


@pytest.mark.parametrize("first", [GLOBAL, SUBWORDS])
def test_the_best_systems_on_words_and_on_subwords_are_compared(first):
    """The base does not read the units of the system that is named first."""
    params = of_own_text(made_params(GLOBAL, LOCAL, SUBWORDS))
    params = params.model_copy(update={"systems": [first]})
    numbers = made_numbers(params)
    perplexity = {name: numbers.system(name, "ppl", "dev").value for name in (GLOBAL, LOCAL)}
    best = min(perplexity, key=perplexity.get)
    pair = (best, SUBWORDS) if first == GLOBAL else (SUBWORDS, best)
    found = names_compared(params, numbers)
    assert pair in found
    assert pair[::-1] not in found
