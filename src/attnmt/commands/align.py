"""``attnmt align``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attnmt.commands.listed import counted
from attnmt.commands.messages import warn
from attnmt.commands.model_choice import SeveralModels, Weights, choose_several
from attnmt.commands.options import (
    MOST_CHARACTERS,
    Experiment,
    Flip,
    MaxCharacters,
    check_output,
    refuse_pipes,
)
from attnmt.commands.pairs import Source, Target, note_unknown, pairs_given
from attnmt.config import DEMO, DIAGONAL, Params
from attnmt.corpora.links import format_links
from attnmt.errors import InputError
from attnmt.files.text_file import write_lines

if TYPE_CHECKING:
    from attnmt.scoring.metric import Score

COLUMNS = ("system", "aer", "low", "high")  # low and high bound the 95% interval


def align(
    source: Source = None,
    target: Target = None,
    experiment: Experiment = DEMO,
    model: SeveralModels = None,
    weights: Weights = None,
    tokenized: Annotated[
        bool,
        typer.Option(
            "--tokenized",
            help="The text is tokens with spaces between them, as gold links count them. Without this "
            "option it is plain, and is tokenized as the training text was.",
        ),
    ] = False,
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Links made by people, such as 0-0 1?2 (source-target, from 0), or RWTH's (.talp). "
            "The links of each model are compared with them, and its error rates are printed."
        ),
    ] = None,
    flip: Flip = False,
    links: Annotated[
        Path | None,
        typer.Option(help="A file to write the links to; only with one model."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A CSV file to write the error rates to; only with --gold."
        ),
    ] = None,
    max_characters: MaxCharacters = MOST_CHARACTERS,
) -> None:
    """Link the words of your own sentence pairs by attention, and compare the links with gold ones.

    The links go to standard output, or to the file of --links; with --gold, error rates are printed.
    Links count tokens, so those of plain text are followed by the tokens of both sides, after tabs.
    The diagonal is no model: it links each target word to the source word at the same position. Source
    and target are the experiment's, also for a model that translates from the target to the source. With
    --gold and without --model, the first seeds of all systems and ensembles with attention are compared.

    Examples:

    attnmt align pairs.tsv

    attnmt align news.en news.de --weights weights/demo --links news.links

    attnmt align test.en test.de --tokenized --gold test.wa --experiment captions -o rates.csv
    """
    choices = choose_several(experiment, model or [], [weights] if weights else [])
    params, names, root = choices[0].params, [one.name for one in choices], choices[0].root
    if gold is not None and not model and weights is None:
        names = _attentional(params)
    if links is not None and len(names) != 1:
        raise InputError("--links: the file holds the links of one model; give exactly one --model")
    if gold is None and len(names) != 1:
        raise InputError("--model: without --gold, one model links the words; give one --model")
    for option, given in {"--output": output is not None, "--flip": flip}.items():
        if given and gold is None:
            raise InputError(f"{option}: is about gold links; give --gold, too")
    read = [one for one in (source, target, gold) if one is not None]
    if gold is not None:
        refuse_pipes([gold])
    if links is not None:
        check_output("--links", links, read)
    if output is not None:
        check_output("--output", output, [*read, *([links] if links else [])])
    text = pairs_given(source, target, max_characters)

    # here, because torch takes seconds
    from attnmt.scoring.external_alignment import OwnPairs, link_pairs, score_diagonal

    pairs = OwnPairs.of(text.items, params, gold, tokenized=tokenized, flip=flip)
    rows: list[tuple[str, ...]] = [COLUMNS]
    families = set[str]()  # whose unknown words were said
    for name in names:
        linked = link_pairs(params, name, pairs, root)
        if (family := params.translators(name).family) not in families:
            families.add(family)
            note_unknown(linked.coverage)
        unread = [
            (given[0] - len(read[0]), given[1] - len(read[1]))
            for given, read in zip(pairs.word_counts, linked.words, strict=True)
        ]
        for lost in filter(None, map(sum, zip(*unread, strict=True))):
            warn(f"{name} does not read {counted(lost, 'first word')} of long lines")
        found = linked.links
        if tokenized:  # links count the words that were given
            found = [
                [(i + first[0], j + first[1]) for i, j in line]
                for line, first in zip(found, unread, strict=True)
            ]
        rows_of_links = map(format_links, found)
        if not tokenized:
            sides = (map(" ".join, side) for side in zip(*linked.words, strict=True))
            rows_of_links = map("\t".join, zip(rows_of_links, *sides, strict=True))
        if links is not None:
            write_lines(links, rows_of_links)
        elif gold is None:
            print(*rows_of_links, sep="\n")
        if linked.score:
            rows.append(_row(name, linked.score))
    if diagonal := score_diagonal(params, pairs):
        rows.append(_row(DIAGONAL, diagonal))
    if output is not None:
        write_lines(output, map(",".join, rows))


def _row(name: str, score: "Score") -> tuple[str, ...]:
    """Print an error rate, and return its row."""
    typer.echo(f"{name:32} AER {score.value:.2f} ({score.low:.2f} to {score.high:.2f})")
    return (name, *map("{:.4f}".format, (score.value, score.low, score.high)))


def _attentional(params: Params) -> list[str]:
    """Return the first seeds of all systems and ensembles with attention."""
    names = [*params.trainings, *params.ensembles]
    return [name for name in names if params.attends(name) and params.runs_of(name)[0] == name]
