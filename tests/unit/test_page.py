"""The report's page shows all results, takes no text as markup, and points nowhere outside."""

import base64
import hashlib
import json
from collections import Counter
from html.parser import HTMLParser
from itertools import chain

import pytest
from made_report import (
    MODELS,
    NASTY,
    changed,
    made_claim,
    made_numbers,
    made_params,
    of_own_text,
    own_numbers,
    page_of,
    write_report,
)

from attnmt.layout import Layout
from attnmt.reporting.page import ADDRESS
from attnmt.reporting.report import make_report
from attnmt.reporting.summary import make_summary
from attnmt.scoring.score_table import ScoreTable, write_score_table


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.texts, self.scripts, self._inside = [], [], [], ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        (self.scripts if self._inside == "script" else self.texts).append(data)

    def values(self, attribute, tag=None):
        """Return an attribute's values in all elements."""
        found = [attrs.get(attribute) for one, attrs in self.elements if tag in (None, one)]
        return [value for value in found if value is not None]


def sections(page):
    """Return the sections that the page opens with, then those of each folded group."""
    parts = page.split("<footer>")[0].split('<details class="group">')
    return [Parsed(part).values("id", "section") for part in parts]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Return the page of a made-up experiment of one seed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("report"))
        return page_of(write_report())


@pytest.fixture
def params(tmp_path, monkeypatch):
    """Return the parameters of a made-up experiment in the working folder."""
    monkeypatch.chdir(tmp_path)
    return write_report()


def test_every_cell_and_caption_of_every_table_is_there(page, params):
    assert page_of(params) == page  # the same files give the same page
    tables = make_report(params).tables
    assert len(tables) == 8
    for table in tables:
        texts = Parsed(page.split(f'<section id="{table.name}">')[1].split("</section>")[0]).texts
        assert table.caption in texts
        assert set(chain(*table.texts())) - {""} <= set(texts)


def test_claims_open_the_page_with_a_picture_but_not_that_of_ones_own_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    claims = [made_claim("one"), made_claim("two", claim=NASTY, verdict="refuted")]
    params = write_report(["base", "base_reverse"], claims, seeds=2)
    text = page_of(params)
    first, *groups = sections(text)
    assert first[0] == "claims_figure"
    assert ["claims"] in groups
    parsed = Parsed(text)
    (picture,) = parsed.values("src")
    assert b"refuted" in base64.b64decode(picture.removeprefix("data:image/svg+xml;base64,"))
    assert {"confirmed", "refuted"} <= set(parsed.values("data-verdict"))
    assert NASTY not in text
    assert "attention" not in parsed.values("id")  # neither system has any
    params = of_own_text(params)
    write_score_table(Layout(params.experiment).score_table, own_numbers(params).lines)
    text = page_of(params)
    first, *groups = sections(text)
    assert first == ["comparisons", "table_systems", "figure5"]
    assert ["claims_figure", "claims"] in groups
    assert "use" in Parsed(text).values("id", "section")
    for name in ("RNNsearch", "Base + reverse", 'id="table1"'):
        assert name not in text


def test_what_stands_in_the_text_is_never_markup(page):
    assert NASTY not in page
    parsed = Parsed(page)
    assert "b" not in {tag for tag, _ in parsed.elements}
    assert NASTY in "".join(parsed.texts)
    assert len(parsed.scripts) == 2
    assert NASTY in json.loads(parsed.scripts[1])["texts"][0]


def test_only_the_citation_points_outside_only_the_script_runs_and_names_are_found_once(page):
    parsed = Parsed(page)
    links, ids = parsed.values("href"), Counter(parsed.values("id"))
    assert parsed.values("src") == []
    assert [link for link in links if ":" in link] == ["data:,", ADDRESS]
    assert "url(" not in page
    assert "@import" not in page
    assert ids.most_common(1)[0][1] == 1
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    policy = next(attrs["content"] for _, attrs in parsed.elements if "http-equiv" in attrs)
    digest = base64.b64encode(hashlib.sha256(parsed.scripts[0].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}';")


def test_the_summary_has_the_systems_that_the_development_set_chooses():
    params = made_params(*MODELS)
    numbers = made_numbers(params)
    best, plain = "local-p (general)", "Base + reverse + dropout"
    shown = [(one.number, one.system) for one in make_summary(params, numbers)]
    assert shown == [("17.0", best), ("+3.0", f"{best} over {plain}"), ("0.20", best)]
    line = numbers.system("base_reverse", "ppl", params.sets.dev)  # others score more on the test
    assert make_summary(params, changed(numbers, line, value=1.5))[0].number == "11.0"
    assert make_summary(params, ScoreTable([])) == []
