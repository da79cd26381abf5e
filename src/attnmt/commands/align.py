"""``attnmt align``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attnmt.commands.input_lines import Source, Target, pairs_given
from attnmt.commands.messages import say_coverage
from attnmt.commands.model_choice import Experiment, SeveralModels, Weights, choose_several
from attnmt.commands.options import Flip
from attnmt.config import DEMO, DIAGONAL, Params
from attnmt.corpora.links import format_links
from attnmt.errors import InputError

if TYPE_CHECKING:
    from attnmt.scoring.metric import Score


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
            "Error rates against them are printed in place of links."
        ),
    ] = None,
    flip: Flip = False,
) -> None:
    """Link the words of your own sentence pairs by attention, or compare the links with gold ones.

    Links count tokens, from 0, so those of plain text are followed by the tokens of both sides, after
    tabs. In tokens, ￭ says where one joins its neighbor. Source and target are the experiment's, also
    for a model that translates from the target to the source.

    With --gold, each line has a system, its alignment error rate and a 95% interval over the sentences.
    Without --model, the first seeds of all systems and ensembles with attention are compared. The
    diagonal links each target word to the source word at the same position.

    Examples:

    attnmt align pairs.tsv

    attnmt align news.en news.de --weights weights/demo > news.links

    attnmt align test.en test.de --tokenized --gold test.wa --experiment captions > rates.csv
    """
    choices = choose_several(experiment, model, [weights] if weights else [])
    params, names, root = choices[0].params, [one.name for one in choices], choices[0].root
    if gold is not None and not model and weights is None:
        names = _attentional(params)
    if gold is None and len(names) != 1:
        raise InputError("--model: without --gold, one model links the words; give one --model")
    if gold is None and flip:
        raise InputError("--flip: is about gold links; give --gold, too")
    text = pairs_given(source, target)

    # here, because torch takes seconds
    from attnmt.scoring.external_alignment import OwnPairs, link_pairs, score_diagonal

    pairs = OwnPairs.of(text.items, params, gold, tokenized=tokenized, flip=flip)
    families = set[str]()  # whose unknown words were said
    if gold is not None:
        print("system,aer,low,high")
    for name in names:
        linked = link_pairs(params, name, pairs, root)
        if (family := params.translators(name).family) not in families:
            families.add(family)
            say_coverage(*linked.coverage)
        if linked.score:
            print(_rate(name, linked.score))
            continue
        rows = map(format_links, linked.links)
        if not tokenized:
            sides = (map(" ".join, side) for side in (pairs.sources, pairs.targets))
            rows = map("\t".join, zip(rows, *sides, strict=True))
        print(*rows, sep="\n")
    if (diagonal := score_diagonal(params, pairs)) is not None:
        print(_rate(DIAGONAL, diagonal))


def _rate(name: str, score: "Score") -> str:
    return f"{name},{score.value:.4f},{score.low:.4f},{score.high:.4f}"


def _attentional(params: Params) -> list[str]:
    """Return the first seeds of all systems and ensembles with attention."""
    names = [*params.trainings, *params.ensembles]
    return [name for name in names if params.attends(name) and params.runs_of(name)[0] == name]
