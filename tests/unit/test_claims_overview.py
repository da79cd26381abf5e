"""All claims on several texts in one picture: each value toward its claim or against it."""

import runpy
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_report import made_claim
from matplotlib.figure import Figure

from attnmt.reporting import claims_overview
from attnmt.reporting.claims_figure import COLORS, GRAY
from attnmt.reporting.claims_overview import FARTHEST, write_claims_overview

ROOT = Path(__file__).parents[2]


@pytest.fixture
def panels(monkeypatch):
    """Return the axes of a picture, by the title of each text."""
    kept: list[Figure] = []
    monkeypatch.setattr(claims_overview, "save_svg", lambda canvas, path: kept.append(canvas))

    def draw(experiments):
        write_claims_overview(experiments, Path("unused.svg"))
        return {axes.get_title("left"): axes for axes in kept[-1].axes}

    return draw


def marks(axes):
    return [
        (line.get_marker(), float(line.get_xdata()[0]))
        for line in axes.get_lines()
        if line.get_marker() != "None"
    ]


def test_a_value_lies_toward_its_claim_in_half_widths_from_its_bound(panels):
    here = [
        made_claim("more", sign="greater", bound=0.0, ours=3.0, low=1.0, high=5.0),
        made_claim("less", sign="less", bound=0.5, ours=-0.5, low=-1.0, high=0.0, p_holm=0.06),
        made_claim("not lower", sign="greater", bound=-0.01, ours=-0.03, low=-0.04, high=-0.02),
        made_claim("far", sign="greater", bound=0.0, ours=-50.0, low=-51.0, high=-49.0),
        made_claim("an order", compare="rank"),
        made_claim("no width", ours=0.0, low=0.0, high=0.0, p_holm=1.0, verdict="undecided"),
    ]
    both = panels({"here": here, "there": [made_claim("more", verdict="undecided", ours=None)]})
    assert marks(both["here"]) == [
        ("o", pytest.approx(1.5)),
        ("o", pytest.approx(2.0)),
        ("o", pytest.approx(-2.0)),
        ("<", -FARTHEST - 0.7),
        ("o", -FARTHEST),
    ]
    colors = [line.get_color() for line in both["here"].get_lines() if line.get_marker() == "o"]
    assert colors == [COLORS["confirmed"], GRAY, COLORS["refuted"], COLORS["refuted"]]
    words = [text.get_text() for text in both["there"].texts]
    assert words == ["undecided", *["not tested"] * 4]
    assert marks(both["there"]) == []


@pytest.mark.parametrize("picture", ["claims", "alignment"])
def test_a_picture_in_git_shows_the_reports_in_git(picture, tmp_path, monkeypatch):
    git = ["git", "-C", str(ROOT)]
    patterns = ["reports/*/claims.csv", "reports/*/scores.csv", f"docs/{picture}.svg"]
    files = subprocess.run([*git, "ls-files", *patterns], capture_output=True, check=False).stdout
    if not files:
        pytest.skip("this is no checkout of git")
    checkout = [*git, "checkout-index", "--stdin", "--force", f"--prefix={tmp_path}/"]
    subprocess.run(checkout, input=files, check=True)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "docs/pictures.py"))[f"draw_{picture}"](tmp_path / "again.svg")
    first, again = (
        seen(path) for path in (tmp_path / f"docs/{picture}.svg", tmp_path / "again.svg")
    )
    assert first == again, "run: make pictures"


def seen(picture: Path) -> list[object]:
    """Return the text of a picture, and where its marks are, in points."""
    elements = [*ElementTree.parse(picture).iter()]
    marks = [(e.get("x"), e.get("y")) for e in elements if e.tag.endswith("}use")]
    places = [(round(float(x)), round(float(y))) for x, y in marks if x and y]
    return [element.text for element in elements if element.text] + places
