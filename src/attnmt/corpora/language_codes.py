"""What the codes and tags of languages mean: ``deu``, ``ger``, ``de_DE`` and ``de-AT`` are all ``de``.

The knowledge is Unicode's CLDR, which Babel carries.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from attnmt.errors import InputError

# Two letters that are taken for a language's code and are none: of countries, and withdrawn ones.
_MEANT = {
    "cz": "cs", "dk": "da", "gr": "el", "jp": "ja", "cn": "zh", "ua": "uk",
    "iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro", "sh": "sr", "tl": "fil",
}  # fmt: skip


@cache
def language_code(code: str) -> str:
    """Return the code by which CLDR knows a language, or ``code`` itself if it does not know it."""
    if re.fullmatch("[a-z]{2}", code) and code not in _MEANT:
        return code
    main = re.split("[-_.]", code.lower())[0]
    main = _MEANT.get(main, main)
    if len(main) > 2:
        from babel.core import get_global  # here, because most codes have two letters

        main = str(get_global("language_aliases").get(main, main)).partition("_")[0]
    return main if language_name(main) else code


@cache
def language_name(code: str) -> str | None:
    """Return the English name of a language by the code that CLDR has for it; None without a name."""
    from babel import Locale  # here, because trained models need no names

    name: str | None = Locale("en").languages.get(code)
    return name


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
