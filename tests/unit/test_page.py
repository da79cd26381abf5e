"""The report's page shows all results, takes no text as markup, and points nowhere outside."""

import base64
import hashlib
import json
from collections import Counter
from dataclasses import asdict
from html import unescape
from html.parser import HTMLParser
from itertools import chain

import pytest
from made_report import (
    COMMIT,
    MODELS,
    NASTY,
    changed,
    made_claim,
    made_numbers,
    made_params,
    page_of,
    write_report,
)

from attnmt.decoding.link_step import NOTHING_CHOSE
from attnmt.reporting import attention as packing
from attnmt.reporting.attention import Matrix
from attnmt.reporting.page import ADDRESS, GROUPS, OTHERS
from attnmt.reporting.report import make_report
from attnmt.reporting.summary import Headline, make_summary
from attnmt.scoring.numbers import Numbers


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


def test_every_cell_caption_and_fact_of_every_table_is_there(page, params):
    assert page_of(params) == page  # the same files give the same page
    shown, tables = "".join(Parsed(page).texts), make_report(params).tables
    assert len(tables) > 8
    for table in tables:
        section = page.split(f'<section id="{table.name}">')[1].split("</section>")[0]
        assert table.caption in Parsed(section).texts
        cards = (facts.values() for facts in table.facts.values())
        assert all(text in shown for text in chain(*table.texts(), *cards))


def test_the_page_opens_with_table_1_and_figure_5_and_keeps_the_rest_folded(page):
    sections = Parsed(page).values("id", "section")
    assert sections[:2] == ["table1", "figure5"]
    assert {f"#{name}" for name in sections[:-2]} < set(Parsed(page).values("href"))
    top, *groups = page.split('<details class="group">')
    assert top.count("<section") == 2
    assert len(groups) == 3
    for group in groups:
        name = unescape(group.split("<h2>")[1].split("</h2>")[0])
        ids = Parsed(group.split("<footer>")[0]).values("id", "section")
        assert ids
        assert name == OTHERS or set(ids) <= set(GROUPS[name])


def test_the_page_opens_with_the_summary_where_no_claim_is_tested(page):
    head = page.split("<section")[0]
    best = "local-m (general) over Base + reverse + dropout"
    of = f"{best}, the best systems with it and without it"
    assert f"<h1>Attention gains +3.0 BLEU (+2.5 to +3.5): {of}.</h1>" in head
    for text in ("17.0", "16.0 to 18.0", "Each system was trained once"):
        assert text in head
    line = Parsed(head.split('<p class="run">')[1].split("</p>")[0]).texts
    hours = f"{len(MODELS) / 2:.1f} hours of training on a processor"
    assert line == ["20,000 sentence pairs", f"{len(MODELS)} models", hours, f"commit {COMMIT}"]


def test_several_seeds_of_systems_that_no_claim_compares_are_not_called_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page_of(write_report(["back_base_reverse"], seeds=2))
    assert "<h1>How well does Base (reverse) translate from German to English?</h1>" in text
    assert "of no claim have all systems several seeds here." in text
    assert "trained once" not in text


def test_two_systems_have_two_labels():
    """Table 6 calls the one with input feeding what the table of what decides calls the other."""
    params = made_params("global_location", "global_location_feed", "local_m_general_feed")
    labels = [packing.label(params, name) for name in params.models]
    assert labels == [
        "global attention (location)",
        "global (location) + feed",
        "local-m (general)",
    ]
    alone = made_params("global_location_feed")
    assert packing.label(alone, "global_location_feed") == "global (location)"


