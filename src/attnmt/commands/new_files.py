"""The files that a person gives to ``attnmt new``: text in any form, its languages, and gold links."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from attnmt.config import LINKS, Language, Languages
from attnmt.corpora.language_codes import language_code, language_name
from attnmt.corpora.links import GoldLinks, Words, format_links, is_rwth, read_gold
from attnmt.corpora.parallel import Files, reference_suffixes
from attnmt.corpora.plain import Codes, has_suffix, plain_set
from attnmt.corpora.writing import tokenized_already
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines, write_lines
from attnmt.files.yaml_file import explained
from attnmt.planning.proposal import propose_language
from attnmt.text.tokenizer import tokenizer

TEST = "test"  # the set that further references and links belong to
GIVE_CODES = "give the codes of the two languages, as in --languages fr en"
# Pairs that are proposed for each of dev and test: a tenth of the text, and at most a thousand
SHARE, HOLD_OUT = 10, 1000
ROLES = {"src", "tgt", "trg", "source", "target", "ref", "in", "out"}  # suffixes that name a side
LOOKED_AT = 1000  # at least so many evenly spread lines of a longer text decide how it is written


def given_codes(train: Files, codes: tuple[str, str] | None) -> Codes:
    """Return the codes of the two languages, by default those of the training files' suffixes.

    Other codes of a language, such as ``eng``, become the usual one, such as ``en``.

    Raises:
        InputError: if they are no codes, or are the same.
    """
    if codes is None:
        _refuse_suffixes(train)
    given = codes or (_suffix(train[0]), _suffix(train[1]))
    usual = language_code(given[0]), language_code(given[1])
    # Two ways to write one language, such as zh-Hans and zh-Hant, stay apart.
    chosen = usual if usual[0] != usual[1] else (_as_suffix(given[0]), _as_suffix(given[1]))
    try:
        sides = [Language(code=code, name=code or "?", tokenize="none") for code in chosen]
        Languages(source=sides[0], target=sides[1])
    except ValidationError as error:
        details = error.errors()[0]
        _, why = explained(details, Languages)
        if details["type"] == "string_pattern_mismatch":
            why = f"{details['input']!r} is no code; a code has letters, digits and _"
        place = "--languages" if codes else f"{train[0]} and {train[1]}"
        raise InputError(f"{place}: {why}; {GIVE_CODES}") from None
    return chosen


def _refuse_suffixes(train: Files) -> None:
    """Refuse training files whose suffixes do not say what the languages are.

    Raises:
        InputError: if a file has no suffix, or both have one that no language has as its code.
    """
    for file in train:
        if not _suffix(file):
            raise InputError(
                f"{file}: its name has no suffix that says its language, as corpus.fr has; {GIVE_CODES}"
            )
    source, target = map(_suffix, train)
    if {source, target} <= ROLES and source != target:  # some are codes of small languages, too
        raise InputError(
            f"{train[0]} and {train[1]}: their suffixes name no languages; {GIVE_CODES}"
        )
    if source == target and language_name(language_code(source)) is None:
        files = " and ".join(dict.fromkeys(map(str, train)))
        raise InputError(f"{files}: .{source} is no language's code; {GIVE_CODES}")


def _as_suffix(code: str) -> str:
    """Return a code as it may end a file's name here."""
    return code.replace("-", "_")


def _suffix(file: Path) -> str:
    """Return the code of a language that ends a file's name: fr for corpus.fr.gz."""
    return Path(file.name.removesuffix(".gz")).suffix.removeprefix(".")


def held_out_files(
    train: Files, dev: Files | None, tests: Sequence[Path], hold_out: int | None
) -> dict[str, Files]:
    """Return the files of dev and of each test set; none if they are taken out of the training text.

    Several test sets are called test, test2, test3.

    Args:
        train: the training text, for the number of pairs that a message proposes to hold out.

    Raises:
        InputError: if files are missing, or are given beside ``hold_out``.
    """
    pairs = list(zip(tests[::2], tests[1::2], strict=True))
    for key, given in {"dev": dev, TEST: pairs}.items():
        if not given and not hold_out:
            other_way = "" if dev or tests else _or_hold_out(train)
            raise InputError(f"--{key}: no files; give them{other_way}")
        if given and hold_out:
            raise InputError(f"--hold-out: --{key} is given, too; give only one of the two")
    names = (f"{TEST}{number if number > 1 else ''}" for number in count(1))
    return ({"dev": dev} if dev else {}) | dict(zip(names, pairs, strict=False))


def _or_hold_out(train: Files) -> str:
    """Say how to take pairs out of a training text, if it has enough of them."""
    if has_suffix(train[0], ".sgm"):  # it has other lines than pairs
        return ""
    number = sum(1 for _ in islice(iter_lines(train[0]), HOLD_OUT * SHARE)) // SHARE
    return f", or take pairs out of the training text with --hold-out {number}" if number else ""


