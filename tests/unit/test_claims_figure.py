"""The claims as a picture: each with its interval, both sizes and the verdict."""

from made_report import NASTY, least_letters, made_claim

from attnmt.reporting.canvas import style
from attnmt.reporting.claims_figure import claims_svg, draw_claims, write_claims_figure

CLAIMS = [
    made_claim("a", verdict="confirmed"),
    made_claim("b", verdict="refuted", measure="AER", paper=-0.05, ours=0.03, low=0.01, high=0.04),
    made_claim("c", verdict="undecided", paper=None, ours=-0.2, low=-1.0, high=0.6, p_holm=0.4),
    made_claim("d", verdict="not tested", ours=None, low=None, high=None, p_holm=None, seeds=None),
]


def test_a_claim_has_its_interval_ours_filled_the_papers_hollow_and_the_verdict():
    with style():
        canvas = draw_claims(CLAIMS[:3])
    axes_of = {axes.get_title(loc="left"): axes for axes in canvas.axes}
    assert list(axes_of) == ["BLEU", "AER"]
    for measure, axes in axes_of.items():
        group = [one for one in CLAIMS[:3] if one.measure == measure]
        assert [text.get_text() for text in axes.texts] == [
            text for one in group for text in (one.claim, one.verdict)
        ]
        lines = [line for line in axes.get_lines() if len(set(line.get_ydata())) == 1]
        hollow = [line for line in lines if line.get_markerfacecolor() == "none"]
        points = [line for line in lines if line.get_marker() == "o" and line not in hollow]
        bars = [line for line in lines if line.get_marker() == "None"]
        at = [line.get_ydata()[0] for line in points]
        bottom, top = axes.get_ylim()
        assert bottom > at[-1] >= at[0] > top  # the first claim stands on top
        assert [line.get_xdata()[0] for line in points] == [one.ours for one in group]
        assert [list(line.get_xdata()) for line in bars] == [[one.low, one.high] for one in group]
        papers = {line.get_ydata()[0]: line.get_xdata()[0] for line in hollow}
        sizes = zip(at, [one.paper for one in group], strict=True)
        assert papers == {y: size for y, size in sizes if size is not None}
        assert len({line.get_color() for line in points}) == len(group)  # one for each verdict


def test_claims_without_a_value_are_left_out_and_words_stay_words(tmp_path):
    write_claims_figure(CLAIMS[3:], tmp_path)
    assert claims_svg(CLAIMS[3:]) == claims_svg([]) == ""
    assert not list(tmp_path.iterdir())
    write_claims_figure([made_claim("x", claim=f"$x$ {NASTY}"), CLAIMS[3]], tmp_path)
    text = (tmp_path / "claims.svg").read_text(encoding="utf-8")
    assert (tmp_path / "claims.pdf").exists()
    assert least_letters(tmp_path / "claims.svg") >= 7
    assert "$x$ &lt;/script" in text
    assert "Claim d" not in text
