"""SGM: segments are those that sacrebleu reads from the same files, and faults are named."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sacrebleu.dataset.fake_sgml import FakeSGMLDataset

from attnmt.corpora.sgm import read_sgm
from attnmt.errors import InputError

LINE = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])).filter(str.strip)
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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("</seg>\n</hl>", "</hl>", ":4: "),
        ('<doc sysid="ref" docid="bbc.2">', "", ":14: "),
        ("<seg id=1>", "<seg>", ":14: "),
        ('<seg id="2">', '<seg id="1">', ":7: "),
    ],
)
def test_faults_are_named_with_their_line(write, old, new, message):
    assert old in SET
    path = write("a.sgm", SET.replace(old, new, 1).encode())
    with pytest.raises(InputError) as error:
        read_sgm(path)
    assert str(error.value).startswith(f"{path}{message}")


def test_a_file_without_segments_is_named(write):
    with pytest.raises(InputError, match=r"a\.sgm: no <seg> in it"):
        read_sgm(write("a.sgm", b"<doc docid='d'>"))
