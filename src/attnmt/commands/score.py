"""``attnmt score``."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from attnmt.commands.input_lines import Pair, Source, Target, in_chunks, pairs_given
from attnmt.commands.messages import counted, say_coverage, warn
from attnmt.commands.model_choice import Experiment, OneModel, Weights, choose
from attnmt.config import DEMO
from attnmt.errors import InputError
from attnmt.files.progress import Progress

if TYPE_CHECKING:
    from attnmt.decoding.pipeline import TranslationPipeline
    from attnmt.decoding.reader import Units


def score(
    source: Source = None,
    target: Target = None,
    experiment: Experiment = DEMO,
    model: OneModel = None,
    weights: Weights = None,
) -> None:
    """Score translations that are given: log p of each, one number a line, as for reranking.

    The last line, on standard error, is the perplexity of all: exp of the mean of -log p over all words
    or pieces that the model predicts, </s> included. The text is plain and prepared as attnmt translate
    does, whose --scores are the same numbers, except where it replaced a word, where its text is read
    as other words, or where it cut a translation off.

    Examples:

    attnmt score news.en news.de

    attnmt score pairs.tsv

    paste source.en candidates.de | attnmt score --model ensemble > log_p
    """
    choice = choose(experiment, model, weights)
    given = pairs_given(source, target)
    translator = choice.load()
    total, predicted, count = 0.0, 0, 0
    with Progress("pairs", given.total, "pairs") as progress:
        for pairs in in_chunks(_read(given.items, translator), given.chunk):
            read = [pair for pair in pairs if pair[0]]
            sides = ([pair[side] for pair in read] for side in (0, 1))
            forced = iter(translator.force(*sides).scores)
            for units, words in pairs:
                log_p = next(forced) if units else 0.0  # as an empty line is translated
                print(f"{log_p:.4f}", flush=True)
                total += log_p
                predicted += len(words) + 1 if units else 0
            count += len(pairs)
            progress.update(len(pairs))
    if not predicted:
        raise InputError("nothing to score: no source has words")
    typer.echo(
        f"perplexity {math.exp(-total / predicted):.4f}: {counted(count, 'pair')}, {predicted:,} "
        f"{translator.target.unit} with </s>",
        err=True,
    )


def _read(
    pairs: Iterator[Pair], translator: "TranslationPipeline"
) -> Iterator[tuple["Units", "Units"]]:
    """Yield each pair as the models read it; say at the end what they do not know or read."""
    from attnmt.decoding.coverage import Coverage  # here, because torch takes seconds

    sides, empty = (Coverage(translator.source), Coverage(translator.target)), 0
    for pair in pairs:
        source, target = (
            side.read(line.text, line.place) for side, line in zip(sides, pair, strict=True)
        )
        if target and not source:
            raise InputError(f"{pair.source.place}: the source has no words, and the target has")
        empty += bool(source) and not target
        yield source, target
    if empty:
        targets = counted(empty, "target")
        warn(f"without words, though the source has some: {targets}; only </s> is scored")
    say_coverage(*sides)
