"""``attnmt explain``."""

import os
import shutil
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from attnmt.commands.listed import counted
from attnmt.commands.messages import warn
from attnmt.commands.model_choice import SeveralModels, SeveralWeights, choose_several
from attnmt.commands.options import Beam, Experiment
from attnmt.config import DEMO
from attnmt.errors import InputError
from attnmt.files.atomic import check_place
from attnmt.files.text_file import decode_lines, write_text
from attnmt.serving.service import MOST_CHARACTERS, refuse_lines

MOST_EXPLAINED = 20  # candidates; a page of one thousand characters then has some 16 MB
OUTPUT = Path("explain.html")
STANDARD = Path("-")  # standard output


def explain(
    sentence: Annotated[str, typer.Argument(help="The sentence, as plain text.")],
    experiment: Experiment = DEMO,
    model: SeveralModels = None,
    weights: SeveralWeights = None,
    reference: Annotated[
        str | None,
        typer.Option(help="A translation of the sentence. The models say how probable it is."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help=f"The page; - is standard output. \\[default: {OUTPUT}]"
        ),
    ] = None,
    text: Annotated[
        bool,
        typer.Option(
            "--text",
            help="Print the explanation as text. Then a page is written only with --output or --open.",
        ),
    ] = False,
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

    attnmt explain "The old house is small." --weights weights/demo --weights weights/demo-local

    attnmt explain "The old house is small." --text
    """
    chosen = choose_several(experiment, model or [], weights or [])
    sentence = _line(sentence, "the sentence")
    reference = None if reference is None else _line(reference, "--reference")
    page = OUTPUT if output is None and not (text and not show) else output
    if page == STANDARD and (text or show):
        raise InputError(
            f"--output -: the page cannot go to standard output with {'--text' if text else '--open'}; "
            f"name a file"
        )
    if page is not None and page != STANDARD:
        check_place(page)

    # imported here, because they take seconds, and --help must be fast
    from attnmt.decoding.explanation import explain as explained
    from attnmt.reporting.explain_facts import Shown, about
    from attnmt.reporting.explain_page import make_explain_page
    from attnmt.reporting.explain_text import explain_text

    if os.path.isfile(sentence):  # noqa: PTH113  pathlib fails on a text too long for a name
        warn(f"{sentence} is a file, but its name is explained; give a sentence")
    given = ("the sentence", sentence), ("--reference", reference)
    shown = []
    for choice, name in chosen:
        translator = choice.load(name, beam, n_best)
        readers = translator.source, translator.target
        for (what, line), reader in zip(given, readers, strict=True):
            if line and (lost := reader.words_lost(line)):
                warn(f"{name} does not read the {counted(lost, 'first word')} of {what}")
        explanation = explained(translator, sentence, reference, n_best)
        shown.append(Shown(about(choice.params, name, translator), explanation))
    if text:
        width = shutil.get_terminal_size().columns
        print("\n".join(explain_text(one, width) for one in shown), end="")
    if page is None:
        return
    content = make_explain_page([one.about for one in shown], sentence, reference, shown)
    if page == STANDARD:
        sys.stdout.write(content)
        return
    write_text(page, content)
    address = page.resolve().as_uri()
    print(f"The page: {address}")
    if show and not webbrowser.open(address):
        raise InputError(f"{page}: no browser could be started; open {address} yourself")


def _line(text: str, what: str) -> str:
    """Return an argument as one line of text.

    Raises:
        InputError: if it is not UTF-8, has several lines, no words or too many.
    """
    (line, *_) = decode_lines([os.fsencode(text)], what)
    refuse_lines(line, what)
    words = " ".join(line.split())
    if not words:
        raise InputError(f"{what} has no words; give a sentence")
    if len(words) > MOST_CHARACTERS:
        raise InputError(
            f"{what} has {len(words):,} characters, and at most {MOST_CHARACTERS:,} are explained; "
            f"divide it"
        )
    return words
