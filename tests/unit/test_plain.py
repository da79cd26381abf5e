"""Sets in markup become plain lines, with the segments that sacrebleu reads; faults are named."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

from attnmt.corpora.plain import original_names, plain_set
from attnmt.corpora.tmx import memory_pairs
from attnmt.corpora.wmt_xml import read_wmt
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines

Write = Callable[[str, bytes], Path]
CODES = ("en", "de")
WMT = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021">
  <collection id="general">
    <doc origlang="en" id="d1">
      <src lang="en">
        <p><seg id="1">Old  &amp; new.</seg></p>
        <p><seg id="2">A house.</seg>
        <seg id="3">No one
          knows.</seg></p>
      </src>
      <ref lang="de" translator="A"><p>
        <seg id="1">Alt &amp; neu.</seg>
        <seg id="2"> </seg>
        <seg id="3"></seg>
      </p></ref>
      <ref lang="de" translator="B"><p><seg id="2">Ein Haus.</seg><seg id="1">Alt.</seg></p></ref>
      <hyp system="x" lang="de"><p><seg id="1">Falsch.</seg></p></hyp>
    </doc>
    <doc origlang="en" id="d2">
      <src lang="en"><p><seg id="1">The end.</seg></p></src>
      <ref lang="de" translator="B"><p><seg id="1">Das Ende.</seg></p></ref>
    </doc>
  </collection>
  <doc origlang="en" id="d3" testsuite="s">
    <src lang="en"><p><seg id="1">A suite.</seg></p></src>
    <ref lang="de" translator="A"><p><seg id="1">Eine Suite.</seg></p></ref>
  </doc>
</dataset>
"""
TMX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US"/><body>
<tu><note>n</note><tuv xml:lang="de-DE"><seg>Ein <bpt i="1">&lt;b&gt;</bpt>Haus<ept i="1"/>.</seg></tuv>
<tuv xml:lang="EN-us"><seg>A <hi>house</hi>
 .</seg></tuv></tu>
<tu><tuv xml:lang="fr"><seg>Une maison.</seg></tuv><tuv xml:lang="en-US"><seg>A house.</seg></tuv></tu>
<tu><tuv lang="en_us"><seg>First</seg></tuv><tuv lang="en_us"><seg>Second</seg></tuv>
<tuv lang="de-DE"><seg>Erster</seg></tuv></tu>
</body></tmx>
"""


def columns(folder: Path, **files: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Return the lines of the files that are made, and the notes."""
    made = folder / "made"
    made.mkdir(exist_ok=True)
    given = {name.replace("_", "."): path for name, path in files.items()}
    plain, notes = plain_set(given, CODES, made)
    return {suffix: read_lines(path) for suffix, path in plain.items()}, notes


def test_translators_of_wmts_xml_become_references(write, tmp_path):
    path = write("x.xml", gzip.compress(WMT.encode()))
    lines, notes = columns(tmp_path, en=path, de=path)
    assert lines == {
        "en": ["Old & new.", "A house.", "The end."],
        "de": ["Alt & neu.", "Ein Haus.", "Das Ende."],
        "de.2": ["Alt.", "", ""],
    }
    assert notes == [
        f"{path}: 2 of 4 segments have fewer versions than others; {path}: no text of segment '2' in "
        f"document 'd1' by translator 'A'",
        f"{path}: 1 of 4 segments have no text on one side and are left out; {path}: no text of segment "
        f"'3' in document 'd1' by translator 'A'",
    ]


def test_a_set_may_be_read_in_the_other_direction(write, tmp_path):
    path = write("x.xml", WMT.replace('"en"', '"de-AT"').replace('"de"', '"en"').encode())
    lines, _ = columns(tmp_path, en=path, de=path)
    assert lines["de"] == ["Old & new.", "A house.", "The end."]
    assert lines["en"] == ["Alt & neu.", "Ein Haus.", "Das Ende."]


SEGMENTS = st.lists(
    st.tuples(*[st.sampled_from(["", "a", "b c", None])] * 2), min_size=1, max_size=6
).filter(lambda rows: any(any(row) for row in rows))


@settings(max_examples=50, deadline=None)
@given(documents=st.lists(SEGMENTS, min_size=1, max_size=3))
@example(documents=[[(None, "a")], [("a", "b c")]])  # the first translator begins later
def test_segments_of_wmts_xml_are_those_that_sacrebleu_reads(tmp_path_factory, documents):
    def side(tag: str, texts: list[str | None]) -> str:
        segments = (
            f'<seg id="{n}">{text}</seg>'
            for n, text in enumerate(texts, start=1)
            if text is not None
        )
        return f"<{tag}><p>{''.join(segments)}</p></{tag.split()[0]}>"

    folder = tmp_path_factory.mktemp("xml")
    docs = ""
    for at, rows in enumerate(documents):
        docs += f'<doc id="{at}" origlang="en">'
        docs += side('src lang="en"', [f"s{at} {n}" for n in range(len(rows))])
        for column, name in enumerate("AB"):
            docs += side(f'ref lang="de" translator="{name}"', [row[column] for row in rows])
        docs += "</doc>"
    path = folder / "x.xml"
    path.write_text(f'<dataset id="x">{docs}</dataset>')
    judged = WMTXMLDataset._unwrap_wmt21_or_later(str(path))
    lines, _ = columns(folder, en=path, de=path)
    assert lines["en"] == judged["src"]
    for number, texts in enumerate(zip(judged["ref:A"], judged["ref:B"], strict=True)):
        ours = [lines[suffix][number] for suffix in ("de", "de.2") if suffix in lines]
        assert [text for text in ours if text] == [text for text in texts if text]
        assert ours[0]


