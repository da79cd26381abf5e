"""The codes of languages that data sets use: ``deu``, ``ger``, ``de_DE`` and ``de-AT`` are all ``de``.

``languages.csv`` has for each language its code, its English name and its other codes, with those of
countries that are taken for languages (``cz``, ``jp``).
"""

import csv
import re
from functools import cache
from pathlib import Path


def language_code(code: str) -> str:
    """Return the code by which the table knows a language, or ``code`` itself if it does not know it."""
    codes, _ = _table()
    return codes.get(re.split("[-_.]", code.lower())[0], code)


def language_name(code: str) -> str | None:
    """Return the English name of the language with a code of the table; None without a name."""
    _, names = _table()
    return names.get(code)


@cache
def _table() -> tuple[dict[str, str], dict[str, str]]:
    """Return the table's code for each code, and the name for each of the table's codes."""
    with Path(__file__).with_name("languages.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    codes = {other: row["code"] for row in rows for other in row["others"].split()}
    names = {row["code"]: row["name"] for row in rows}
    return codes | {code: code for code in names}, names
