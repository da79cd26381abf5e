"""A drawing by matplotlib as an SVG element that shares a page with others."""

from collections.abc import Mapping
from xml.etree import ElementTree

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
HREF = f"{{{XLINK}}}href"


def inline_svg(
    text: str, prefix: str, keys: Mapping[str, str], colors: Mapping[str, str], label: str
) -> str:
    """Return the root element of an SVG file, ready to stand in a page.

    Args:
        text: the file's content.
        prefix: put before every id, so that no two drawings of a page share one.
        keys: the ``data-series`` of elements, by their ids; a script finds the elements by it.
        colors: the CSS color that takes the place of each color.
        label: what the drawing shows, for people who listen to the page.

    Raises:
        KeyError: if the drawing lacks an id of ``keys``.
    """
    root = ElementTree.fromstring(text)
    _drop_what_reaches_the_page(root)
    by_id = {element.get("id"): element for element in root.iter() if element.get("id")}
    for id_, key in keys.items():
        by_id[id_].set("data-series", key)
    for element in root.iter():
        for key, value in element.items():
            element.set(key, _for_page(key, value, prefix, colors))
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib |= {"role": "img", "aria-label": label}
    root.attrib["style"] = (
        "stroke-linejoin: round; stroke-linecap: butt"  # as in the file's style sheet
    )
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _drop_what_reaches_the_page(root: ElementTree.Element) -> None:
    """Remove the metadata and the style sheets, whose ``*`` would match the whole page."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}style", f"{{{SVG}}}metadata"):
                parent.remove(child)


def _for_page(key: str, value: str, prefix: str, colors: Mapping[str, str]) -> str:
    """Return what an attribute must hold in the page."""
    if key == "id":
        return f"{prefix}-{value}"
    if key == HREF:
        return value.replace("#", f"#{prefix}-")
    if key == "style":
        for old, new in colors.items():
            value = value.replace(old, new)
        return value.replace("'DejaVu Sans', sans-serif", "inherit")
    return value.replace("url(#", f"url(#{prefix}-")
