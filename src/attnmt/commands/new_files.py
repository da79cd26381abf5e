"""The files that a person gives to ``attnmt new``: text and its languages."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from attnmt.config import Language, Languages
from attnmt.corpora.language_codes import language_code, language_name
from attnmt.corpora.own_text import compared
from attnmt.corpora.parallel import Files
from attnmt.corpora.plain import Codes, plain_set
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines
from attnmt.planning.proposal import propose_language

GIVE_CODES = "give the codes of the two languages, as in --languages fr en"
ROLES = {"src", "tgt", "trg", "ref", "in", "out"}  # suffixes that name a side; some are codes, too
LOOKED_AT = 1000  # at least so many evenly spread lines of a longer text decide how it is written


def given_codes(train: Files, languages: Codes | None) -> Codes:
    """Return the usual codes of the two languages, by default those of the files' suffixes.

    Raises:
        InputError: if they are no codes, or are the same.
    """
    given = languages or (_suffix(train[0]), _suffix(train[1]))
    usual = language_code(given[0]), language_code(given[1])
    for file, own, code in zip(train, given, usual, strict=True):
        if not languages and (own in ROLES or language_name(code) is None):
            raise InputError(f"{file}: its name ends in no language's code; {GIVE_CODES}")
    # Two ways to write one language, such as zh-Hans and zh-Hant, stay apart.
    same = usual[0] == usual[1]
    codes = (given[0].replace("-", "_"), given[1].replace("-", "_")) if same else usual
    try:
        source, target = (Language(code=code, name=code, tokenize="none") for code in codes)
        Languages(source=source, target=target)
    except ValidationError as error:
        place = "--languages" if languages else f"{train[0]} and {train[1]}"
        raise InputError(f"{place}: {error.errors()[0]['msg']}; {GIVE_CODES}") from None
    return codes


def _suffix(file: Path) -> str:
    """Return the code of a language that ends a file's name: fr for corpus.fr.gz."""
    return Path(file.name.removesuffix(".gz")).suffix.removeprefix(".")


def read_sets(given: Mapping[str, Files], codes: Codes, folder: Path) -> dict[str, dict[str, Path]]:
    """Return the files of each set as plain lines, by suffix.

    Raises:
        InputError: if a file cannot be read, or its name says the other side's language.
    """
    sets: dict[str, dict[str, Path]] = {}
    for key, two in given.items():
        for file, own, other in zip(two, codes, codes[::-1], strict=True):
            if language_code(_suffix(file)) == other:
                raise InputError(f"{file}: its name says {other!r}, and {own!r} is expected here")
        (folder / key).mkdir()
        sets[key] = plain_set(dict(zip(codes, two, strict=True)), codes, folder / key)
    return sets


def repeated_sources(train: Path, *others: Path) -> int:
    """Return how many training sentences are also a source sentence of another set."""
    sources = {compared(line) for path in others for line in iter_lines(path)}
    return sum(compared(line) in sources for line in iter_lines(train))


def languages_of(train: Files, codes: Codes) -> Languages:
    """Return the languages of a training text, each with the rule that is proposed for it."""
    source, target = (
        propose_language(code, _spread(file)) for code, file in zip(codes, train, strict=True)
    )
    return Languages(source=source, target=target)


def _spread(file: Path) -> Iterator[str]:
    """Return evenly spread lines of a file: at least ``LOOKED_AT``, or all if it has fewer."""
    lines = sum(1 for _ in iter_lines(file))
    return islice(iter_lines(file), 0, None, max(1, lines // LOOKED_AT))
