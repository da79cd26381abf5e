"""The files that a person gives to ``attnmt new``: text, its languages, and gold links."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from attnmt.config import LINKS, Language, Languages
from attnmt.corpora.language_codes import language_code, language_name
from attnmt.corpora.links import format_links, read_gold
from attnmt.corpora.parallel import Files, reference_suffixes
from attnmt.corpora.plain import Codes, plain_set
from attnmt.corpora.writing import tokenized_already
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines
from attnmt.planning.proposal import propose_language

GOLD = "gold"  # the set of the gold links, whose text is tokenized already
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
        source, target = (Language(code=code, name="?", tokenize="none") for code in codes)
        Languages(source=source, target=target)
    except ValidationError as error:
        place = "--languages" if languages else f"{train[0]} and {train[1]}"
        raise InputError(f"{place}: {error.errors()[0]['msg']}; {GIVE_CODES}") from None
    return codes


def _suffix(file: Path) -> str:
    """Return the code of a language that ends a file's name: fr for corpus.fr.gz."""
    return Path(file.name.removesuffix(".gz")).suffix.removeprefix(".")


def held_out_files(
    dev: Files | None, tests: Sequence[Path], hold_out: int | None
) -> dict[str, Files]:
    """Return the files of dev and of each test set: test, test2, test3; none with ``hold_out``.

    Raises:
        InputError: if files are missing, or are given beside ``hold_out``.
    """
    pairs = list(zip(tests[::2], tests[1::2], strict=True))
    for option, given in {"--dev": dev, "--test": pairs}.items():
        if given and hold_out:
            raise InputError(f"--hold-out: {option} is given, too; give only one of the two")
        if not given and not hold_out:
            raise InputError(f"{option}: no files; give them, or --hold-out")
    names = ["test", *(f"test{number}" for number in range(2, len(pairs) + 1))]
    return ({"dev": dev} if dev else {}) | dict(zip(names, pairs, strict=False))


def read_sets(
    given: Mapping[str, Files], codes: Codes, references: Sequence[Path], folder: Path
) -> dict[str, dict[str, Path]]:
    """Return the files of each set as plain lines, by suffix.

    Args:
        given: the source file and the target file of each set.
        references: further references of the set ``test``.
        folder: where files are written that are not plain lines.

    Raises:
        InputError: if a file cannot be read, or its name says the other side's language.
    """
    sets: dict[str, dict[str, Path]] = {}
    suffixes = reference_suffixes(codes[1:])
    if len(references) > len(suffixes):
        raise InputError(f"--reference: give at most {len(suffixes)}")
    for key, two in given.items():
        for file, own, other in zip(two, codes, codes[::-1], strict=True):
            if language_code(_suffix(file)) == other:
                raise InputError(f"{file}: its name says {other!r}, and {own!r} is expected here")
        files = dict(zip(codes, two, strict=True))
        if key == "test":
            files |= dict(zip(suffixes, references, strict=False))
        (folder / key).mkdir()
        sets[key] = plain_set(files, codes, folder / key)
    return sets


def read_gold_set(
    gold: tuple[Path, Path, Path], codes: Codes, flip: bool, folder: Path
) -> dict[str, Path]:
    """Return the files of tokenized text and its gold links, by suffix; links as Pharaoh's.

    Raises:
        InputError: if links cannot be read, or lie outside of the words between the text's spaces.
    """
    *texts, path = gold
    counts = [[len(line.split()) for line in iter_lines(text)] for text in texts]
    links = read_gold(path, codes, list(zip(*counts, strict=False)), flip)
    written = folder / LINKS
    write_lines(written, (format_links(*line) for line in links))
    return dict(zip(codes, texts, strict=True)) | {LINKS: written}


def languages_of(train: Files, codes: Codes) -> Languages:
    """Return the languages of a training text, each with the rule that is proposed for it."""
    source, target = (
        propose_language(code, _spread(file)) for code, file in zip(codes, train, strict=True)
    )
    return Languages(source=source, target=target)


def doubts(pair: Languages, held_out: Mapping[str, Files]) -> list[str]:
    """Say which code is unknown, and which set is tokenized where the training text is not, or not."""
    said = []
    for at, side in enumerate((pair.source, pair.target)):
        if language_name(language_code(side.code)) is None:
            said.append(
                f"no language is known by the code {side.code!r}; its text decides its tokens"
            )
        tokenized = side.tokenize == "none"
        for key, files in held_out.items():
            if tokenized_already(_spread(files[at])) not in (None, tokenized):
                said.append(f"{key}.{side.code} and the training text are not tokenized alike")
    return said


def _spread(file: Path) -> Iterator[str]:
    """Return evenly spread lines of a file: at least ``LOOKED_AT``, or all if it has fewer."""
    lines = sum(1 for _ in iter_lines(file))
    return islice(iter_lines(file), 0, None, max(1, lines // LOOKED_AT))
