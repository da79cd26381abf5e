"""Gold links in the formats in which they are published: orientation, first number, misfits."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_text import needs, written

from attnmt.corpora.gold_links import parse_rwth, read_gold
from attnmt.corpora.links import format_links, parse_links
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines

LINKS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)))
WORDS = [(3, 4), (2, 2)]  # of source and target
CODES = ("en", "de")
PHARAOH = b"0-0 1?2 2-3\n1-1\n"


def lines_of(path: Path, **how) -> list[str]:
    """Return the links of a file as Pharaoh's."""
    codes, words, flip = how.get("codes", CODES), how.get("words", WORDS), how.get("flip", False)
    gold = read_gold(path, codes, 2, words, flip)
    return [format_links(*line) for line in gold.links]


@given(sure=LINKS, possible=LINKS)
def test_rwths_links_are_pharaohs_counted_from_one(sure, possible):
    items = [f"{i + 1}-{j + 1}" for i, j in sure] + [f"{i + 1}p{j + 1}" for i, j in possible]
    assert parse_rwth(" ".join(items)) == parse_links(format_links(sure, possible))


@pytest.mark.parametrize("item", ["0-1", "1-0", "1?1", "1P1", "01-1", "1:1"])
def test_what_is_not_a_link_of_rwth_is_named_with_its_line(item):
    with pytest.raises(InputError, match=r"gold:7: .* is not a link; write 1-1 \(sure\) or 1p1"):
        parse_rwth(f"1-1 {item}", "gold:7")


@pytest.mark.parametrize("name", ["x.talp", "x.talp.gz", "x.wa"])
@pytest.mark.parametrize(
    ("codes", "content"),
    [
        (("de", "en"), b"1-1 2p3 3-4\n2-2\n"),
        (("en", "de"), b"1-1 3p2 4-3\n2-2\n"),
        (("en", "de_AT"), b"1-1 3p2 4-3\n2-2\n"),
        (("en", "fr"), b"1-1 2p3 3-4\n2-2\n"),
    ],
)
def test_rwths_links_are_read_by_the_languages(write, name, codes, content):
    path = write(name, gzip.compress(content) if name.endswith("gz") else content)
    assert lines_of(path, codes=codes) == ["0-0 1?2 2-3", "1-1"]
    swapped = [pair[::-1] for pair in WORDS]
    assert lines_of(path, codes=codes, words=swapped, flip=True) == ["0-0 2?1 3-2", "1-1"]


def test_pharaohs_links_stay_as_they_are_written(write):
    for content in (PHARAOH, PHARAOH.replace(b"?", b"p")):
        gold = read_gold(write("x", content), CODES, 2, WORDS)
        assert [format_links(*line) for line in gold.links] == ["0-0 1?2 2-3", "1-1"]
        assert gold.as_written
        assert gold.notes == []


NAACL = {
    "without S or P": (b" 1 0 0 0.9\n1 1 2 P\n1 2 3 S 1e-05\n2 1 1\n", "from 0"),
    "from 0": (b"1 0 0 S\n1 1 2 P\n1 2 3\n2 1 1 S 0.9 \n", "from 0"),
    "from 1": (b"0001 1 1 S\n0001 2 3 P\n0001 3 4 S\n\n0002 2 2 S\n", "from 1"),
    "with NULL": (
        b"2 2 2 S\n1 0 2 P\n1 1 1 S\n1 2 3 P\n1 3 4 S\n1 3 0 S\n",
        "from 1; 2 links to no word are left out",
    ),
    "sentences from 0": (b"0 0 0 S\n0 1 2 P\n0 2 3 S\n1 1 1 S\n", "from 0"),
}


@pytest.mark.parametrize(("content", "said"), NAACL.values(), ids=NAACL)
def test_naacls_links_are_counted_from_zero_or_one(write, content, said):
    path = write("x.wa", content)
    assert lines_of(path) == ["0-0 1?2 2-3", "1-1"]
    gold = read_gold(path, CODES, 2, WORDS)
    assert gold.notes == [f"{path}: read as NAACL's format, {said}"]
    assert not gold.as_written
    swapped = [pair[::-1] for pair in WORDS]
    assert lines_of(path, words=swapped, flip=True) == ["0-0 2?1 3-2", "1-1"]
    assert lines_of(path, words=None) == ["0-0 1?2 2-3", "1-1"]


def test_the_last_word_that_tells_the_first_number_is_that_of_the_files_own_side(write):
    """The file is target-source: in its first pair, of 4 and 3 words, 3 is a last word from 1."""
    assert lines_of(write("x.wa", b"1 0 3 S\n1 1 1 S\n"), flip=True) == ["0-0", ""]


def test_pairs_without_links_are_counted(write):
    gold = read_gold(write("x.wa", b"1 1 1 S\n1 3 4 S\n"), CODES, 2, WORDS)
    assert gold.notes[0].endswith("from 1; 1 of 2 pairs have no links")


@pytest.mark.parametrize(
    ("content", "flip", "message"),
    [
        (b"0-0 3-2\n0-0\n", False, "x:1: link 3-2 .* 0 of the other 1 lines .* add --flip"),
        (b"0-0\n2-1 0-2\n", True, "x:2: link 1-2 .* leave --flip out"),
        (b"0-0 9-9\n0-2\n", False, "x:1: link 9-9 .* 1 of the other 1 lines do not fit. Do the"),
        (b"1 0 0 S\n2 2 0 S\n", False, "x: pair 2: link 2-0 lies outside"),
        (b"1-1\n9p1\n", False, r"x:2: link 0-8 .* \(read as RWTH's format: from 1, target-source"),
        (b"1 0 1 S\n1 1 1 S\n", False, "x: it may count words from 0, or from 1 with 0 for no w"),
        (b"1 1 1 S\n3 1 1 S\n", False, "x: sentence 3, but the text has 2 lines"),
        (b"0-0\n", False, "x: 1 lines where the text has 2"),
        (b"0-0\n1_1\n", False, "x:2: '1_1' is not a link; write 0-0"),
    ],
)
def test_what_does_not_fit_is_named(write, content, flip, message):
    with pytest.raises(InputError, match=message):
        read_gold(write("x", content), CODES, 2, WORDS, flip)


@needs("ALIGNMENT_DIR", "test.de", "test.en", "de-en.wa", "de-en.ref.wa")
def test_both_files_of_a_real_corpus_have_the_same_links():
    words = [
        (len(one.split()), len(other.split()))
        for one, other in zip(
            *(read_lines(written("ALIGNMENT_DIR", f"test.{code}")) for code in ("de", "en")),
            strict=True,
        )
    ]
    for name, line in {"de-en.ref.wa": " pair 63", "de-en.wa": "63"}.items():
        with pytest.raises(
            InputError, match=f"{name}:{line}: link 12-16 .* 0 of the other 99 lines"
        ):
            read_gold(written("ALIGNMENT_DIR", name), ("de", "en"), 100, words)
    words[62] = (13, 17)
    naacl, pharaoh = (
        read_gold(written("ALIGNMENT_DIR", name), ("de", "en"), 100, words)
        for name in ("de-en.ref.wa", "de-en.wa")
    )
    assert naacl.links == pharaoh.links
    assert (naacl.as_written, pharaoh.as_written) == (False, True)
