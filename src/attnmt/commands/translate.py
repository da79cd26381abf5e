"""``attnmt translate``."""

import json
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from attnmt.commands.input_lines import Lines, in_chunks, lines_to_translate
from attnmt.commands.messages import note, warn
from attnmt.commands.model_choice import Weights, choose
from attnmt.commands.options import (
    MOST_BEAM,
    MOST_CHARACTERS,
    Beam,
    Experiment,
    MaxCharacters,
    OneModel,
    check_output,
)
from attnmt.config import DEMO, LengthPenalty, SearchRules
from attnmt.corpora.links import format_links
from attnmt.errors import InputError, escaped
from attnmt.files.atomic import atomic_path
from attnmt.files.progress import Progress

if TYPE_CHECKING:
    from attnmt.decoding.pipeline import Translation, TranslationPipeline
    from attnmt.decoding.reader import Units

FAR = 1.5  # warn of a sentence with more than this many times the words of the longest trained on
UNLIKE = 0.25  # warn of a sentence with a larger share of unknown words
RULE = "The default of each rule is the experiment's."
OF = "times the source's words"
RULES = re.compile(rf"\b({'|'.join(SearchRules.model_fields)})\b(?: of the search)?")


def translate(
    text: Annotated[
        list[str] | None,
        typer.Argument(
            help="Sentences, one per line. Without any, --input or standard input is read."
        ),
    ] = None,
    experiment: Experiment = DEMO,
    model: OneModel = None,
    weights: Weights = None,
    source: Annotated[
        Path | None,
        typer.Option("--input", "-i", help="A file with one sentence per line; it may be .gz."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file. It appears only when it is complete."),
    ] = None,
    beam: Beam = None,
    n_best: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_BEAM,
            help="The most translations to give for each sentence. A narrow beam finishes fewer.",
        ),
    ] = 1,
    length_penalty: Annotated[
        LengthPenalty | None, typer.Option(help=f"How finished translations are ranked. {RULE}")
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Of gnmt; 0 to 10.")] = None,
    min_ratio: Annotated[float | None, typer.Option(help=f"The least length, {OF}.")] = None,
    max_ratio: Annotated[float | None, typer.Option(help=f"The greatest length, {OF}.")] = None,
    form: Annotated[
        Literal["text", "json"],
        typer.Option("--format", help="Columns with tabs between them, or JSON with everything."),
    ] = "text",
    scores: Annotated[bool, typer.Option("--scores", help="Add log p as a column.")] = False,
    alignments: Annotated[
        bool,
        typer.Option("--alignments", help="Add links of tokens as a column, source-target from 0."),
    ] = False,
    replace: Annotated[
        bool, typer.Option(help="Replace unknown words, or leave them as <unk>.")
    ] = True,
    max_characters: MaxCharacters = MOST_CHARACTERS,
) -> None:
    """Translate plain text: sentences given here, a file, or standard input, line by line.

    The text is prepared like the model's training text, and the output is plain text. An empty line
    stays empty. With --n-best above 1, each translation follows the number of its line, from 0.
    JSON has one object for each translation: line, text, words, replaced, source, links, score (log p).

    Lines of standard input are answered as they come; those that are there already
    are translated together. A line ends at a line feed; a warning tells of a line that another
    character divides. Another warning tells of a sentence that is far longer than any that was trained
    on. A note names the words that the model does not know, or counts them in a file or a stream.

    The score is log p, whatever --length-penalty ranks by: average divides log p by the number of words,
    gnmt by ((5 + words) / 6)^alpha. Words and lengths are what the model writes, words or pieces.

    Examples:

    attnmt translate "The old house is small." --alignments

    attnmt translate --input news.en --output news.de --model ensemble

    attnmt translate --weights weights/demo --n-best 5 --format json < news.en > news.jsonl

    attnmt translate "The old house is small." --length-penalty gnmt --alpha 0.6

    tail -f chat.en | attnmt translate | tee chat.de
    """
    choice = choose(experiment, model, weights)
    if text and source is not None:
        raise InputError("--input: text is given, too; give only one of the two")
    if output is not None:
        check_output("--output", output, [source] if source else [])
    # Files are read through before the models are loaded, so that their faults are reported first.
    given = lines_to_translate(text, source, max_characters)

    from attnmt.decoding.search import changed_rules

    rules = {
        "length_penalty": length_penalty,
        "alpha": alpha,
        "min_ratio": min_ratio,
        "max_ratio": max_ratio,
    }
    with _rules_as_options():
        changed_rules(choice.params.decoding, rules)
    translator = choice.load(beam, n_best, **rules)

    def row(line: int, translation: "Translation") -> str:
        plain = translation.text if replace else translator.plain(translation.words)
        if form == "json":
            return _json_row(line, translation, plain)
        columns = [plain]
        if n_best > 1:
            columns.insert(0, str(line))
        if scores:
            columns.append(f"{translation.score:.4f}")
        if alignments:
            columns.append(format_links(translation.links))
        return "\t".join(columns)

    with ExitStack() as stack:
        out = sys.stdout
        if output is not None:
            partial = stack.enter_context(atomic_path(output))
            out = stack.enter_context(partial.open("w", encoding="utf-8", newline="\n"))
        # Show no bar on a terminal where translations appear or a person types.
        hidden = given.typed or (output is None and out.isatty())
        progress = None if hidden else Progress("lines", given.total, "lines")
        stack.enter_context(progress or nullcontext())
        prompt = f"{translator.source.code}> " if given.typed and sys.stderr.isatty() else ""
        if prompt:
            _ask(f"{choice.name}: type a sentence and press Enter. Ctrl-D ends.\n{prompt}")
        line = 0
        shown = escaped if out.isatty() else str
        read = _read(given, translator, one_by_one=bool(text) or given.typed)
        for sentences in in_chunks(read, given.waiting):
            for translations in translator.translate_units(sentences):
                out.writelines(f"{shown(row(line, t))}\n" for t in translations)
                line += 1
            out.flush()
            if progress:
                progress.update(len(sentences))
            _ask(prompt)
        _ask("\n" if prompt else "")
    if not line:
        warn(f"{given.name} is empty; nothing was translated")


