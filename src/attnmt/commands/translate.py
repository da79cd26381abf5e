"""``attnmt translate``."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from tqdm import tqdm

from attnmt.commands.options import Experiment
from attnmt.config import DEMO, load_params, params_file
from attnmt.corpora.links import format_links
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_path, check_place
from attnmt.files.text_file import decode_lines, iter_lines

if TYPE_CHECKING:
    from attnmt.decoding.text_translator import Translation

CHUNK = 1024  # lines that are sorted by length and translated together; many make good batches


class Format(StrEnum):
    """How translations are written."""

    TEXT = "text"
    JSON = "json"


def translate(
    text: Annotated[
        list[str] | None, typer.Argument(help="Sentences; otherwise --input or standard input.")
    ] = None,
    experiment: Experiment = DEMO,
    model: Annotated[
        str | None,
        typer.Option(
            help="A model or an ensemble. The default is the English-German model of the first family "
            "with the lowest perplexity on the dev set."
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--input", "-i", help="A file, one sentence per line, or a .gz.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file. It appears only when it is complete."),
    ] = None,
    beam: Annotated[
        int | None, typer.Option(min=1, help="Width of the search; otherwise the experiment's.")
    ] = None,
    n_best: Annotated[
        int, typer.Option(min=1, help="The number of translations of each sentence, at most.")
    ] = 1,
    form: Annotated[
        Format,
        typer.Option("--format", help="Columns with tabs between them, or JSON with everything."),
    ] = Format.TEXT,
    scores: Annotated[bool, typer.Option("--scores", help="Add log p as a column.")] = False,
    alignments: Annotated[
        bool,
        typer.Option("--alignments", help="Add links of tokens as a column, source-target from 0."),
    ] = False,
    replace: Annotated[
        bool, typer.Option(help="Replace unknown words, or leave them as <unk>.")
    ] = True,
) -> None:
    """Translate plain text: sentences given here, a file, or standard input, line by line.

    The text is prepared like the model's training text, and the output is plain text. An empty line
    stays empty. With --n-best above 1, each translation follows the number of its line, from 0.
    JSON has one object for each translation: line, text, words, replaced, source, links, score (log p).

    Examples:

    attnmt translate "The old house is small." --alignments

    attnmt translate --input news.en --output news.de --model ensemble

    attnmt translate --n-best 5 --format json < news.en > news.jsonl
    """
    params = load_params(params_file(experiment))
    if model is not None:
        params.translators(model)
    if text and source is not None:
        raise InputError("--input: text is given, too; give only one of the two")
    if not text and source is None and sys.stdin.isatty():
        raise InputError('nothing to translate; try attnmt translate "A house." or --help')
    if output is not None:
        check_place(output)
    # Read a file through before the models are loaded, so that its faults are reported first.
    lines, total = _lines(text, source), len(text) if text else None
    if source is not None:
        total = sum(1 for _ in _lines(text, source))

    import torch  # imported here, because it takes seconds, and --help must be fast

    from attnmt.decoding.best import best_model
    from attnmt.decoding.pipeline import load_pipeline

    torch.set_num_threads(params.machine.decode_threads)
    pipeline = load_pipeline(params, model or best_model(params), beam=beam, n_best=n_best)

    def row(line: int, translation: "Translation") -> str:
        plain = translation.text if replace else pipeline.plain(translation.words)
        if form is Format.JSON:
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
        shown = output is not None or not out.isatty()  # no bar between lines on a terminal
        hidden = None if shown else True
        bar = tqdm(desc="lines", total=total, unit="line", disable=hidden, delay=1)
        stack.enter_context(bar)
        line = 0
        while chunk := list(islice(lines, CHUNK)):
            for translations in pipeline.translate(chunk):
                out.writelines(f"{row(line, t)}\n" for t in translations)
                line += 1
            out.flush()
            bar.update(len(chunk))


def _lines(text: list[str] | None, source: Path | None) -> Iterator[str]:
    if text:
        return decode_lines(map(os.fsencode, text), "text")
    if source is not None:
        return iter_lines(source, may_be_blank=True)
    return decode_lines(sys.stdin.buffer, "standard input")


def _json_row(line: int, translation: "Translation", plain: str) -> str:
    fields = {
        "line": line,
        "text": plain,
        "words": translation.words,
        "replaced": translation.replaced,
        "source": translation.source,
        "links": translation.links,
        "score": round(translation.score, 4),
    }
    return json.dumps(fields, ensure_ascii=False)
