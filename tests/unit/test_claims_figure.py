"""The claims as a table and as a picture: one line a claim, with both sizes, interval and verdict."""

import re
from itertools import chain
from xml.etree import ElementTree

import pytest
from made_report import NASTY, ROOT, made_claim

from attnmt.errors import InputError
from attnmt.reporting import claims_figure
from attnmt.reporting.claims import claims_table, read_claims
from attnmt.reporting.claims_figure import COLORS, claims_svg, write_claims_figure
from attnmt.reporting.table import Size, markdown

CLAIMS = [
    made_claim("a", verdict="confirmed"),
    made_claim(
        "b", verdict="refuted", measure="AER", paper=-0.05, ours=0.0271, low=0.01, high=0.04
    ),
    made_claim("c", verdict="undecided", paper=None, ours=-0.2, low=-1.0, high=0.6, p_holm=0.4),
    made_claim("d", verdict="not tested", ours=None, low=None, high=None, p_holm=None, seeds=None),
]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(claims):
    canvas = claims_figure._canvas(claims)
    return [axes for part in canvas.subfigs for axes in part.axes]


def test_the_picture_has_a_line_for_each_tested_claim():
    shown: dict[str, str] = {}
    for axes in drawn(CLAIMS):
        labels = [label.get_text() for label in axes.get_yticklabels()]
        shown |= dict(zip(labels, [text.get_text() for text in axes.texts], strict=True))
    words = {one.claim: one.verdict for one in CLAIMS[:3]}
    assert {" ".join(label.split()): word for label, word in shown.items()} == words
    assert {axes.get_title() for axes in drawn(CLAIMS)} == {"BLEU", "AER"}


def test_ours_is_filled_with_its_interval_and_the_paper_s_is_hollow():
    for axes in drawn(CLAIMS):
        group = [one for one in CLAIMS[:3] if one.measure == axes.get_title()]
        lines = [line for line in axes.get_lines() if len(set(line.get_ydata())) == 1]
        hollow = [line for line in lines if line.get_markerfacecolor() == "none"]
        points = [line for line in lines if line.get_marker() == "o" and line not in hollow]
        bars = [line for line in lines if line.get_marker() == "None"]
        at = [float(line.get_ydata()[0]) for line in points]
        assert at == sorted(at)
        assert at == list(axes.get_yticks())
        assert [line.get_xdata()[0] for line in points] == [one.ours for one in group]
        assert [list(line.get_xdata()) for line in bars] == [[one.low, one.high] for one in group]
        papers = {float(line.get_ydata()[0]): line.get_xdata()[0] for line in hollow}
        expected = {y: one.paper for y, one in zip(at, group, strict=True) if one.paper is not None}
        assert papers == expected
        assert [line.get_color() for line in points] == [COLORS[one.verdict] for one in group]
        bottom, top = axes.get_ylim()
        assert bottom > at[-1] >= at[0] > top  # the first claim stands on top


def test_each_measure_has_its_axes_in_two_columns_of_like_height():
    many = [made_claim(str(k), measure=f"measure {k % 5}", ours=10.0**k) for k in range(25)]
    canvas = claims_figure._canvas(many)
    titles = [[axes.get_title() for axes in part.axes] for part in canvas.subfigs]
    assert sorted(chain(*titles)) == [f"measure {k}" for k in range(5)]
    assert sorted(map(len, titles)) == [2, 3]
    assert canvas.get_figwidth() == pytest.approx(13.3)
    one = claims_figure._canvas(many[:1])
    assert len(one.subfigs) == 1
    assert one.get_figwidth() == pytest.approx(13.3 / 2)


def test_the_picture_of_the_page_is_safe_and_has_names_of_its_own():
    text = claims_svg([made_claim("x", claim=f"$x$ {NASTY} {'long words ' * 20}")], "prefix")
    root = ElementTree.fromstring(text)
    texts = " ".join(element.text or "" for element in root.iter(f"{SVG}text"))
    assert NASTY in texts
    assert "$x$" in texts
    assert NASTY not in text
    assert all(e.get("id", "prefix-").startswith("prefix-") for e in root.iter())
    assert root.get("role") == "img"
    assert "currentColor" in text
    assert list(root.iter(f"{SVG}style")) == []


def test_the_files_have_the_same_bytes_and_none_is_written_without_a_tested_claim(tmp_path):
    for folder in ("a", "b"):
        write_claims_figure(CLAIMS, tmp_path / folder)
    for name in ("claims.svg", "claims.pdf"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    write_claims_figure(CLAIMS[3:], tmp_path / "c")
    assert not (tmp_path / "c").exists()
    assert claims_svg(CLAIMS[3:], "p") is claims_svg([], "p") is claims_table([]) is None


def test_the_table_has_a_row_for_every_claim():
    table = claims_table(CLAIMS)
    assert list(table.frame.index) == ["a", "b", "c", "d"]
    assert table.cell("b", "ours") == Size(0.0271, 3)  # a rate has three decimals, BLEU two
    rows = [line.split(" | ")[1:] for line in markdown(table, "study").splitlines()[4:]]
    assert rows == [
        ["confirmed", "BLEU", "+1.30", "+4.00", "+3.00 to +5.00", "0.002", "5 |"],
        ["refuted", "AER", "-0.050", "+0.027", "+0.010 to +0.040", "0.002", "5 |"],
        ["undecided", "BLEU", "", "-0.20", "-1.00 to +0.60", "0.400", "5 |"],
        ["not tested", "BLEU", "+1.30", "", "", "", " |"],
    ]
    assert table.caption.startswith("3 of 4 claims are tested here")
    effect = "smallest effect that would probably be seen"
    assert table.facts["c"][effect] == "1.50"
    assert effect not in table.facts["a"]
    assert (table.facts["a"]["systems"], table.facts["a"]["compared with"]) == (
        "base_reverse",
        "base",
    )


def test_the_claims_in_git_are_drawn_one_a_line(monkeypatch):
    monkeypatch.chdir(ROOT)
    claims = read_claims("study")
    texts = [text.get_text() for axes in drawn(claims) for text in axes.texts]
    tested = [one for one in claims if one.verdict != "not tested"]
    assert len(texts) == len(tested) > 20
    table = claims_table(claims)
    assert all(
        re.match(r"<0\.001|0\.\d{3}|1\.000", table.text(one.key, "p after Holm")) for one in tested
    )


def test_a_damaged_file_is_named_with_line_and_column(tmp_path, monkeypatch):
    path = tmp_path / "reports/study/claims.csv"
    path.parent.mkdir(parents=True)
    text = (ROOT / "reports/study/claims.csv").read_text(encoding="utf-8")
    path.write_text(text.replace(",10,", ",10,,", 1), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"claims.csv:2: 24 cells in 23 columns; run the stage"):
        read_claims("study")
