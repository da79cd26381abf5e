"""How much of a text comes back when it is tokenized and detokenized, for many languages.

    python -m benchmarks.ceilings FOLDER  # measure the texts in a folder, then the page
    python -m benchmarks.ceilings page    # put the results into docs/languages.md

A translation can be no better than this: it is the score of a system that writes each reference, token
by token. FOLDER has a file <code>.gz for each language, one sentence a line. Ours were the first 200
lines of FLORES-101's devtest (Goyal et al. 2022).
"""

import sys
from pathlib import Path

from sacremoses import MosesDetokenizer, MosesTokenizer

from attnmt.config import Language, Rule
from attnmt.corpora.language_codes import language_code
from attnmt.corpora.normal_form import normalized
from attnmt.corpora.writing import written_without_spaces
from attnmt.errors import InputError
from attnmt.files.csv_file import CsvLine, read_csv, write_csv
from attnmt.files.text_file import read_lines, read_text, write_text
from attnmt.planning.proposal import propose_language
from attnmt.reporting.readme_table import page_with_table
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.text.moses import languages
from attnmt.text.tokenizer import tokenizer
from benchmarks.page import RESULTS, table

FILE = RESULTS / "ceilings.csv"
AGAIN = "measure again"
PAGE = Path("docs/languages.md")
SHOWN = (
    *("eng", "deu", "fra", "ces", "fin", "kor", "zho_simpl", "jpn", "tha", "khm"),
    *("fas", "vie", "yor", "ukr", "uzb", "cat", "tur", "ara", "heb", "amh"),
)


class Ceiling(CsvLine):
    """What comes back of a language's text."""

    file: str
    name: str
    code: str
    lines: int
    rule: Rule
    sacrebleu: float  # of the text that came back, as a report scores translations
    same: int  # lines that came back exactly
    as_written: float  # sacrebleu against the text before it was brought into one form
    moses: float | None  # sacrebleu by the rules of Moses, where there are some
    moses_same: int | None
    sacremoses: float  # sacrebleu of sacremoses' own tokenizer and detokenizer, told the language
    sacremoses_same: int


def measure(file: Path) -> Ceiling:
    """Send a text there and back, by the rule that ``attnmt new`` proposes and by others."""
    name = file.name.removesuffix(".gz")
    raw = read_lines(file)
    lines = [" ".join(normalized(line).split()) for line in raw]
    language = propose_language(language_code(name), raw)
    characters = written_without_spaces(lines)

    def sacrebleu(text: list[str], against: list[str]) -> float:
        references = References(against, characters=characters)
        return round(METRICS["sacrebleu"].value(text, references), 2)

    def same(text: list[str]) -> int:
        return sum(a == b for a, b in zip(text, lines, strict=True))

    def by(rule: Rule) -> list[str]:
        ours = tokenizer(Language(code=language.code, name=name, tokenize=rule), False)
        return [ours.detokenize(ours.tokenize(line)) for line in raw]

    there, back = MosesTokenizer(lang=language.code), MosesDetokenizer(lang=language.code)
    theirs = [back.detokenize(there.tokenize(line)) for line in lines]
    moses = by("moses") if language.code in languages() else None
    ours = by(language.tokenize)
    return Ceiling(
        file=name,
        name=language.name,
        code=language.code,
        lines=len(lines),
        rule=language.tokenize,
        sacrebleu=sacrebleu(ours, lines),
        same=same(ours),
        as_written=sacrebleu(ours, raw),
        moses=sacrebleu(moses, lines) if moses else None,
        moses_same=same(moses) if moses else None,
        sacremoses=sacrebleu(theirs, lines),
        sacremoses_same=same(theirs),
    )


def page(ceilings: list[Ceiling]) -> str:
    """Return the table of the shown languages, and a sentence about the others."""
    by_file = {one.file: one for one in ceilings}
    rows = [
        [
            one.name,
            one.rule,
            f"{one.sacrebleu:.1f}",
            f"{one.same / one.lines:.0%}",
            f"{one.as_written:.1f}",
            "-" if one.moses is None else f"{one.moses:.1f}",
            f"{one.sacremoses:.1f}",
            f"{one.sacremoses_same / one.lines:.0%}",
        ]
        for file in SHOWN
        if (one := by_file.get(file))
    ]
    counted = ["ceiling", "lines back", "as written", "moses", "sacremoses", "its lines back"]
    shown = table(["language", "rule", *counted], rows, texts=2)
    others = [one for one in ceilings if one.file not in SHOWN]
    if not others:
        return shown
    lowest = min(others, key=lambda one: one.sacrebleu)
    said = (
        f"{len(others)} other languages of FLORES-101 were measured, too "
        f"([ceilings.csv](../benchmarks/results/{FILE.name})). The lowest of their ceilings is "
        f"{lowest.sacrebleu:.1f}."
    )
    return f"{shown}\n\n{said}"


def main(what: str) -> None:
    """Measure the texts of a folder unless only the page is asked for; bring the page up to date."""
    if what != "page":
        files = sorted(Path(what).glob("*.gz"))
        if not files:
            raise InputError(f"{what}: no files <code>.gz, one sentence a line")
        known = read_csv(FILE, Ceiling, AGAIN) if FILE.exists() else []
        measured = {one.file: one for one in [*known, *map(measure, files)]}
        write_csv(FILE, Ceiling, [measured[file] for file in sorted(measured)])
    ceilings = read_csv(FILE, Ceiling, AGAIN)
    text = page_with_table(read_text(PAGE, "utf-8"), page(ceilings), "results:ceilings", PAGE)
    write_text(PAGE, text)


if __name__ == "__main__":
    main(sys.argv[1])
