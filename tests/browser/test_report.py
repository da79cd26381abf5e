"""The report's page in a browser."""

import pytest
from made_report import MODELS, TEXT, made_claim, page_of, write_report

LAPTOP, PHONE = (1280, 800), (390, 844)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Write a made-up report's page; return its address."""
    folder = tmp_path_factory.mktemp("report")
    claims = [made_claim("one"), made_claim("two", measure="AER", verdict="refuted")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        page = page_of(write_report(MODELS, claims, seeds=2))
    (folder / "index.html").write_text(page, encoding="utf-8")
    return (folder / "index.html").as_uri()


def first_column(page, table):
    """Return the first column of a table, from top to bottom."""
    return page.locator(f"#{table} tbody th").all_inner_texts()


@pytest.mark.parametrize(("size", "scheme"), [(LAPTOP, "light"), (PHONE, "dark")])
def test_the_page_fits_its_width_and_only_tables_scroll_sideways(open_page, size, scheme):
    page = open_page(size, scheme)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == size[0]
    assert page.locator("#claims_figure img").evaluate("image => image.naturalWidth") > 0
    column = page.locator("#table4 tbody th").first
    left = column.bounding_box()["x"]
    page.locator("#table4 .scroller").evaluate("box => { box.scrollLeft = 1000; }")
    assert column.bounding_box()["x"] == left
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(ground[4:7].strip(",")) > 128) == (scheme == "light")


def test_groups_are_folded_and_a_link_opens_the_one_that_it_leads_into(open_page):
    page = open_page()
    assert page.locator("#table1").is_visible()
    assert not page.locator("#table4").is_visible()
    page.locator(".contents a[href='#table4']").click()
    page.locator("#table4").wait_for(state="visible")
    assert not page.locator("#table_cost").is_visible()  # in another group
    assert abs(page.locator("#table4").bounding_box()["y"]) < LAPTOP[1]
    assert open_page(at="#attention").locator("#attention-view").is_visible()


def test_headings_sort_numbers_up_then_down_then_as_before_and_empty_cells_stay_below(open_page):
    page = open_page()
    published, names = first_column(page, "table1"), page.locator("#table1 thead th")
    column = names.filter(has=page.get_by_text("BLEU", exact=True))
    place = names.all_inner_texts().index("BLEU") + 1
    for press, order in (("click", "ascending"), ("Enter", "descending")):
        button = column.get_by_role("button")
        button.click() if press == "click" else button.press(press)
        assert column.get_attribute("aria-sort") == order
        texts = page.locator(f"#table1 tbody tr :nth-child({place})").all_inner_texts()
        numbers = [float(text.split()[0]) for text in texts if text]
        assert 0 < len(numbers) < len(texts)
        assert numbers == sorted(numbers, reverse=order == "descending")
        assert all(texts[: len(numbers)])
    column.get_by_role("button").press("Enter")
    assert column.get_attribute("aria-sort") is None
    assert first_column(page, "table1") == published


def test_a_switch_hides_a_system_or_brings_it_forward_and_a_point_has_its_numbers(open_page):
    page = open_page()
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
    ours = page.locator("#figure5 .panel:last-child circle title")  # what pointing at it shows
    assert ours.first.text_content() == "Base, 100: 10"


def weights(page, panel=0):
    """Return the numbers below the words of a panel's source line."""
    return page.locator(".matrix").nth(panel).locator(".source small").all_inner_texts()


def test_word_shows_its_links_in_both_matrices(open_page):
    page = open_page(at="#attention")
    # Model k of made_report attends from word t to word t + k: local-m is 4, global 3.
    page.locator("[name=model]").select_option("local_m_general_feed")
    page.locator("[name=beside]").select_option("global_location_feed")
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


def test_model_text_and_sentence_can_be_switched(open_page):
    page = open_page(PHONE, at="#attention")

    def strongest():
        numbers = page.locator(".matrix").first.locator("tbody tr").first.locator("td")
        return numbers.all_inner_texts().index("60")

    assert strongest() == 0  # local-m, model 4, of 4 words
    page.locator("[name=model]").select_option("global_location_feed")
    assert strongest() == 3
    page.locator("[name=kind]").select_option("own")
    assert strongest() == 0
    assert page.locator(".matrix").first.locator("td.gold").count() == 0
    page.get_by_label("Next sentence").click()
    chosen = page.locator("[name=sentence]").evaluate("select => select.selectedOptions[0].text")
    assert chosen.startswith("line 2: a red")
    page.locator("[name=beside]").select_option("")
    assert page.locator(".matrix").count() == 1


def test_text_runs_in_the_direction_of_its_script(open_page):
    """Of Arabic or Hebrew, the full stop stands at the left."""
    sample = open_page(at="#table5").locator("#table5 td").last
    direction = "element => getComputedStyle(element).direction"
    assert sample.evaluate(direction) == "ltr"
    sample.evaluate("element => { element.textContent = 'هل أنت جائع؟'; }")
    assert sample.evaluate(direction) == "rtl"


def test_numbers_and_figures_are_there_without_javascript(open_page):
    page = open_page(java_script_enabled=False)
    assert page.locator("#table1 tbody tr").first.is_visible()
    assert page.locator("#figure5 svg[role=img]").first.is_visible()
    page.locator("details.group > summary").nth(1).click()
    assert page.locator("#table4 tbody tr").first.is_visible()
    assert not page.locator("#attention-view").is_visible()
