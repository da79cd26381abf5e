"""How the text given to ``attnmt new`` is written: its languages, their rules, and what is doubtful."""

from collections.abc import Iterable, Mapping

from attnmt.config import Languages
from attnmt.corpora.language_codes import language_code, language_name
from attnmt.corpora.parallel import Files
from attnmt.corpora.plain import Codes
from attnmt.corpora.writing import tokenized_already
from attnmt.files.text_file import iter_lines
from attnmt.planning.proposal import propose_language

LOOKED_AT = 1000  # at least so many evenly spread lines of a longer text decide how it is written


def languages_of(train: Files, codes: Codes) -> Languages:
    """Return the languages of a training text, each with the rule that is proposed for it."""
    source, target = (
        propose_language(code, _spread(iter_lines(file)))
        for code, file in zip(codes, train, strict=True)
    )
    return Languages(source=source, target=target)


def doubts(pair: Languages, held_out: Mapping[str, Files]) -> list[str]:
    """Say what may be wrong with the languages, and with held-out sets beside the training text."""
    said = []
    for at, side in enumerate((pair.source, pair.target)):
        if language_name(language_code(side.code)) is None:
            said.append(
                f"no language is known by the code {side.code!r}, so only the text decides its tokens; "
                f"if the language has a code, give it, as in --languages fr en"
            )
        tokenized = side.tokenize == "none"
        for files in held_out.values():
            if tokenized_already(_spread(iter_lines(files[at]))) != tokenized:
                said.append(
                    f"{files[at]} is {'not ' * tokenized}tokenized, and the training text is"
                    f"{' not' * (not tokenized)}; give all sets in one form"
                )
    return said


def _spread(lines: Iterable[str]) -> list[str]:
    """Return evenly spread lines, fewer than twice ``LOOKED_AT``."""
    kept: list[str] = []
    every = 1
    for number, line in enumerate(lines):
        if number % every == 0:
            kept.append(line)
        if len(kept) == 2 * LOOKED_AT:
            kept, every = kept[::2], 2 * every
    return kept
