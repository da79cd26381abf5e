"""Tables inside README.md, between markers, so that no number there is typed by hand."""

import re

from attnmt.errors import InputError

MARKER = re.compile(r"<!-- (?P<marker>(?P<table>\w+):(?P<experiment>\w+)) -->")


def readme_with_table(readme: str, table: str, marker: str) -> str:
    """Return ``readme`` with ``table`` between ``<!-- marker -->`` and ``<!-- /marker -->``.

    Raises:
        InputError: if the two markers are not there once each, in this order.
    """
    start, end = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    once = readme.count(start) == readme.count(end) == 1
    if not once or readme.index(start) > readme.index(end):
        raise InputError(f"README.md: {start} and, below it, {end} must stand there once each")
    before, rest = readme.split(start)
    after = rest.split(end)[1]
    return f"{before}{start}\n{table.strip()}\n{end}{after}"


def markers(readme: str) -> list[tuple[str, str, str]]:
    """Return (marker, table, experiment) of every opening marker: (table1:demo, table1, demo)."""
    return [(m["marker"], m["table"], m["experiment"]) for m in MARKER.finditer(readme)]
