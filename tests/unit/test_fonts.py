"""Letters that DejaVu Sans lacks, in figures: another font shows them, or a warning names them."""

import logging
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from matplotlib.font_manager import fontManager

from attnmt.reporting import fonts
from attnmt.reporting.attention import Matrix, MatrixFigure
from attnmt.reporting.draw import write_matrices
from attnmt.reporting.fonts import FONT, fonts_of, warn_of

CHINESE, THAI = "山水", "ก"
WORDS = MatrixFigure(
    "figure7", "", [Matrix("global", 0, ["a", CHINESE], [THAI], [[0.5, 0.5]], None)]
)


def font_of(folder: Path, name: str, letters: str, weight: int = 400) -> Path:
    """Write a font in which every letter is a square."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for corner in ((0, 700), (700, 700), (700, 0)):
        pen.lineTo(corner)
    pen.closePath()
    names = [f"u{ord(letter):04X}" for letter in letters]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names])
    builder.setupCharacterMap(dict(zip(map(ord, letters), names, strict=True)))
    builder.setupGlyf(dict.fromkeys([".notdef", *names], pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", *names], (800, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable(
        {"familyName": name, "styleName": "Regular", "psName": name.replace(" ", "")}
    )
    builder.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWeightClass=weight)
    builder.setupPost()
    path = folder / f"{name}.ttf"
    builder.save(path)
    return path


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that puts fonts on this machine, which otherwise has only matplotlib's."""
    own = [font for font in fontManager.ttflist if "mpl-data" in font.fname]
    monkeypatch.setattr(fontManager, "ttflist", own)

    def put(*paths: Path) -> None:
        monkeypatch.setattr(fonts, "findSystemFonts", lambda: list(map(str, paths)))
        for cached in (fonts_of, fonts._installed, fonts._letters):
            cached.cache_clear()

    put()
    yield put
    for cached in (fonts_of, fonts._installed, fonts._letters):
        cached.cache_clear()


def test_an_installed_font_shows_the_letters_that_the_own_one_lacks(installed, tmp_path):
    """The PDF holds the font, also if it was installed after matplotlib listed the fonts."""
    installed(font_of(tmp_path, "Mountain", CHINESE), font_of(tmp_path, "River", THAI))
    assert write_matrices(WORDS, tmp_path) == set()
    pdf, svg = (tmp_path.joinpath(f"figure7.{kind}").read_bytes() for kind in ("pdf", "svg"))
    assert b"Mountain" in pdf
    assert b"River" in pdf
    assert b"'DejaVu Sans', 'Mountain', sans-serif" in svg


def test_letters_that_no_font_has_are_named_with_a_cure(installed, tmp_path, caplog):
    """A font of matplotlib that has a box for every letter does not count, nor does a damaged file."""
    damaged = tmp_path / "damaged.ttf"
    damaged.write_bytes(b"no font")
    installed(damaged, font_of(tmp_path, "Mountain", CHINESE))
    missing = write_matrices(WORDS, tmp_path)
    assert missing == {THAI}
    with caplog.at_level(logging.WARNING):
        warn_of(missing)
    assert "no installed font has: ก; install a font" in caplog.text
    caplog.clear()
    warn_of(map(chr, range(0xE00, 0xE00 + fonts.SHOWN + 2)))
    assert " and 2 more; install" in caplog.text
    caplog.clear()
    warn_of(set())
    assert not caplog.text


def test_the_font_with_most_letters_comes_first_and_the_regular_one_of_two(installed, tmp_path):
    """No more fonts are named than are needed."""
    installed(
        font_of(tmp_path, "A Bold", CHINESE + THAI, weight=700),
        font_of(tmp_path, "All", CHINESE + THAI),
        font_of(tmp_path, "Some", THAI),
    )
    assert fonts_of(frozenset(CHINESE + THAI + "a\x1f")) == ([FONT, "All"], frozenset())
    assert fonts_of(frozenset("abc")) == ([FONT], frozenset())