def test_what_a_set_does_not_have_is_named(write, tmp_path):
    path = write("x.xml", WMT.encode())
    other = write("y.xml", WMT.replace('lang="de"', 'lang="cs"').encode())
    with pytest.raises(InputError, match=r"y\.xml: no text in 'de'; it has en, cs"):
        columns(tmp_path, en=other, de=other)
    with pytest.raises(InputError, match=r"is XML and .*plain\.de is plain lines; give all files"):
        columns(tmp_path, en=path, de=write("plain.de", b"a\n"))
    twice = WMT.replace('<seg id="2">A house.', '<seg id="1">A house.', 1)
    with pytest.raises(InputError, match=r"z\.xml:7: document 'd1' has segment '1' already"):
        columns(tmp_path, en=path, de=write("z.xml", twice.encode()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (WMT.replace("</src>", "", 1), r":18: not XML \(mismatched tag\)"),
        (
            WMT.replace("<dataset", '<!DOCTYPE dataset SYSTEM "x.dtd">\n<dataset').replace(
                "A house.", "A &house;"
            ),
            ":8: the entity 'house' is not known",
        ),
        (WMT.replace(' id="d1"', ""), ":4: <doc> without id"),
        (
            WMT.replace("testsuite", "note").replace("doc ", "dok "),
            ":4?.*no <doc> with a <src>|not XML",
        ),
    ],
)
def test_faults_of_xml_are_named_with_their_line(write, tmp_path, content, message):
    path = write("x.xml", content.encode())
    with pytest.raises(InputError, match=r"x\.xml" + message):
        columns(tmp_path, en=path, de=path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16le"])
def test_a_memory_gives_the_pairs_of_two_languages(write, tmp_path, encoding):
    content = TMX.replace("UTF-8", encoding[:6].rstrip("-"))
    path = write("x.tmx", content.encode(encoding))
    lines, notes = columns(tmp_path, en=path, de=path)
    assert lines == {"en": ["A house .", "First"], "de": ["Ein Haus.", "Erster"]}
    assert notes == [
        f"{path}: 1 of 3 units have no text in EN-us/en-US/en_us or de-DE and are left out"
    ]


def test_a_memory_without_the_languages_says_which_it_has(write, tmp_path):
    path = write("x.tmx", TMX.encode())
    with pytest.raises(
        InputError, match=r"both 'en' and 'cs'; it has de-DE \(2\), EN-us \(1\), fr \(1\), en-US"
    ):
        list(memory_pairs(path, ("en", "cs"))[0])
    with pytest.raises(InputError, match="a TMX has both sides; give it for both, and no other"):
        columns(tmp_path, en=path, de=write("y.tmx", TMX.encode()))


@pytest.mark.parametrize(
    ("encoding", "why"), [("GB2312", "multi-byte"), ("no-such", "unknown enc")]
)
def test_an_encoding_that_xml_may_have_and_expat_does_not_read_is_named(write, encoding, why):
    path = write("x.tmx", TMX.replace("UTF-8", encoding).encode())
    with pytest.raises(InputError, match=rf"x\.tmx: .*{why}.*; convert it to UTF-8"):
        list(memory_pairs(path, CODES)[0])


def test_an_error_names_the_file_of_the_code_and_not_of_one_that_begins_like_it(tmp_path):
    plain = {code: tmp_path / code for code in ("pt", "pt_BR")}
    given = dict.fromkeys(plain, tmp_path / "x.tmx")
    with (
        pytest.raises(InputError, match=r"x\.tmx \(text of 'pt_BR'\):3: blank$"),
        original_names(plain, given),
    ):
        raise InputError(f"{plain['pt_BR']}:3: blank")


def memory(write: Write, *units: list[str]) -> Path:
    """Return a memory whose texts are the tags of their languages."""
    body = ""
    for unit in units:
        body += "".join(f'<tuv xml:lang="{tag}"><seg>{tag}</seg></tuv>' for tag in unit).join(
            ("<tu>", "</tu>")
        )
    return write("x.tmx", f'<tmx version="1.4"><body>{body}</body></tmx>'.encode())


CHINESE = ["zh-Hans", "zh-Hant", "en-GB", "en-US"]


@pytest.mark.parametrize(
    ("codes", "unit", "pair"),
    [
        (("zh_Hant", "en_US"), CHINESE, ("zh-Hant", "en-US")),
        (("pt", "en"), ["pt-BR", "pt", "eng"], ("pt", "eng")),
        (("pt_BR", "en"), ["pt", "en"], ("pt", "en")),
        (("zh_Hant", "en"), ["zh-Hant-TW", "zh-Hans-CN", "en"], ("zh-Hant-TW", "en")),
    ],
)
def test_a_memory_gives_the_variant_that_is_asked_for(write, codes, unit, pair):
    assert list(memory_pairs(memory(write, unit), codes)[0]) == [pair]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Click here<ph x='1'>&lt;br/&gt;</ph>Then wait.", "Click here Then wait."),
        ("Save<ph x='1'/>, or<ph x='2'/> go", "Save, or go"),
        ("<bpt i='1'>b</bpt>H<ept i='1'>/b</ept>ello", "Hello"),
        ("\u5317<ph x='1'/>\u4eac", "\u5317\u4eac"),
    ],
)
def test_a_placeholder_between_two_words_is_a_space(write, text, read):
    unit = f'<tuv xml:lang="en"><seg>{text}</seg></tuv><tuv xml:lang="de"><seg>x</seg></tuv>'
    content = f'<tmx version="1.4"><body><tu>{unit}</tu></body></tmx>'.encode()
    path = write("x.tmx", content)
    assert list(memory_pairs(path, ("en", "de"))[0]) == [(read, "x")]


