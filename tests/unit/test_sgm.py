"""SGM: segments are those that sacrebleu reads from the same files, and faults are named."""

import gzip
import html
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sacrebleu.dataset.fake_sgml import FakeSGMLDataset

from attnmt.corpora.sgm import plain_text, read_sgm
from attnmt.errors import InputError

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
<doc sysid="ref" docid="bbc.2"><seg id=1>Noch eins.</seg></doc>
</srcset>
"""


def texts_of(path: Path) -> dict[str, dict[tuple[str, str], str]]:
    """Return the texts of each translator."""
    return {version.translator: version.segments for version in read_sgm(path)}


def test_segments_are_read_by_document_and_number(write):
    path = write("a.sgm", b"\xef\xbb\xbf" + SET.replace("\n", "\r\n").encode())
    assert texts_of(path) == {
        "ref": {
            ("bbc.1", "1"): "Gutach: Noch mehr Sicherheit",
            ("bbc.1", "2"): 'Sie ist 100 Meter "lang" – &amp; neu.',
            ("bbc.1", "10"): "R&D, AT&T, x < y > z, ?a=1&copy=2, auf zwei Zeilen und drei.",
            ("bbc.2", "1"): "Noch eins.",
        }
    }


def test_translators_are_told_apart_by_document_or_set(write):
    doc = '<doc docid="d"{}><seg id="1">{}</seg></doc>\n'
    by_document = doc.format(' sysid="A"', "a") + doc.format(' sysid="B"', "b")
    by_set = "".join(
        f'<refset refid="{name}">{doc.format("", name.lower())}</refset>' for name in "AB"
    )
    for content in (f"<refset>{by_document}</refset>", f"<mteval>{by_set}</mteval>"):
        assert texts_of(write("r.sgm", content.encode())) == {
            "A": {("d", "1"): "a"},
            "B": {("d", "1"): "b"},
        }


def test_sources_and_references_in_one_file_are_refused(write):
    sets = "".join(
        f'<{kind}><doc docid="d"><seg id="1">a</seg></doc></{kind}>'
        for kind in ("srcset", "refset")
    )
    with pytest.raises(InputError, match="has refset and srcset; give a file of each"):
        read_sgm(write("both.xml", f"<mteval>{sets}</mteval>".encode()))


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
    assert list(texts_of(path)[""].values()) == judge.read_text().split("\n")[:-1]


@given(TEXT)
def test_escaped_characters_are_restored(text):
    assert plain_text(html.escape(text)) == text


@pytest.mark.parametrize("raw", ["&nosuch;", "&#x;", "&", "&copy 2015"])
def test_text_that_is_not_an_entity_stays(raw):
    assert plain_text(raw) == raw


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</seg>\n</hl>", "</hl>", ":4: a segment that is not closed"),
        ("<hl>", "</seg>", ":3: </seg> without a <seg>"),
        ('<doc sysid="ref" docid="bbc.2">', "", ":14: a segment outside any document"),
        ("<seg id=1>", "<seg>", ":14: <seg> without id"),
        ('<seg id="2">', '<seg id="1">', ":7: document 'bbc.1' has segment '1' already"),
    ],
)
def test_faults_are_named_with_their_line(write, old, new, message):
    assert old in SET
    path = write("a.sgm", SET.replace(old, new, 1).encode())
    with pytest.raises(InputError) as error:
        read_sgm(path)
    assert f"{path}{message}" in str(error.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("latin1", ":7: byte 0xfc is not UTF-8; convert it: "),
        ("utf-16be", ": this is text in UTF-16BE, "),
    ],
)
def test_the_cure_of_another_encoding_is_a_command(write, encoding, message, pack):
    content = SET.replace("100 Meter", "für").replace("\u2028", " ")
    path = write("a.sgm", pack(content.encode(encoding)))
    with pytest.raises(InputError) as error:
        read_sgm(path)
    assert f"{path}{message}" in str(error.value)
    command = re.search(r"convert it: (.* > \S+)", str(error.value))
    subprocess.run(["bash", "-c", command[1]], check=True)
    assert texts_of(path.with_name("a.plain.sgm")) == texts_of(write("b.sgm", content.encode()))


def test_a_file_without_segments_is_named(write):
    with pytest.raises(InputError, match=r"a\.sgm: no <seg> in it"):
        read_sgm(write("a.sgm", b"<doc docid='d'>"))
