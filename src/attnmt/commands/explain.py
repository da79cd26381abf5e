"""``attnmt explain``."""

import os
from pathlib import Path
from typing import Annotated

import typer

from attnmt.commands.messages import say_coverage
from attnmt.commands.model_choice import (
    Choice,
    Experiment,
    SeveralModels,
    SeveralWeights,
    choose_several,
)
from attnmt.commands.options import Beam
from attnmt.config import DEMO, Language
from attnmt.errors import InputError
from attnmt.files.text_file import decode_lines, write_text

MOST_EXPLAINED = 20  # candidates


def explain(
    sentence: Annotated[str, typer.Argument(help="The sentence, as plain text.")],
    experiment: Experiment = DEMO,
    model: SeveralModels = None,
    weights: SeveralWeights = None,
    reference: Annotated[
        str | None,
        typer.Option(help="A translation of the sentence. The models say how probable it is."),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page.")] = Path(
        "explain.html"
    ),
    beam: Beam = None,
    n_best: Annotated[
        int, typer.Option(min=1, max=MOST_EXPLAINED, help="The most candidates to explain.")
    ] = 5,
) -> None:
    """Show how a sentence is translated: one page that needs no network.

    The page shows the attention matrix, where a local window stood, the best candidates with log p, what
    the model reads, and what replaced each unknown word. --reference adds a translation of your own,
    which is force-decoded.

    Examples:

    attnmt explain "Trosto visits a woman every day."

    attnmt explain "Anna is reading the old letter." --model local_m_general_feed --model base_reverse

    attnmt explain "Anna is reading the old letter." --weights weights/demo --weights my-weights
    """
    choices = choose_several(experiment, model, weights)
    for other in choices[1:]:
        if _languages(other) != _languages(choices[0]):
            raise InputError(
                f"{'--weights' if weights else '--model'}: {choices[0].name} and {other.name} do not "
                f"translate the same languages; take models of one direction"
            )
    sentence = _line(sentence, "the sentence")
    reference = None if reference is None else _line(reference, "--reference")

    # imported here, because they take seconds, and --help must be fast
    from attnmt.decoding.coverage import Coverage
    from attnmt.decoding.explanation import explain as explained
    from attnmt.reporting.explain_page import Shown, make_explain_page

    shown = []
    for choice in choices:
        translator = choice.load(beam, n_best)
        sides = [Coverage(translator.source), Coverage(translator.target)][: 1 + bool(reference)]
        for side, line in zip(sides, (sentence, reference), strict=False):
            side.read(str(line), choice.name)
        say_coverage(*sides)
        explanation = explained(translator, sentence, reference, n_best)
        shown.append(Shown.of(choice.params, choice.name, translator, explanation))
    write_text(output, make_explain_page(sentence, reference, shown))
    print(f"The page: {output.resolve().as_uri()}")


def _languages(choice: Choice) -> tuple[Language, Language]:
    return choice.params.languages.sides(choice.params.direction(choice.name))


def _line(text: str, what: str) -> str:
    """Return an argument as one line of text."""
    (line,) = decode_lines([os.fsencode(text)], what)
    if not (words := " ".join(line.split())):
        raise InputError(f"{what} has no words; give a sentence")
    if len(line.strip().splitlines()) > 1:
        raise InputError(f"{what}: several lines; explain one sentence at a time")
    return words