def test_of_several_variants_one_is_to_be_named(write):
    path = memory(write, CHINESE, CHINESE[1:])
    with pytest.raises(InputError, match=r"x\.tmx: 'zh' may mean zh-Hant, zh-Hans; ask for one"):
        list(memory_pairs(path, ("zh", "en-GB"))[0])


def test_wmts_xml_gives_the_variant_that_is_asked_for(write):
    refs = "".join(f'<ref lang="{tag}"><seg id="1">{tag}</seg></ref>' for tag in CHINESE[:2])
    path = write("x.xml", f'<dataset id="x"><doc id="d">{refs}</doc></dataset>'.encode())
    (version,) = read_wmt(path, "zh_Hant")
    assert version.segments["d", "1"] == "zh-Hant"
    with pytest.raises(InputError, match=r"x\.xml: 'zh' may mean zh-Hans, zh-Hant; ask for one"):
        read_wmt(path, "zh")


def side(write: Write, name: str, *segments: str, attributes: str = "") -> Path:
    lines = [
        f'<doc docid="{doc}"{attributes}><seg id="{n}">{name}{doc}{n}</seg></doc>'
        for doc, n in segments
    ]
    return write(f"{name}.sgm", "\n".join(lines).encode())


def test_sides_of_sgm_are_paired_by_their_ids(write, tmp_path):
    source, target = side(write, "s", "a1", "a2", "b1"), side(write, "t", "b1", "a1", "a2")
    packed = write("t.sgm.gz", gzip.compress(target.read_bytes()))
    other = side(write, "u", "a1", "b1", "a2")
    lines, notes = columns(tmp_path, en=source, de=packed, de_2=other)
    assert lines == {
        "en": ["sa1", "sa2", "sb1"],
        "de": ["ta1", "ta2", "tb1"],
        "de.2": ["ua1", "ua2", "ub1"],
    }
    assert notes == []


def test_translators_of_sgm_become_references(write, tmp_path):
    parts = [
        side(write, name, *segments, attributes=f' sysid="{name}"').read_text()
        for name, segments in {"A": ["a2"], "B": ["a1", "a2"]}.items()
    ]
    target = write("t.sgm", "\n".join(parts).encode())
    source = side(write, "s", "a1", "a2")
    lines, notes = columns(tmp_path, en=source, de=target)
    assert lines == {"en": ["sa1", "sa2"], "de": ["Ba1", "Aa2"], "de.2": ["", "Ba2"]}
    assert notes == [
        f"{source}, {target}: 1 of 2 segments have fewer versions than others; {target}: no text of "
        f"segment '1' in document 'a' by translator 'A'"
    ]


def test_sides_with_different_ids_are_refused(write, tmp_path):
    longer, shorter = side(write, "s", "a1", "a2"), side(write, "t", "a1")
    for source, target in ((longer, shorter), (shorter, longer)):
        with pytest.raises(InputError, match=r"t\.sgm: no text of segment '2' in document 'a'"):
            columns(tmp_path, en=source, de=target)


def test_an_empty_segment_is_named(write, tmp_path):
    source = side(write, "s", "a1", "a2")
    content = (
        side(write, "t", "a1", "a2", attributes=' sysid="X"').read_text().replace("ta2", " \t")
    )
    with pytest.raises(
        InputError, match="no text of segment '2' in document 'a' by translator 'X'"
    ):
        columns(tmp_path, en=source, de=write("t.sgm", content.encode()))
