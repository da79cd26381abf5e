"""Which of a file's language tags, such as zh-Hant and en-GB, is meant by a language's code."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from attnmt.corpora.language_codes import language_code
from attnmt.errors import InputError


def tags_meant(code: str, tags: Iterable[str], path: Path) -> list[str]:
    """Return the tags that mean a language; more than one only if they differ in their spelling.

    A tag that is the code itself is meant, and else the only one that fits it: de-AT for de, but not
    zh-Hans for zh_Hant.

    Raises:
        InputError: if several fit.
    """
    spelled: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for tag in tags:
        spelled[_parts(tag)].append(tag)
    wanted = _parts(code)
    fitting = [parts for parts in spelled if parts == wanted] or [
        parts for parts in spelled if _fits(parts, wanted)
    ]
    if len(fitting) > 1:
        variants = [tag for parts in fitting for tag in spelled[parts]]
        raise InputError(
            f"{path}: {code!r} may mean {', '.join(variants)}; ask for one of these, or call the one "
            f"that you mean {code!r} in the file"
        )
    return [tag for parts in fitting for tag in spelled[parts]]


def _parts(tag: str) -> tuple[str, ...]:
    """Return the language and what narrows it, such as script and country."""
    _, *rest = tag.lower().replace("_", "-").split("-")
    return language_code(tag).lower().replace("_", "-"), *rest


def _fits(parts: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Return whether two tags are of one language and only one of them narrows it further."""
    (language, *narrow), (other, *asked) = parts, wanted
    return language == other and (set(narrow) <= set(asked) or set(asked) <= set(narrow))
