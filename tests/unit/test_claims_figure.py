"""The claims as a table and as a picture: one line a claim, with both sizes, interval and verdict."""

from itertools import chain
from xml.etree import ElementTree

from made_report import NASTY, least_letters, made_claim

from attnmt.reporting import claims_figure
from attnmt.reporting.canvas import COLUMN, style
from attnmt.reporting.claims_figure import COLORS, claims_svgs, write_claims_figure
from attnmt.reporting.claims_table import claims_table
from attnmt.reporting.table import Size, markdown

CLAIMS = [
    made_claim("a", verdict="confirmed"),
    made_claim(
        "b", verdict="refuted", measure="AER", paper=-0.05, ours=0.0271, low=0.01, high=0.04
    ),
    made_claim("c", verdict="undecided", paper=None, ours=-0.2, low=-1.0, high=0.6, p_holm=0.4),
    made_claim("d", verdict="not tested", ours=None, low=None, high=None, p_holm=None, seeds=None),
]


def drawn(claims):
    """Return the axes of every measure."""
    return [axes for part in claims_figure._canvas(claims).subfigs for axes in part.axes]


def test_a_line_has_claim_interval_filled_ours_hollow_paper_and_verdict():
    assert {axes.get_title() for axes in drawn(CLAIMS)} == {"BLEU", "AER"}
    for axes in drawn(CLAIMS):
        group = [one for one in CLAIMS[:3] if one.measure == axes.get_title()]
        names = [" ".join(label.get_text().split()) for label in axes.get_yticklabels()]
        assert names == [one.claim for one in group]
        assert [text.get_text() for text in axes.texts] == [one.verdict for one in group]
        lines = [line for line in axes.get_lines() if len(set(line.get_ydata())) == 1]
        hollow = [line for line in lines if line.get_markerfacecolor() == "none"]
        points = [line for line in lines if line.get_marker() == "o" and line not in hollow]
        bars = [line for line in lines if line.get_marker() == "None"]
        at = [line.get_ydata()[0] for line in points]
        bottom, top = axes.get_ylim()
        assert bottom > at[-1] >= at[0] > top  # the first claim stands on top
        assert at == list(axes.get_yticks()) == sorted(at)
        assert [line.get_xdata()[0] for line in points] == [one.ours for one in group]
        assert [line.get_color() for line in points] == [COLORS[one.verdict] for one in group]
        assert [list(line.get_xdata()) for line in bars] == [[one.low, one.high] for one in group]
        papers = {line.get_ydata()[0]: line.get_xdata()[0] for line in hollow}
        sizes = zip(at, [one.paper for one in group], strict=True)
        assert papers == {y: size for y, size in sizes if size is not None}


def test_each_measure_has_its_axes_in_two_columns_of_like_height():
    many = [made_claim(str(k), measure=f"measure {k % 5}", ours=10.0**k) for k in range(25)]
    titles = [
        [axes.get_title() for axes in part.axes] for part in claims_figure._canvas(many).subfigs
    ]
    assert sorted(chain(*titles)) == [f"measure {k}" for k in range(5)]
    assert sorted(map(len, titles)) == [2, 3]
    assert len(claims_figure._canvas(many[:1]).subfigs) == 1


def test_the_file_is_as_wide_as_a_column_with_each_claim_above_its_interval(tmp_path):
    long = made_claim("long", claim="Long words stand in two lines. " * 3, verdict="refuted")
    with style():
        canvas = claims_figure._column([*CLAIMS, long])
    assert canvas.get_figwidth() == COLUMN == 3.3
    assert [axes.get_title(loc="left") for axes in canvas.axes] == ["BLEU", "AER"]
    write_claims_figure([*CLAIMS, long], tmp_path)
    assert least_letters(tmp_path / "claims.svg") >= 7
    for axes in canvas.axes:
        places = [line.get_ydata()[0] for line in axes.get_lines() if line.get_marker() == "o"]
        claims = [text for text in axes.texts if text.get_position()[0] == 0]
        tops = [text.get_position()[1] for text in claims]
        lines = [len(text.get_text().splitlines()) for text in claims]
        ends = [top + count for top, count in zip(tops, lines, strict=True)]
        for y in places:  # below a claim's last line, above the next claim
            assert any(end < y < top for end, top in zip(ends, [*tops[1:], 99], strict=True))


def test_the_picture_of_the_page_is_safe_and_has_names_of_its_own():
    nasty = made_claim("x", claim=f"$x$ {NASTY} {'long words ' * 20}more")
    pictures, ids = claims_svgs([nasty], "prefix"), list[str]()
    assert [*pictures] == ["wide", "narrow"]
    for text in pictures.values():
        root = ElementTree.fromstring(text)
        shown = " ".join(element.text or "" for element in root.iter())
        assert NASTY in shown
        assert "$x$" in shown
        assert NASTY not in text
        ids += [one for e in root.iter() if (one := e.get("id"))]
        assert "#fff" not in text  # a page may be dark
        assert (root.get("role"), "currentColor" in text, "<style" in text) == ("img", True, False)
    assert len({*ids}) == len(ids)
    assert all(one.startswith("prefix-") for one in ids)


def test_no_file_is_written_without_a_tested_claim(tmp_path):
    write_claims_figure(CLAIMS[3:], tmp_path / "c")
    assert not (tmp_path / "c").exists()
    assert claims_svgs(CLAIMS[3:], "p") == claims_svgs([], "p") == {}
    assert claims_table([]) is None


def test_the_table_has_a_row_for_every_claim():
    both = {"variants": "2 of 2", "links": "silver"}
    table = claims_table([*CLAIMS, made_claim("e", measure="AER", **both)])
    assert table.cell("b", "ours") == Size(0.0271, 3)  # a rate has three decimals, BLEU two
    rows = [line.split(" | ")[1:-1] for line in markdown(table, "captions").splitlines()[4:]]
    assert rows == [
        ["confirmed", "BLEU", "+1.30", "+4.00", "+3.00 to +5.00", "0.002", "", "5"],
        ["refuted", "AER", "-0.050", "+0.027", "+0.010 to +0.040", "0.002", "", "5"],
        ["undecided", "BLEU", "", "-0.20", "-1.00 to +0.60", "0.400", "", "5"],
        ["not tested", "BLEU", "+1.30", "", "", "", "", ""],
        [
            *("confirmed", "AER, silver links", "+1.300", "+4.000", "+3.000 to +5.000"),
            *("0.002", "2 of 2", "5"),
        ],
    ]
