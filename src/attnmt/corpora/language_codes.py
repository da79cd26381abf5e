"""What the codes of languages mean: ``deu``, ``ger``, ``de_DE`` and ``de-AT`` are all ``de``.

The knowledge is Unicode's CLDR, which Babel carries.
"""

import re
from functools import cache

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
