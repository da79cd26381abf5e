"""``attnmt align``."""

from typing import Annotated

import typer

from attnmt.commands.input_lines import Source, Target, pairs_given
from attnmt.commands.messages import say_coverage
from attnmt.commands.model_choice import Experiment, OneModel, Weights, choose
from attnmt.config import DEMO
from attnmt.corpora.links import format_links


def align(
    source: Source = None,
    target: Target = None,
    experiment: Experiment = DEMO,
    model: OneModel = None,
    weights: Weights = None,
    tokenized: Annotated[
        bool,
        typer.Option(
            "--tokenized",
            help="The text is tokens with spaces between them. Without this option it is plain, and is "
            "tokenized as the training text was.",
        ),
    ] = False,
) -> None:
    """Link the words of your own sentence pairs by attention.

    Links count tokens, from 0, so those of plain text are followed by the tokens of both sides, after
    tabs. In tokens, ￭ says where one joins its neighbor. Source and target are the experiment's, also
    for a model that translates from the target to the source.

    Examples:

    attnmt align pairs.tsv

    attnmt align news.en news.de --weights weights/demo > news.links
    """
    choice = choose(experiment, model, weights)
    text = pairs_given(source, target)

    from attnmt.decoding.own_pairs import link_pairs  # here, because torch takes seconds

    linked = link_pairs(choice.params, choice.name, text.items, choice.root, tokenized=tokenized)
    say_coverage(*linked.coverage)
    rows = map(format_links, linked.links)
    if not tokenized:
        sides = (map(" ".join, side) for side in (linked.sources, linked.targets))
        rows = map("\t".join, zip(rows, *sides, strict=True))
    print(*rows, sep="\n")