def test_the_page_opens_with_the_picture_of_the_claims_where_some_are_tested(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    claims = [made_claim("one"), made_claim("two", claim=NASTY, verdict="refuted")]
    text = page_of(write_report(["base", "base_reverse"], claims, seeds=2))
    head, rest = text.split("<section", 1)
    for width in ("wide", "narrow"):  # style.css shows one of them
        assert f'<div class="{width}"><svg' in head
    assert "<h1>Of 2 claims tested here, 1 is confirmed and 1 is refuted.</h1>" in head
    others = ("undecided", "undecided", "not tested")
    claims += [made_claim(str(k), verdict=verdict) for k, verdict in enumerate(others)]
    more = page_of(write_report(["base", "base_reverse"], claims, seeds=2))
    assert (
        "<h1>Of 4 claims tested here, 1 is confirmed, 1 is refuted and 2 are undecided.</h1>"
    ) in more
    one = page_of(write_report(["base", "base_reverse"], claims[1:2], seeds=2))
    assert "<h1>The one claim that is tested here is refuted.</h1>" in one
    assert 'class="headlines"' not in head
    assert "trained once" not in text
    assert '<section id="claims">' in rest.split("<h2>The claims</h2>")[1]
    assert NASTY not in text
    assert 'id="attention"' not in text  # neither system has any


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
    assert "url(" not in page.replace("url(#", "")
    assert "@import" not in page
    assert ids.most_common(1)[0][1] == 1
    inside = [link[1:] for link in links if link.startswith("#")]
    assert {*inside, *parsed.values("popovertarget")} <= set(ids)
    policy = next(attrs["content"] for _, attrs in parsed.elements if "http-equiv" in attrs)
    digest = base64.b64encode(hashlib.sha256(parsed.scripts[0].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}';")


def test_rows_without_a_number_of_ours_are_folded_below_the_others(page, params):
    section = page.split('<section id="table1">')[1].split("</section>")[0]
    shown, folded = section.split('<details class="others">')
    assert '<th scope="row">Base</th>' in shown
    assert "RNNsearch" not in shown
    assert "6 more rows, without a number of ours" in folded
    headings = Parsed(folded.split("</thead>")[0]).texts
    assert [one for one in headings if one.startswith("paper")] == [
        *("paper ppl", "paper BLEU", "paper gain")
    ]
    assert "p" not in headings  # a column without a cell


def test_only_our_numbers_open_a_card(page, params):
    cells = [attrs for _, attrs in Parsed(page).elements if attrs.get("popovertarget")]
    cells_of = Counter(attrs["popovertarget"] for attrs in cells)
    table = next(table for table in make_report(params).tables if table.name == "table1")
    for at, row in enumerate(table.frame.index):
        headings = table.apart(table.headings[1:])  # an interval stands below its number
        ours = [h for h in headings if not h.startswith("paper") and table.text(row, h)]
        assert cells_of[f"table1-{at}"] == (len(ours) if table.facts[row] else 0)


def test_the_summary_has_the_systems_that_the_development_set_chooses():
    params = made_params(*MODELS)
    numbers = made_numbers(params)
    best, plain = "local-p (general)", "Base + reverse + dropout"
    assert make_summary(params, numbers) == [
        Headline("Best system, BLEU", "17.0", best, "16.0 to 18.0; unknown words replaced"),
        Headline("Gain by attention, BLEU", "+3.0", f"{best} over {plain}", "+2.5 to +3.5"),
        Headline(
            *("Alignment error rate", "0.20", best),
            "lower is better; read at the same step; 0.45 at the next step; the diagonal has 0.56",
        ),
    ]
    line = numbers.system("local_p_general_feed", "aer_chosen", params.sets.aligned[0])
    note = f"{line.note}; read at the same step, which is the authors' step: {NOTHING_CHOSE}"
    assert make_summary(params, changed(numbers, line, note=note))[2].note == (
        "lower is better; read at the same step (the authors' step: nothing chose it); 0.45 at the "
        "next step; the diagonal has 0.56"
    )
    other = numbers.system("local_p_general_feed", "aer_next", params.sets.aligned[0])
    perfect = make_summary(params, changed(numbers, other, value=0.0))[2].note
    assert "; 0.00 at the next step; " in perfect
    diagonal = numbers.system("diagonal", "aer", params.sets.aligned[0])
    perfect = make_summary(params, changed(numbers, diagonal, value=0.0))[2].note
    assert perfect.endswith("; the diagonal has 0.00")
    line = numbers.system("base_reverse", "ppl", params.sets.dev)  # others score more on the test
    assert make_summary(params, changed(numbers, line, value=1.5))[0].number == "11.0"
    assert make_summary(params, Numbers([])) == []


def test_matrices_of_first_seeds_are_packed_small_and_whole(monkeypatch):
    """The matrices of 24 systems, 12 sentences and 2 kinds stay below 1.2 MB."""
    source, target = [f"w{i}" for i in range(20)], [f"v{i}" for i in range(21)]
    weights = [[1 / 20] * 20 for _ in target]
    matrix = Matrix("Base", 4, source, target, weights, [(0, 0), (1, 2)])
    monkeypatch.setattr(packing, "read_matrices", lambda *_, forced: [matrix] * 12)
    data = packing.attention_data(made_params(*MODELS, seeds=2), Numbers([]))
    assert list(data.kinds["own"].of) == list(MODELS)
    assert data.texts == [tuple(source), tuple(target)]
    assert data.kinds["own"].of["base"][11] == (0, 1, [5] * 420, [(0, 0), (1, 2)])
    assert data.kinds["forced"].lines == [4] * 12
    assert data.first == ["local_m_general_feed", "global_location_feed"]  # Table 6's ends
    size = len(json.dumps(asdict(data), separators=(",", ":")))
    assert size / len(MODELS) < 1.2e6 / 24
