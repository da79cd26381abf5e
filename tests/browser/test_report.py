"""The report's page in a browser: Debian's Chromium, driven by Playwright, without a network.

In every test the page must request nothing and write nothing to the console.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from made_report import LONG, TEXT, page_of, write_report

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright: pip install -e .[dev]"
)
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")

LAPTOP, PHONE = (1280, 800), (390, 844)
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a made-up report's file."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "index.html").write_text(page_of(write_report()), encoding="utf-8")
    return (folder / "index.html").as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a browser."""
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Open]:
    """Return a function that opens the report. Requests and messages fail the test at its end."""
    messages: list[str] = []
    requests: list[str] = []
    contexts = []

    def open_report(size: tuple[int, int] = LAPTOP, scheme: str = "light", **options: Any) -> Any:
        viewport = {"width": size[0], "height": size[1]}
        options |= {"viewport": viewport, "color_scheme": scheme, "reduced_motion": "reduce"}
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(address)
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert messages == []
    assert {url for url in requests if not url.startswith("data:")} == {address}


def systems(page: Any, table: str) -> list[str]:
    """Return the first column of a table, from top to bottom."""
    names: list[str] = page.locator(f"#{table} tbody th").all_inner_texts()
    return names


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_the_page_fits_its_width_and_only_tables_scroll_sideways(
    open_page: Open, size: tuple[int, int], scheme: str
) -> None:
    page = open_page(size, scheme)
    for summary in page.locator("summary").all():  # folded parts are checked too
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    column = page.locator("#table_made tbody th").first
    left = column.bounding_box()["x"]
    page.locator("#table_made .scroller").evaluate("box => { box.scrollLeft = 1000; }")
    assert column.bounding_box()["x"] == left


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_headings_sort_up_then_down_then_as_before(open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(size)
    published = systems(page, "table1")
    button = page.locator("#table1 thead button").last
    button.click()
    heading = page.locator("#table1 thead th").last
    assert heading.get_attribute("aria-sort") == "ascending"
    assert systems(page, "table1")[0] == "Base"  # 11.3, the paper's lowest
    button.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert systems(page, "table1")[0] == "Ensemble of 8 models + unk replace"
    button.press("Enter")
    assert heading.get_attribute("aria-sort") is None
    assert systems(page, "table1") == published


def test_numbers_sort_as_numbers_and_empty_cells_stay_below(open_page: Open) -> None:
    page = open_page()
    page.locator("#table_made thead button").nth(1).click()
    assert systems(page, "table_made") == [f"{LONG} 2", f"{LONG} 10"]
    ours = page.locator("#table1 thead button").nth(1)
    for _ in range(2):
        ours.click()
        assert page.locator("#table1 tbody tr").last.locator(".cell").count() == 0


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_card_opens_by_click_and_closes(open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(size)
    cell = page.locator("#table1 .cell").nth(2)
    cell.click()
    card = page.locator(".card:popover-open")
    assert "global_location_feed" not in card.inner_text()
    assert "base_reverse_dropout" in card.inner_text()
    assert cell.inner_text() in card.inner_text()
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size[0]
    assert box["y"] + box["height"] <= size[1]
    cell.click()
    assert card.count() == 0


def test_cards_work_with_the_keyboard_only(open_page: Open) -> None:
    page = open_page()
    page.locator("#table1 thead button").last.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    card = page.locator(".card:popover-open")
    assert "base_reverse_dropout" in card.inner_text()
    assert "verdict" in card.inner_text()
    page.keyboard.press("Escape")
    assert card.count() == 0
    assert page.evaluate("document.activeElement.dataset.what") == "verdict"
    page.keyboard.press("Tab")  # the Tab key stops once in a table
    assert not page.evaluate("document.activeElement.matches('#table1 .cell')")


def test_card_shows_while_a_mouse_rests_on_a_cell(open_page: Open) -> None:
    page = open_page()
    page.locator("#table1 .cell").first.hover()
    page.locator(".card:popover-open").wait_for()
    page.locator("h1").hover()
    page.locator(".card:popover-open").wait_for(state="detached")


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_switch_hides_a_system_in_both_panels(open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(size)
    entry = page.locator("#figure5 .legend label").first
    lines = page.locator(f"#figure5 .panel [data-series={entry.get_attribute('data-series')}]")
    assert [line.is_visible() for line in lines.all()] == [True, True]
    entry.click()
    assert [line.is_visible() for line in lines.all()] == [False, False]
    assert page.locator("#figure5 .panel [data-series]:visible").count() > 2
    entry.locator("input").press("Space")
    assert [line.is_visible() for line in lines.all()] == [True, True]


def test_pointing_at_a_switch_brings_its_lines_forward(open_page: Open) -> None:
    page = open_page()
    page.locator("#figure5 .legend").get_by_text("Base + reverse + dropout", exact=True).hover()
    opacity = "lines => lines.map(line => Number(getComputedStyle(line).opacity))"
    opacities = page.locator("#figure5 .panel:last-child [data-series]").evaluate_all(opacity)
    assert [value == 1 for value in opacities] == [False, True, False, False]


def weights(page: Any, panel: int = 0) -> list[str]:
    """Return the numbers below the words of a panel's source line."""
    numbers: list[str] = (
        page.locator(".matrix").nth(panel).locator(".source small").all_inner_texts()
    )
    return numbers


def test_word_shows_its_links_in_both_matrices(open_page: Open) -> None:
    page = open_page()
    # Model k of made_report attends from word t to word t + k: local-m is the third, global the second.
    page.locator(".matrix").first.locator(".target .word").nth(1).hover()
    assert weights(page, 0) == ["60", "13", "13", "13"]
    assert weights(page, 1) == ["13", "13", "13", "60"]
    matrix = page.locator(".matrix").first
    assert matrix.locator("td.marked").all_inner_texts() == ["60", "13", "13", "13"]
    assert matrix.locator(".source .linked").inner_text().startswith(TEXT["en"][1])
    assert matrix.locator("td.gold").count() == 3
    page.locator("h1").hover()
    assert weights(page) == ["", "", "", ""]


def test_source_word_shows_its_column(open_page: Open) -> None:
    page = open_page()
    page.locator(".matrix").first.locator("thead th").first.hover()
    below = page.locator(".matrix").first.locator(".target small").all_inner_texts()
    assert below == ["13", "60", "13", "13", "13"]


def test_words_are_reached_by_tapping_and_by_keyboard(open_page: Open) -> None:
    page = open_page(PHONE, has_touch=True)
    page.locator(".target .word").first.tap()
    assert weights(page) == ["13", "13", "13", "60"]
    page.keyboard.press("ArrowRight")
    assert weights(page) == ["60", "13", "13", "13"]
    assert "60%" in page.locator("#attention [role=status]").inner_text()


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_model_text_and_sentence_can_be_switched(open_page: Open, size: tuple[int, int]) -> None:
    page = open_page(size)

    def strongest() -> int:
        numbers = page.locator(".matrix").first.locator("tbody tr").first.locator("td")
        return numbers.all_inner_texts().index("60")

    assert strongest() == 3  # local-m, model 3
    page.locator("[name=model]").select_option("global_location_feed")
    assert strongest() == 2
    page.get_by_text("Own translation", exact=True).click()
    assert strongest() == 3
    assert page.locator(".matrix").first.locator("td.gold").count() == 0
    page.get_by_label("Next sentence").click()
    chosen = page.locator("[name=sentence]").evaluate("select => select.selectedOptions[0].text")
    assert chosen.startswith("line 2: a red")
    page.locator("[name=beside]").select_option("")
    assert page.locator(".matrix").count() == 1


def test_samples_switch_direction(open_page: Open) -> None:
    page = open_page()
    german = page.locator("[data-direction=backward]")
    assert not german.is_visible()
    page.get_by_text("German-English", exact=True).locator("visible=true").last.click()
    assert german.is_visible()
    assert not page.locator("[data-direction=forward]").is_visible()


def test_theme_follows_the_system_until_it_is_chosen(open_page: Open) -> None:
    page = open_page(scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.locator("#theme").click()
    light = page.evaluate(ground)
    assert dark != light
    end = time.monotonic() + 20  # the stored choice reaches a new page a moment later
    page.reload()
    while page.evaluate(ground) != light and time.monotonic() < end:
        page.reload()
    assert page.evaluate(ground) == light


def test_numbers_and_figures_are_there_without_javascript(open_page: Open) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("#table1 tbody tr").first.is_visible()
    assert page.locator("#figure5 svg[role=img]").first.is_visible()
    assert not page.locator("#attention-view").is_visible()
    page.locator("#table1 .cell").first.click()
    assert page.locator(".card:popover-open").is_visible()
