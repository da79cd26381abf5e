"""The report's page in a browser."""

import time

import pytest
from made_report import (
    MODELS,
    ROOT,
    TEXT,
    made_claim,
    of_own_text,
    own_numbers,
    page_of,
    write_report,
)

from attnmt.layout import Layout
from attnmt.scoring.numbers import write_numbers

LAPTOP, PHONE = (1280, 800), (390, 844)
SIZES = pytest.mark.parametrize("size", [LAPTOP, PHONE])


def write_page(folder, **options):
    """Write a made-up report's page into a folder; return its address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "index.html").write_text(page_of(write_report(**options)), encoding="utf-8")
    return (folder / "index.html").as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Return the address of a report of one seed."""
    return write_page(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def own_address(tmp_path_factory):
    """Return the address of a report on a text of one's own."""
    folder = tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        params = of_own_text(write_report())
        write_numbers(Layout(params.experiment).numbers, own_numbers(params).lines)
        (folder / "index.html").write_text(page_of(params), encoding="utf-8")
    return (folder / "index.html").as_uri()


@SIZES
def test_gain_and_verdict_of_ones_own_text_and_its_commands_are_on_the_screen(
    open_page, size, own_address
):
    page = open_page(size, page_address=own_address)
    for text in ("gain 95%", "verdict"):
        box = page.locator("#table_compared thead th").filter(has_text=text).first.bounding_box()
        assert box["x"] + box["width"] <= size[0], text
    assert page.locator("#use pre").evaluate("box => box.scrollWidth - box.clientWidth") == 0
    page.goto(own_address + "#attention")
    title = page.locator(".matrix h3").first.inner_text()
    assert title.split() == [page.locator("[name=model]").input_value()]


def ours(page, table):
    """Return a table of our numbers; systems of others are in a second one below it."""
    return page.locator(f"#{table} table").first


def rows(page, table):
    """Return the first column of a table, from top to bottom."""
    return ours(page, table).locator("tbody th").all_inner_texts()


def heading(page, table, text):
    """Return a column's heading."""
    return ours(page, table).locator("thead th").filter(has=page.get_by_text(text, exact=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@SIZES
def test_the_page_fits_its_width_and_only_tables_scroll_sideways(open_page, size, scheme):
    page = open_page(size, scheme)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    column = page.locator("#table4 tbody th").first
    left = column.bounding_box()["x"]
    page.locator("#table4 .scroller").first.evaluate("box => { box.scrollLeft = 1000; }")
    assert column.bounding_box()["x"] == left


def test_no_column_is_cut_on_a_laptop_and_rows_of_others_are_folded(open_page, tmp_path):
    page = open_page(page_address=write_page(tmp_path, seeds=2))
    page.evaluate(
        "document.querySelectorAll('details.group').forEach(part => { part.open = true; })"
    )
    for name in ("table1", "table3", "table4", "table6", "table_scripts", "table_cost"):
        box = page.locator(f"#{name} .scroller").first
        assert box.evaluate("box => box.scrollWidth - box.clientWidth") == 0, name
    others = page.locator("#table1 .others tbody th")
    assert not others.first.is_visible()
    page.locator("#table1 .others summary").click()
    assert "RNNsearch (Jean et al. 2015)" in others.all_inner_texts()


@pytest.mark.parametrize("where", ["made", "demo"])
def test_the_first_screen_of_table_1_on_a_phone_shows_numbers_of_ours(open_page, where):
    """The report of the demo in git has longer labels than the made-up one has."""
    other = {"page_address": (ROOT / "reports/demo/index.html").as_uri()} if where == "demo" else {}
    page = open_page(PHONE, at="#table1", **other)
    column = page.locator("#table1 tbody th").first.bounding_box()
    seen = [
        cell.inner_text()
        for cell in page.locator("#table1 .cell").all()
        if (box := cell.bounding_box())
        and box["x"] >= column["x"] + column["width"] - 1
        and box["x"] + box["width"] <= PHONE[0]
        and 0 <= box["y"] <= PHONE[1] - box["height"]
    ]
    assert len(seen) >= 3
    assert all(float(text.split()[0]) > 0 for text in seen[:3])


def test_groups_are_folded_and_a_link_opens_the_one_that_it_leads_into(open_page):
    page = open_page()
    groups = page.locator("details.group")
    assert [group.get_attribute("open") for group in groups.all()] == [None] * groups.count()
    assert page.locator("#table1").is_visible()
    assert page.locator("#figure5").is_visible()
    assert not page.locator("#table4").is_visible()
    page.locator(".contents a[href='#table4']").click()
    page.locator("#table4").wait_for(state="visible")
    assert not page.locator("#table_cost").is_visible()  # in another group
    assert abs(page.locator("#table4").bounding_box()["y"]) < LAPTOP[1]
    linked = open_page(at="#attention")
    assert linked.locator("#attention-view").is_visible()


def test_the_picture_of_the_claims_is_as_wide_as_the_window(open_page, tmp_path):
    claims = [made_claim("one"), made_claim("two", verdict="refuted")]
    claims.append(made_claim("three", measure="AER"))  # it stands at the right, or below
    other = write_page(tmp_path, models=MODELS[:2], claims=claims, seeds=2)
    for size in (LAPTOP, PHONE):
        page = open_page(size, page_address=other)
        (picture,) = page.locator(".claims svg[role=img]:visible").all()
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]
        for text in ("refuted", "AER"):
            box = picture.get_by_text(text, exact=True).bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] <= size[0], text
            assert box["height"] >= 8, text


def test_a_phone_shows_the_columns_that_matter_until_all_are_asked_for(open_page):
    """The Tab key and the arrows stop only at what is shown."""
    page = open_page(PHONE)
    shown = ours(page, "table1").locator("thead th:visible")
    few = ["system", "paper BLEU", "BLEU 95%", "paper gain", "gain 95%", "p"]
    names = [" ".join(text.split()) for text in shown.all_inner_texts()]
    assert names == few
    ours(page, "table1").locator("thead button:visible").last.focus()
    page.keyboard.press("Tab")
    cells = page.locator("#table1 .cell:visible")
    is_here = "cell => cell === document.activeElement"
    assert cells.first.evaluate(is_here)
    page.keyboard.press("ArrowRight")
    assert cells.nth(1).evaluate(is_here)
    page.locator("#table1").get_by_label("All columns").check()
    assert "ppl" in shown.all_inner_texts()
    assert shown.count() > len(few)
    assert not open_page(LAPTOP).get_by_label("All columns").first.is_visible()


@SIZES
def test_headings_sort_up_then_down_then_as_before(open_page, size):
    page = open_page(size)
    published = rows(page, "table1")
    column = heading(page, "table1", "paper BLEU")
    column.get_by_role("button").click()
    assert column.get_attribute("aria-sort") == "ascending"
    assert rows(page, "table1")[0] == "Base"  # 11.3, the paper's lowest
    column.get_by_role("button").press("Enter")
    assert column.get_attribute("aria-sort") == "descending"
    assert rows(page, "table1")[0].endswith("unk replace")  # 20.9
    column.get_by_role("button").press("Enter")
    assert column.get_attribute("aria-sort") is None
    assert rows(page, "table1") == published


def test_numbers_sort_as_numbers_and_empty_cells_stay_below(open_page):
    page = open_page()
    button = heading(page, "table1", "ppl").get_by_role("button")
    for reverse in (False, True):
        button.click()
        texts = ours(page, "table1").locator("tbody tr td:nth-child(3)").all_inner_texts()
        numbers = [float(text) for text in texts if text]
        assert texts[: len(numbers)] == [f"{n:.1f}" for n in sorted(numbers, reverse=reverse)]


@SIZES
def test_card_opens_by_click_and_closes(open_page, size):
    page = open_page(size, at="#table1")
    row = page.locator("#table1 tr").filter(has_text="Base + reverse + dropout")
    cell = row.locator(".cell:visible")
    cell.first.click()
    card = page.locator(".card:popover-open")
    assert "base_reverse_dropout" in card.inner_text()
    assert " ".join(cell.first.inner_text().split()) in card.inner_text()
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size[0]
    assert box["y"] + box["height"] <= size[1]
    cell.first.click()
    assert card.count() == 0


def test_cards_work_with_the_keyboard_only_and_with_a_mouse_that_rests(open_page):
    page = open_page()
    ours(page, "table1").locator("thead button").last.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    card = page.locator(".card:popover-open")
    assert "Base + reverse" in card.inner_text()
    number = "document.activeElement.firstChild.textContent"
    what = page.evaluate(number)
    assert what.strip() in card.inner_text()
    page.keyboard.press("Escape")
    assert card.count() == 0
    assert page.evaluate(number) == what
    page.keyboard.press("Tab")  # the Tab key stops once in a table
    assert not page.evaluate("document.activeElement.matches('#table1 .cell')")
    page.locator("#table1 .cell").first.hover()  # a card shows while a mouse rests on a cell
    page.locator(".card:popover-open").wait_for()
    page.locator("h1").hover()
    page.locator(".card:popover-open").wait_for(state="detached")


@SIZES
def test_switch_hides_a_system_or_brings_it_forward(open_page, size):
    page = open_page(size)
    entry = page.locator("#figure5 .legend label").first
    lines = page.locator(f"#figure5 .panel [data-series={entry.get_attribute('data-series')}]")
    assert [line.is_visible() for line in lines.all()] == [True, True]
    entry.click()
    assert [line.is_visible() for line in lines.all()] == [False, False]
    assert page.locator("#figure5 .panel [data-series]:visible").count() > 2
    entry.locator("input").press("Space")
    assert [line.is_visible() for line in lines.all()] == [True, True]
    page.locator("#figure5 .legend label").nth(2).hover()  # brings its lines forward
    opacity = "lines => lines.map(line => Number(getComputedStyle(line).opacity))"
    opacities = page.locator("#figure5 .panel:last-child [data-series]").evaluate_all(opacity)
    assert [value == 1 for value in opacities] == [False, False, True, False, False]


def weights(page, panel=0):
    """Return the numbers below the words of a panel's source line."""
    return page.locator(".matrix").nth(panel).locator(".source small").all_inner_texts()


def test_word_shows_its_links_in_both_matrices(open_page):
    page = open_page(at="#attention")
    # Model k of made_report attends from word t to word t + k: local-m is 4, global 3.
    page.locator(".matrix").first.locator(".target .word").nth(1).hover()
    assert weights(page, 0) == ["13", "60", "13", "13"]
    assert weights(page, 1) == ["60", "13", "13", "13"]
    matrix = page.locator(".matrix").first
    assert matrix.locator("td.marked").all_inner_texts() == ["13", "60", "13", "13"]
    assert matrix.locator(".source .linked").inner_text().startswith(TEXT["en"][1])
    assert matrix.locator("td.gold").count() == 3
    page.locator(".pair ~ .key").hover()
    assert weights(page) == ["", "", "", ""]
    matrix.locator("thead th").first.hover()  # a source word shows its column
    below = matrix.locator(".target small").all_inner_texts()
    assert below == ["60", "13", "13", "13", "60"]


def test_words_are_reached_by_tapping_and_by_keyboard(open_page):
    page = open_page(PHONE, at="#attention", has_touch=True)
    page.locator(".target .word").first.tap()
    assert weights(page) == ["60", "13", "13", "13"]
    page.keyboard.press("ArrowRight")
    assert weights(page) == ["13", "60", "13", "13"]
    assert "60%" in page.locator("#attention [role=status]").inner_text()


@SIZES
def test_model_text_and_sentence_can_be_switched(open_page, size):
    page = open_page(size, at="#attention")

    def strongest():
        numbers = page.locator(".matrix").first.locator("tbody tr").first.locator("td")
        return numbers.all_inner_texts().index("60")

    assert strongest() == 0  # local-m, model 4, of 4 words
    page.locator("[name=model]").select_option("global_location_feed")
    assert strongest() == 3
    page.get_by_text("Own translation", exact=True).click()
    assert strongest() == 0
    assert page.locator(".matrix").first.locator("td.gold").count() == 0
    page.get_by_label("Next sentence").click()
    chosen = page.locator("[name=sentence]").evaluate("select => select.selectedOptions[0].text")
    assert chosen.startswith("line 2: a red")
    page.locator("[name=beside]").select_option("")
    assert page.locator(".matrix").count() == 1


def test_samples_switch_direction(open_page):
    page = open_page(at="#table5")
    german = page.locator("[data-direction=backward]")
    assert not german.is_visible()
    page.locator("#table5").get_by_text("German-English", exact=True).click()
    assert german.is_visible()
    assert not page.locator("[data-direction=forward]").is_visible()


def test_text_runs_in_the_direction_of_its_script(open_page):
    """Of Arabic or Hebrew, the full stop stands at the left."""
    sample = open_page(at="#table5").locator("#table5 dd").first
    direction = "element => getComputedStyle(element).direction"
    assert sample.evaluate(direction) == "ltr"
    sample.evaluate("element => { element.textContent = 'هل أنت جائع؟'; }")
    assert sample.evaluate(direction) == "rtl"


def test_theme_follows_the_system_until_it_is_chosen(open_page):
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


def test_numbers_and_figures_are_there_without_javascript(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator("#table1 tbody tr").first.is_visible()
    assert page.locator("#figure5 svg[role=img]").first.is_visible()
    page.locator("details.group > summary").first.click()
    assert page.locator("#table4 tbody tr").first.is_visible()
    assert not page.locator("#attention-view").is_visible()
    page.locator("#table1 .cell").first.click()
    assert page.locator(".card:popover-open").is_visible()
