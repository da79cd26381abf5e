"""Fonts for the words of a drawing, which may be in any script.

DejaVu Sans comes with matplotlib, so a layout is the same everywhere. It lacks the letters of many
scripts, such as Chinese, Thai and Hindi. An installed font that has them stands in for these alone.
"""

import logging
from collections.abc import Iterable
from functools import cache

from matplotlib.figure import Figure as Canvas
from matplotlib.font_manager import FontEntry, findSystemFonts, fontManager
from matplotlib.ft2font import FT2Font
from matplotlib.text import Text

FONT = "DejaVu Sans"
NO_FONT = "Last Resort"  # of matplotlib; it has a box for every letter
REGULAR = 400  # the weight of a font that is neither bold nor light
SHOWN = 20  # letters in a warning

log = logging.getLogger(__name__)


def set_fonts(canvas: Canvas) -> set[str]:
    """Give each text of a drawing fonts for its letters.

    Returns:
        The letters that no installed font has.
    """
    missing = set[str]()
    for text in canvas.findobj(Text):
        families, lacking = fonts_of(frozenset(text.get_text()))
        missing |= lacking
        if len(families) > 1:
            text.set_fontfamily([*families, "sans-serif"])  # of a browser that lacks them
    return missing


@cache
def fonts_of(letters: frozenset[str]) -> tuple[list[str], frozenset[str]]:
    """Return the families that show some letters, DejaVu Sans first, and the letters that none has.

    A font that has more of the letters comes before one that has fewer.
    """
    families = [FONT]
    missing = {letter for letter in letters if letter.isprintable()} - _letters(_own())
    fonts = _installed() if missing else []
    while fonts:
        best = min(fonts, key=lambda font: _worth(font, missing))
        if not missing & _letters(best.fname):
            break
        families.append(best.name)
        missing -= _letters(best.fname)
    return families, frozenset(missing)


def warn_of(missing: Iterable[str]) -> None:
    """Say which letters are boxes in the PDF files of figures, and what helps."""
    letters = sorted(missing)
    if letters:
        more = f" and {len(letters) - SHOWN} more" if len(letters) > SHOWN else ""
        log.warning(
            "the PDF files of figures show boxes for letters that no installed font has: %s%s; install "
            "a font with them, for example Noto, and run the stage report again",
            " ".join(letters[:SHOWN]),
            more,
        )


def _own() -> str:
    return fontManager.findfont(FONT, fallback_to_default=False)


def _worth(font: FontEntry, missing: set[str]) -> tuple[int, bool, int, str, str]:
    """Return what sorts fonts, the best first."""
    weight = font.weight if isinstance(font.weight, int) else REGULAR
    is_plain = font.style == "normal"
    found = len(missing & _letters(font.fname))
    return -found, not is_plain, abs(weight - REGULAR), font.name, font.fname


@cache
def _installed() -> list[FontEntry]:
    """Return all fonts, also those that were installed after matplotlib listed them."""
    listed = {font.fname for font in fontManager.ttflist}
    for path in sorted({*findSystemFonts()} - listed):
        try:
            fontManager.addfont(path)
        except (OSError, RuntimeError, ValueError):
            log.info("%s: matplotlib cannot read this font", path)
    return [font for font in fontManager.ttflist if not font.name.startswith(NO_FONT)]


@cache
def _letters(path: str) -> frozenset[str]:
    """Return the letters of a font; none if it consists of pictures, which matplotlib cannot scale."""
    try:
        font = FT2Font(path)
    except (OSError, RuntimeError):  # it was removed, or is damaged
        return frozenset()
    return frozenset(map(chr, font.get_charmap())) if font.scalable else frozenset()
