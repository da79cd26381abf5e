"""Translation memories in TMX: units with one variant for each language."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from attnmt.corpora.elements import Element, xml_texts
from attnmt.corpora.language_codes import tags_meant
from attnmt.errors import InputError

# Elements in a segment whose text is code of a program and not of the language.
_CODE = {"bpt", "ept", "it", "ph", "ut", "sub"}


def memory_pairs(
    path: Path, codes: tuple[str, str]
) -> tuple[Iterator[tuple[str, str]], str | None]:
    """Return the pairs of two languages, read one by one, and a note about units that lack one of them.

    White space in texts becomes one space. The file is read twice, because its last unit may have a tag
    that fits a code better.

    Raises:
        InputError: if the file is not XML, if it has several variants of a language and none of them is
            the one that was asked for, or if no unit has both languages.
    """
    kinds = Counter(tuple(unit) for unit in _units(path))  # units by their tags
    counts = Counter[str]()
    for tags, count in kinds.items():
        counts.update(dict.fromkeys(tags, count))
    known = [tag for tag, _ in counts.most_common()]
    meant = [tags_meant(code, known, path) for code in codes]
    lacking = sum(n for tags, n in kinds.items() if not all(set(tags) & set(one) for one in meant))
    if lacking == kinds.total():
        shown = ", ".join(f"{tag} ({count:,})" for tag, count in counts.most_common()) or "none"
        raise InputError(
            f"{path}: no unit in both {codes[0]!r} and {codes[1]!r}; it has {shown}. Call the languages "
            f"so: --languages CODE CODE"
        )

    def pairs() -> Iterator[tuple[str, str]]:
        for unit in _units(path):
            one, other = (next((unit[tag] for tag in tags if tag in unit), "") for tags in meant)
            if one and other:
                yield one, other

    if not lacking:
        return pairs(), None
    what = f"{lacking:,} of {kinds.total():,} units have no text in"
    return pairs(), f"{path}: {what} {' or '.join(map('/'.join, meant))} and are left out"


def _units(path: Path) -> Iterator[dict[str, str]]:
    """Yield each unit's texts by language tag, such as en-US; the first counts if one comes twice."""
    unit: dict[str, str] = {}
    at: Element | None = None  # where the unit begins
    for segment in xml_texts(path, ["seg"], without=_CODE, breaks=["ph"]):
        if segment.around.get("tu") is not at:
            if at:
                yield unit
            unit, at = {}, segment.around.get("tu")
        variant = segment.around["tuv"].attributes if "tuv" in segment.around else {}
        if segment.text:
            unit.setdefault(variant.get("xml:lang") or variant.get("lang") or "", segment.text)
    if at:
        yield unit
