"""``attnmt translate``."""

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from attnmt.commands.input_lines import in_chunks, lines_given
from attnmt.commands.messages import say_coverage, warn
from attnmt.commands.model_choice import Experiment, OneModel, Weights, choose
from attnmt.commands.options import MOST_BEAM, Beam
from attnmt.config import DEMO
from attnmt.corpora.links import format_links
from attnmt.errors import InputError, escaped
from attnmt.files.atomic import atomic_path
from attnmt.files.progress import Progress

if TYPE_CHECKING:
    from attnmt.decoding.pipeline import Translation


def translate(
    text: Annotated[
        list[str] | None,
        typer.Argument(help="Sentences. Without any, --input or standard input is read."),
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
            help="The most translations of a sentence. A narrow beam finishes fewer.",
        ),
    ] = 1,
    form: Annotated[
        Literal["text", "json"],
        typer.Option("--format", help="Columns with tabs between them, or JSON with everything."),
    ] = "text",
    scores: Annotated[bool, typer.Option("--scores", help="Add log p as a column.")] = False,
    alignments: Annotated[
        bool,
        typer.Option("--alignments", help="Add links of tokens as a column, source-target from 0."),
    ] = False,
) -> None:
    """Translate plain text: sentences given here, a file, or standard input, line by line.

    The text is prepared like the model's training text, and the output is plain text. An empty line
    stays empty. With --n-best above 1, each translation follows the number of its line, from 0.

    JSON has one object for each translation: line, text, words (with <unk>), replaced, source, links,
    score (log p). In words, ￭ says where a token joins its neighbor.

    The score is log p, whatever the experiment's length_penalty ranks by.

    Examples:

    attnmt translate --weights weights/demo "Anna is reading the old letter." --alignments

    attnmt translate --input news.en --output news.de --model ensemble

    attnmt translate --format json < news.en > news.jsonl
    """
    choice = choose(experiment, model, weights)
    if text and source is not None:
        raise InputError("--input: text is given, too; give only one of the two")
    if output and output.suffix == ".gz":
        raise InputError(f"--output: {output} would be plain text; leave .gz out")
    if output and source and output.resolve() == source.resolve():
        raise InputError(f"--output: {output} is also given as {source}; name another file")
    given = lines_given(text, source)
    translator = choice.load(beam, n_best)

    from attnmt.decoding.coverage import Coverage  # here, because torch takes seconds

    def row(line: int, translation: "Translation") -> str:
        if form == "json":
            return _json_row(line, translation)
        columns = [translation.text]
        if n_best > 1:
            columns.insert(0, str(line))
        if scores:
            columns.append(f"{translation.score:.4f}")
        if alignments:
            columns.append(format_links(translation.links))
        return "\t".join(columns)

    coverage, line = Coverage(translator.source), 0
    with ExitStack() as stack:
        out = sys.stdout
        if output is not None:
            partial = stack.enter_context(atomic_path(output))
            out = stack.enter_context(partial.open("w", encoding="utf-8", newline="\n"))
        shown = escaped if out.isatty() else str
        # No bar on a terminal where translations appear or a person types
        bar = None if given.typed or out.isatty() else Progress("lines", given.total, "lines")
        if bar:
            stack.enter_context(bar)
        read = (coverage.read(text, place) for place, text in given.items)
        for sentences in in_chunks(read, given.chunk):
            for translations in translator.translate_units(sentences):
                out.writelines(f"{shown(row(line, one))}\n" for one in translations)
                line += 1
            out.flush()
            if bar:
                bar.update(len(sentences))
    if line:
        say_coverage(coverage)
    else:
        warn(f"{given.name} is empty; nothing was translated")


def _json_row(line: int, translation: "Translation") -> str:
    fields = {"line": line} | translation._asdict() | {"score": round(translation.score, 4)}
    del fields["ids"]  # which only this program understands
    return json.dumps(fields, ensure_ascii=False)
