"""SGM: segments are those that sacrebleu reads from the same files, and faults are named."""

import html
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sacrebleu.dataset.fake_sgml import FakeSGMLDataset

from attnmt.corpora.sgm import plain_text, read_parallel_sgm, read_sgm
from attnmt.errors import InputError

Write = Callable[[str, bytes], Path]
LINE = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])).filter(str.strip)
TEXT = st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), min_size=1).map(
    " ".join
)
SET = """<srcset setid="newstest2014" srclang="any">
<doc sysid="ref" docid="bbc.1" genre="news" origlang="en">
<hl>
<seg id="1">Gutach: Noch mehr Sicherheit</seg>
</hl>
<p>
<seg id="2">Sie ist  100 Meter &quot;lang&quot; &#8211; &amp;amp; neu.</seg>
<SEG id='10'>
R&D, AT&T, x < y > z, ?a=1&copy=2,
auf zwei Zeilen\u2028und drei.
</SEG>
</p>
</doc>
<doc docid="bbc.2"><seg id=1>Noch eins.</seg></doc>
</srcset>
"""


def test_segments_are_read_by_document_and_number(write):
    path = write("a.sgm", b"\xef\xbb\xbf" + SET.replace("\n", "\r\n").encode())
    assert read_sgm(path) == {
        ("bbc.1", "1"): "Gutach: Noch mehr Sicherheit",
        ("bbc.1", "2"): 'Sie ist 100 Meter "lang" – &amp; neu.',
        ("bbc.1", "10"): "R&D, AT&T, x < y > z, ?a=1&copy=2, auf zwei Zeilen und drei.",
        ("bbc.2", "1"): "Noch eins.",
    }


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(LINE, min_size=1, max_size=5))
def test_unescaped_text_is_read_as_by_sacrebleu(tmp_path_factory, texts):
    """sacrebleu takes each line for a segment and keeps entities, so the texts hold neither."""
    lines = [text.replace("&", "+").replace("<", "(") for text in texts]
    path = tmp_path_factory.mktemp("sgm") / "a.sgm"
    segments = "".join(f'<seg id="{i}">{line}</seg>\n' for i, line in enumerate(lines, start=1))
    path.write_text(f'<refset>\n<doc docid="d">\n{segments}</doc>\n</refset>\n', newline="\n")
    judge = path.with_suffix(".txt")
    FakeSGMLDataset("x")._convert_format(str(path), str(judge))
    assert list(read_sgm(path).values()) == judge.read_text().split("\n")[:-1]


@given(TEXT)
def test_escaped_characters_are_restored(text):
    assert plain_text(html.escape(text)) == text


@pytest.mark.parametrize("raw", ["&nosuch;", "&#x;", "&", "&;", "& amp;", "&amp", "&copy 2015"])
def test_text_that_is_not_an_entity_stays(raw):
    assert plain_text(raw) == raw


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</seg>\n</hl>", "</hl>", ":4: a segment that is not closed"),
        ("<hl>", "</seg>", ":3: </seg> without a <seg>"),
        ('<doc docid="bbc.2">', "", ":14: a segment outside any document"),
        (' docid="bbc.2"', "", ":14: <doc> without docid"),
        ("<seg id=1>", "<seg>", ":14: <seg> without id"),
        ('<seg id="2">', '<seg id="1">', ":7: document 'bbc.1' has segment '1' already"),
        ("Noch eins.", " \t", ":14: a segment without text"),
    ],
)
def test_faults_are_named_with_their_line(write, old, new, message):
    assert old in SET
    path = write("a.sgm", SET.replace(old, new, 1).encode())
    with pytest.raises(InputError) as error:
        read_sgm(path)
    assert f"{path}{message}" in str(error.value)


def test_a_file_without_segments_is_named(write):
    with pytest.raises(InputError, match=r"a\.sgm: no <seg> in it"):
        read_sgm(write("a.sgm", b"<doc docid='d'>"))


def side(write: Write, name: str, *segments: str) -> Path:
    lines = [f'<doc docid="{doc}"><seg id="{n}">{name}{doc}{n}</seg></doc>' for doc, n in segments]
    return write(f"{name}.sgm", "\n".join(lines).encode())


def test_sides_are_paired_by_their_ids(write):
    source, target = side(write, "s", "a1", "a2", "b1"), side(write, "t", "b1", "a1", "a2")
    assert list(read_parallel_sgm(source, target)) == [
        (f"s{n}", f"t{n}") for n in ("a1", "a2", "b1")
    ]


def test_sides_with_different_ids_are_refused(write):
    longer, shorter = side(write, "s", "a1", "a2"), side(write, "t", "a1")
    for files in ((longer, shorter), (shorter, longer)):
        with pytest.raises(
            InputError, match=r"t\.sgm: no segment '2' in document 'a', which .*s\.sgm"
        ):
            list(read_parallel_sgm(*files))
