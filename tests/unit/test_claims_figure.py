"""The claims as a picture: each with its interval, both sizes and the verdict."""

from made_report import NASTY, least_letters, made_claim

from attnmt.reporting.claims_figure import claims_svg, write_claims_figure

CLAIMS = [
    made_claim("a", verdict="confirmed"),
    made_claim("b", verdict="refuted", measure="AER", paper=-0.05, ours=0.03, low=0.01, high=0.04),
    made_claim("c", verdict="undecided", paper=None, ours=-0.2, low=-1.0, high=0.6, p_holm=0.4),
    made_claim("d", verdict="not tested", ours=None, low=None, high=None, p_holm=None, seeds=None),
]


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