@contextmanager
def _rules_as_options() -> Iterator[None]:
    """Name the options in an error about rules of the search."""
    try:
        yield
    except InputError as error:
        shown = RULES.sub(lambda rule: f"--{rule[1].replace('_', '-')}", str(error))
        raise InputError(shown) from None


def _read(given: Lines, translator: "TranslationPipeline", one_by_one: bool) -> Iterator["Units"]:
    """Yield each line as the models read it; warn of a sentence that they may read badly.

    ``one_by_one`` names the unknown words of each sentence; otherwise they are only counted.
    """
    from attnmt.text.tokenizer import JOIN
    from attnmt.training.machine import give_back_large_blocks

    reader = translator.source
    total = not_known = 0
    for place, text in given.items:
        units = reader.units(text, place)
        if lost := reader.words_lost(text):
            warn(f"{place}: the model does not read the first {lost} words; divide the sentence")
        if len(units) > FAR * reader.longest:
            give_back_large_blocks()
            warn(
                f"{place}: {len(units)} {reader.unit}, and the longest sentence that was trained on has "
                f"{reader.longest}; the translation may be bad; divide the sentence"
            )
        unknown = [unit for unit in units if unit not in reader.vocabulary]
        total, not_known = total + len(units), not_known + len(unknown)
        if unknown and one_by_one:
            bad = "; the translation may be bad" if len(unknown) > UNLIKE * len(units) else ""
            words = ", ".join(dict.fromkeys(unescape(unit).strip(JOIN) for unit in unknown))
            note(f"{place}: the model does not know these {reader.unit}: {words}{bad}")
        yield units
    if not_known and not one_by_one:
        note(f"the model does not know {not_known:,} of the {total:,} {reader.unit}")


def _ask(text: str) -> None:
    """Write to the terminal at which a person types; standard output may lead elsewhere."""
    if text:
        print(text, end="", file=sys.stderr, flush=True)


def _json_row(line: int, translation: "Translation", plain: str) -> str:
    fields: dict[str, Any] = {"line": line} | translation._asdict()
    del fields["ids"]  # which only this program understands
    fields |= {"text": plain, "score": round(translation.score, 4)}
    return json.dumps(fields, ensure_ascii=False)
