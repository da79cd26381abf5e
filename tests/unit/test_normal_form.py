"""One form for all text: composed, nothing invisible, no mark without a letter."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts_of_the_world import LINES

from attnmt.corpora.normal_form import normalized


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("e\u0301te\u0301", "été"),
        (
            "o\u0323\u0301 e\u0323",
            "o\u0323\u0301 e\u0323".replace("o\u0323", "ọ").replace("e\u0323", "ẹ"),
        ),
        ("می‌روم क्‍ष", "می‌روم क्‍ष"),  # joiners stay in words
        ("\ufeffein\u00adzelne\u200b \u200eWörter\u2060", "einzelne Wörter"),
        ("glue\x01no\x1cwords\x85at\x7fall\tever", "glue no words at all ever"),
        ("a \u0301b -\u200cc ...\u200d", "a b -c ..."),  # marks and joiners without a letter
        ("e\u200b\u0301", "é"),
        ("\u3164\uffa0 a \u115f \u1160 b\u2800c\ufff9", " a   b c"),  # blank letters
        ("\u115f\u1161\u11a8 \u1100\u1160", "\u115f\u1161\u11a8 \u1100\u1160"),  # old syllables
        ("کتاب\u200c می\u200cروم\u200c، क्\u200d", "کتاب می\u200cروم، क्\u200d"),
        ("\u1fef\u0301a", "`a"),  # what composes to a grave accent
        (
            "1\ufe0f\u20e3 👩\u200d🚀 🏴\U000e0067\U000e007f",
            "1\ufe0f\u20e3 👩\u200d🚀 🏴\U000e0067\U000e007f",
        ),
        ("plain text, twice  spaced", "plain text, twice  spaced"),
    ],
)
def test_a_line_has_one_form(line, expected):
    assert normalized(line) == expected


@given(line=LINES | st.text())
def test_the_form_is_that_of_unicode_and_stays(line):
    once = normalized(line)
    assert normalized(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert normalized(unicodedata.normalize("NFD", line)) == once
    kept = [c for c in once if unicodedata.category(c) in ("Cc", "Cf")]
    assert not set(kept) & set("\ufeff\u00ad\u200b\u2060\u200e\x00\x1c\x85")
