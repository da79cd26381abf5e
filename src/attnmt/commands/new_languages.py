"""How the text given to ``attnmt new`` is written: its languages, their rules, and what is doubtful."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

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
        propose_language(code, _spread(file)) for code, file in zip(codes, train, strict=True)
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
            if tokenized_already(_spread(files[at])) != tokenized:
                said.append(
                    f"{files[at]} is {'not ' * tokenized}tokenized, and the training text is"
                    f"{' not' * (not tokenized)}; give all sets in one form"
                )
    return said


def _spread(file: Path) -> Iterator[str]:
    """Return evenly spread lines of a file: at least ``LOOKED_AT``, or all if it has fewer."""
    lines = sum(1 for _ in iter_lines(file))
    return islice(iter_lines(file), 0, None, max(1, lines // LOOKED_AT))
