"""The page of ``attnmt explain`` in a browser."""

from typing import Any

import pytest

from attnmt.config import Language
from attnmt.decoding.explanation import Explained, Explanation, Replacement, Span, Unit
from attnmt.reporting.explain_page import Shown, make_explain_page

LAPTOP, PHONE = (1280, 800), (390, 844)
SOURCE = ["Trosto", "visits", "a", "woman", "."]
LANGUAGES = (
    Language(code="en", name="English", tokenize="moses"),
    Language(code="de", name="German", tokenize="moses"),
)


def explained(words: list[str], shift: int, spans: bool) -> Explained:
    """Return a made-up translation; step t has weight 0.6 at word t + shift."""
    S = len(SOURCE)
    units = [Unit(word, i, word != "<unk>") for i, word in enumerate([*words, "</s>"])]
    weights = [[0.6 if s == (t + shift) % S else 0.1 for s in range(S)] for t in range(len(units))]
    windows = [Span(t + 0.4, max(0, t - 1), min(S - 1, t + 1)) for t in range(S)] if spans else []
    windows += windows[-1:] * (len(units) - len(windows)) if spans else []
    log_p = [-0.5] * len(units)
    return Explained(" ".join(words), units, sum(log_p), log_p, weights, windows, [], [])


def shown(name: str, spans: bool) -> Shown:
    """Return a made-up explanation with two candidates and a reference."""
    best = explained(["<unk>", "besucht", "eine", "Frau", "."], 0, spans)
    best.replacements.append(Replacement(0, 0, "Trosto", "copy", "Trosto"))
    best.read.append((0, 0))
    other = explained(["Er", "besucht", "eine", "Frau", "."], 1, spans)
    reference = explained(["Trosto", "besucht", "eine", "Frau", "."], 2, spans)
    source = [Unit(word, i, word != "Trosto") for i, word in enumerate(SOURCE)]
    window, D = ("local_p", 1) if spans else ("global", None)
    settings = 1, "backwards", True, window, D
    explanation = Explanation(*settings, "same", 5, source, [best, other], reference)
    about = "demo", name, f"label of {name}", LANGUAGES, 8500, (600, 700), "words", None
    return Shown(*about, explanation)


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    models = [shown("local", spans=True), shown("global", spans=False)]
    page = make_explain_page(" ".join(SOURCE), "Trosto besucht eine Frau .", models)
    path = tmp_path_factory.mktemp("page") / "explain.html"
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


def box(element: Any) -> Any:
    return element.bounding_box()


@pytest.mark.parametrize(("size", "scheme"), [(LAPTOP, "light"), (PHONE, "dark")])
def test_models_stand_side_by_side_or_below_each_other_and_the_matrices_come_first(
    open_page, size, scheme
):
    page = open_page(size, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    first, second = (box(page.locator(".model").nth(i)) for i in (0, 1))
    matrices = [box(page.locator(".model .weights").nth(i)) for i in (0, 2)]
    if size == LAPTOP:
        assert first["y"] == second["y"]
        assert first["x"] + first["width"] < second["x"]
        assert matrices[0]["y"] == matrices[1]["y"]
    else:
        assert first["y"] + first["height"] <= second["y"]
        assert matrices[0]["y"] < PHONE[1] / 2
        last = box(page.locator(".weights").last)
        for below in (".candidates", ".units"):
            assert box(page.locator(below).first)["y"] > last["y"] + last["height"]


def row(page: Any, panel: int, t: int) -> list[str]:
    rows = page.locator(".matrix").nth(panel).locator("tbody tr")
    cells: list[str] = rows.nth(t).locator("td").all_inner_texts()
    return cells


def test_a_matrix_has_weights_log_p_and_the_window(open_page):
    page = open_page()
    assert row(page, 0, 2) == ["10", "10", "60", "10", "10", "-0.50", "2.4"]
    assert row(page, 2, 2) == ["10", "10", "60", "10", "10", "-0.50"]
    cells = page.locator(".matrix").first.locator("tbody tr").nth(2).locator("td")
    inside = [i for i in range(5) if "inside" in cells.nth(i).get_attribute("class")]
    assert inside == [1, 2, 3]
    assert page.locator(".matrix").nth(2).locator(".inside").count() == 0
    assert page.locator(".matrix").first.locator("td.gold").all_inner_texts() == ["60"]


def test_a_line_goes_through_p_of_each_row(open_page):
    page = open_page()
    (line, *halos) = page.locator(".matrix").first.locator("polyline").all()[::-1]
    assert len(halos) == 1
    places = line.evaluate(
        "line => [...line.points].map((one) => one.matrixTransform(line.getScreenCTM()))"
        ".map(({ x, y }) => [x, y])"
    )
    rows = page.locator(".matrix").first.locator("tbody tr").all()
    expected = [0.4, 1.4, 2.4, 3.4, 4.4, 4.4]  # beyond the last word's center at 4
    for (x, y), row, p in zip(places, rows, expected, strict=True):
        first, second = (box(row.locator("td").nth(i)) for i in (0, 1))
        center, width = first["x"] + first["width"] / 2, second["x"] - first["x"]
        assert x == pytest.approx(center + p * width, abs=1)
        assert y == pytest.approx(first["y"] + first["height"] / 2, abs=1)
    assert page.locator(".matrix").nth(2).locator("polyline").count() == 0


def test_candidates_and_words_are_chosen_with_the_keyboard(open_page):
    page = open_page()
    page.locator(".matrix").first.locator(".target .word").nth(1).focus()
    for panel in (0, 2):
        below = page.locator(".matrix").nth(panel).locator(".source small").all_inner_texts()
        assert below == ["10", "60", "10", "10", "10"]
    # The reference is another sentence, so nothing is marked there.
    assert page.locator(".matrix").nth(1).locator(".source small").first.inner_text() == ""
    assert "window 0 to 2, p 1.4" in page.locator("[role=status]").inner_text()
    assert page.locator(".target .word.unknown").first.inner_text() == "<unk>"
    page.locator("[name=shown-0]").first.focus()
    page.keyboard.press("ArrowDown")
    assert row(page, 0, 0)[:5] == ["10", "60", "10", "10", "10"]
    assert [page.locator(".matrix h3").nth(i).inner_text() for i in range(3)] == [
        *("Candidate 2", "Reference", "Candidate 1")
    ]


def test_names_and_roles_are_there_for_a_screen_reader(open_page):
    page = open_page()
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("region", name="label of local demo").count() == 1
    assert page.get_by_role("radio", name="Show candidate 2").count() == 2
    table = page.get_by_role("table", name="Candidate 1").first
    assert table.get_by_role("columnheader").all_inner_texts()[-2:] == ["log p", "pt"]
    assert table.get_by_role("rowheader").first.inner_text() == "<unk>"


def test_all_but_the_matrices_is_there_without_javascript(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator(".candidates tbody tr").first.is_visible()
    assert not page.locator(".matrices").first.is_visible()
