"""``attnmt explain``."""

import os
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from attnmt.commands.messages import warn
from attnmt.commands.model_choice import SeveralModels, SeveralWeights, choose_several
from attnmt.commands.options import Beam, Experiment
from attnmt.config import DEMO
from attnmt.errors import InputError
from attnmt.files.atomic import check_place
from attnmt.files.text_file import decode_lines, write_text

MOST_CHARACTERS = 1_000  # of a sentence
MOST_EXPLAINED = 20  # candidates; a page of one thousand characters then has some 16 MB


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
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
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

    attnmt explain "Trosto visits a woman every day." --open

    attnmt explain "The old house is small." --model local_m_general_feed --model base_reverse

    attnmt explain "The old house is small." --weights weights/demo --weights my-weights
    """
    choices = choose_several(experiment, model or [], weights or [])
    first = choices[0]
    for other in choices[1:]:
        if other.languages != first.languages:
            raise InputError(
                f"{'--weights' if weights else '--model'}: {first.name} and {other.name} do not "
                f"translate the same languages; take models of one direction"
            )
    sentence = _line(sentence, "the sentence")
    reference = None if reference is None else _line(reference, "--reference")
    check_place(output)

    # imported here, because they take seconds, and --help must be fast
    from attnmt.decoding.explanation import explain as explained
    from attnmt.reporting.explain_page import Shown, make_explain_page

    shown = []
    for choice in choices:
        translator = choice.load(beam, n_best)
        given = (
            (translator.source, "the sentence", sentence),
            (
                translator.target,
                "--reference",
                reference,
            ),
        )
        for reader, what, line in given:
            if line and (lost := reader.words_lost(line)):
                warn(f"{choice.name} does not read the first words of {what} ({lost})")
        explanation = explained(translator, sentence, reference, n_best)
        shown.append(Shown.of(choice.params, choice.name, translator, explanation))
    write_text(output, make_explain_page(sentence, reference, shown))
    address = output.resolve().as_uri()
    print(f"The page: {address}")
    if show and not webbrowser.open(address):
        raise InputError(f"{output}: no browser could be started; open {address} yourself")


def _line(text: str, what: str) -> str:
    """Return an argument as one line of text.

    Raises:
        InputError: if it is not UTF-8, has several lines, no words or too many.
    """
    (line, *_) = decode_lines([os.fsencode(text)], what)
    if (count := sum(bool(part.strip()) for part in line.splitlines())) > 1:
        raise InputError(f"{what}: it has {count} lines; explain one sentence at a time")
    words = " ".join(line.split())
    if not words:
        raise InputError(f"{what} has no words; give a sentence")
    if len(words) > MOST_CHARACTERS:
        raise InputError(
            f"{what} has {len(words):,} characters, and at most {MOST_CHARACTERS:,} are explained; "
            f"divide it"
        )
    return words