def read_sets(
    given: Mapping[str, Files], codes: Codes, references: Sequence[Path], folder: Path
) -> dict[str, dict[str, Path]]:
    """Return the files of each set as plain lines, by their suffixes.

    Args:
        given: the source file and the target file of each set.
        references: further references of the first test set.
        folder: where files are written that are not plain lines.

    Raises:
        InputError: if a file cannot be read, or there are too many references.
    """
    suffixes = reference_suffixes([codes[1]])
    if len(references) > len(suffixes):
        raise InputError(
            f"--reference: give at most {len(suffixes)} in addition to the one of --test"
        )
    sets = {}
    for key, two in given.items():
        _refuse_exchanged(two, codes)
        files = dict(zip(codes, two, strict=True))
        if key == TEST:
            files |= dict(zip(suffixes, references, strict=False))
        (folder / key).mkdir()
        sets[key] = plain_set(files, codes, folder / key)
    return sets


def _refuse_exchanged(files: Files, codes: Codes) -> None:
    """Refuse a file whose suffix is the code of the other side."""
    for file, own, other in zip(files, codes, codes[::-1], strict=True):
        if language_code(_suffix(file)) == other != own:
            raise InputError(
                f"{file}: its name says that it is in {other!r}, and the text of {own!r} is expected "
                f"here; exchange the two files, or rename them"
            )


class GivenLinks(NamedTuple):
    """A file of links in Pharaoh's format, and what they count.

    Attributes:
        tokenized: whether they count the words between spaces, which are not the language's tokens.
    """

    path: Path
    tokenized: bool
    notes: list[str]


def read_given_links(
    path: Path, sides: Files, pair: Languages, flip: bool, folder: Path
) -> GivenLinks:
    """Check gold links against the words of a test set, and write them as Pharaoh's if they are not.

    Links count the words of somebody's tokenizer: ours, or one that has put spaces between them. If they
    fit both, those words count of which more last ones have a link.

    Args:
        sides: the text, plain lines.
        folder: where links are written.

    Raises:
        InputError: if links cannot be read, or fit neither.
    """
    texts = [list(iter_lines(side)) for side in sides]
    languages = (pair.source, pair.target)
    rules = [tokenizer(side, split_hyphens=False).tokenize for side in languages]
    counts = {False: _word_counts(texts, rules), True: _word_counts(texts, [str.split, str.split])}
    fits: dict[bool, list[GoldLinks]] = {}
    for spaced, words in counts.items():
        with suppress(InputError):
            fits[spaced] = read_gold(path, pair.codes, words, flip)
    if not fits:
        read_gold(path, pair.codes, counts[False], flip)  # which raises why
    tokenized = max(fits, key=lambda one: (_linked_ends(fits[one], counts[one]), not one))
    notes = []
    if tokenized:
        if spaceless := [side.code for side in languages if side.tokenize == "characters"]:
            raise InputError(
                f"{path}: the links count words, but the tokens of {spaceless[0]!r} are characters; "
                f"give training text with spaces between words, too"
            )
        notes.append(
            f"{path}: the links count the words between spaces and not our tokens, so their text is a "
            f"set of its own that is not tokenized again"
        )
    if flip or is_rwth(path):
        path = folder / LINKS
        write_lines(path, (format_links(*line) for line in fits[tokenized]))
    return GivenLinks(path, tokenized, notes)


def _word_counts(
    texts: Sequence[Sequence[str]], rules: Sequence[Callable[[str], list[str]]]
) -> list[tuple[int, int]]:
    counts = ([len(rule(line)) for line in text] for rule, text in zip(rules, texts, strict=True))
    return list(zip(*counts, strict=True))


def _linked_ends(links: list[GoldLinks], words: Words) -> int:
    """Return how many sentences, on both sides, have a link of their last word."""
    ends = 0
    for line, (source, target) in zip(links, words, strict=True):
        ends += any(i == source - 1 for i, _ in line.possible)
        ends += any(j == target - 1 for _, j in line.possible)
    return ends


def languages_of(train: Files, codes: Codes) -> Languages:
    """Return the languages of a training text, each with the rule that is proposed for it."""
    source, target = (
        propose_language(code, _spread(file)) for code, file in zip(codes, train, strict=True)
    )
    return Languages(source=source, target=target)


def doubts(pair: Languages, held_out: Mapping[str, Files], given: Mapping[str, Files]) -> list[str]:
    """Say what may be wrong with the languages, and with held-out sets beside the training text.

    Args:
        held_out: the files as plain lines.
        given: the files that a person gave.
    """
    said = []
    for at, side in enumerate((pair.source, pair.target)):
        if language_name(language_code(side.code)) is None:
            said.append(
                f"no language is known by the code {side.code!r}, so only the text decides its tokens; "
                f"if the language has a code, give it, as in --languages fr en"
            )
        tokenized = side.tokenize == "none"
        for key, files in held_out.items():
            if tokenized_already(_spread(files[at])) not in (None, tokenized):
                said.append(
                    f"{given[key][at]} is {'not ' * tokenized}tokenized, and the training text is"
                    f"{' not' * (not tokenized)}; give all sets in one form"
                )
    return said


def _spread(file: Path) -> Iterator[str]:
    """Return evenly spread lines of a file: at least ``LOOKED_AT``, or all if it has fewer."""
    lines = sum(1 for _ in iter_lines(file))
    return islice(iter_lines(file), 0, None, max(1, lines // LOOKED_AT))
