"""The report's page shows all results, takes no text as markup, and points nowhere outside."""

import base64
import hashlib
import json
from collections import Counter
from dataclasses import asdict
from html.parser import HTMLParser
from pathlib import Path

import made_records
import pytest
from made_report import COMMIT, MODELS, NASTY, made_tables, page_of, write_report

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.layout import Layout
from attnmt.reporting import attention_data as packing
from attnmt.reporting.attention import Matrix
from attnmt.reporting.claims_table import ELSEWHERE
from attnmt.reporting.headlines import Headline, make_headlines
from attnmt.reporting.page import ADDRESS
from attnmt.reporting.sections import TableBody, table_section
from attnmt.reporting.tables import ColumnRole
from attnmt.reporting.tables_file import ShownColumn, ShownTable, read_tables
from attnmt.training.best_model import best_model


class Parsed(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        (self.scripts if self._inside == "script" else self.texts).append(data)

    def values(self, attribute: str) -> list[str]:
        """Return an attribute's values in all elements."""
        return [v for _, attrs in self.elements if (v := attrs.get(attribute)) is not None]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page of a made-up experiment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("report"))
        return page_of(write_report())


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    """Return the parameters of a made-up experiment in the working folder."""
    monkeypatch.chdir(tmp_path)
    return write_report()


def test_every_cell_and_fact_of_every_table_is_there(page: str, params: Params) -> None:
    shown = "".join(Parsed(page).texts)
    for table in made_tables(params)["tables"]:
        assert f'<section id="{table["name"]}">' in page
        for row in table["rows"]:
            for text in [*row["cells"].values(), *row["facts"].values()]:
                assert text in shown


def test_figures_samples_and_attention_are_there_and_linked_in_the_contents(page: str) -> None:
    parsed = Parsed(page)
    sections = {attrs["id"] for tag, attrs in parsed.elements if tag == "section"}
    assert {"figure5", "figure6", "table5", "attention"} < sections
    assert {f"#{name}" for name in sections - {"again", "cite"}} < set(parsed.values("href"))
    drawn = [tag for tag, attrs in parsed.elements if tag == "svg" and attrs.get("role") == "img"]
    assert len(drawn) == 4  # two figures, the paper's panel and ours


def test_what_stands_in_the_text_is_never_markup(page: str) -> None:
    assert NASTY not in page
    parsed = Parsed(page)
    assert "b" not in {tag for tag, _ in parsed.elements}
    assert NASTY in "".join(parsed.texts)
    assert len(parsed.scripts) == 2
    assert NASTY in json.loads(parsed.scripts[1])["texts"][0]


def test_nothing_points_outside_but_the_citation(page: str) -> None:
    parsed = Parsed(page)
    assert parsed.values("src") == []
    outside = [link for link in parsed.values("href") if ":" in link]
    assert outside == ["data:,", ADDRESS]
    inside = [link for link in parsed.values("href") if ":" not in link and link[0] != "#"]
    assert all(link.startswith(("tables/", "cost/", "figures/")) for link in inside)
    assert "url(" not in page.replace("url(#", "")
    assert "@import" not in page


def test_the_policy_allows_only_the_page_s_own_script(page: str) -> None:
    parsed = Parsed(page)
    policy = next(a["content"] for _, a in parsed.elements if "http-equiv" in a) or ""
    digest = base64.b64encode(hashlib.sha256(parsed.scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")


def test_names_inside_the_page_are_unique_and_found(page: str) -> None:
    parsed = Parsed(page)
    ids = Counter(parsed.values("id"))
    assert ids.most_common(1)[0][1] == 1
    inside = [link[1:] for link in parsed.values("href") if link.startswith("#")]
    assert {*inside, *parsed.values("popovertarget")} <= set(ids)


def test_only_our_numbers_say_where_they_come_from(page: str, params: Params) -> None:
    cells = [attrs for tag, attrs in Parsed(page).elements if attrs.get("popovertarget")]
    cells_of = Counter(str(attrs["popovertarget"]).rsplit("-", 1)[0] for attrs in cells)
    costs = cells_of.pop("table_cost")
    assert costs >= 2 * len(MODELS)
    assert cells_of == {"table1": 2 * 5, "table6": 2 * 3, "table_made": 2}
    assert page.count("<dt>trained at commit</dt>") == 5 + 3 + 2 + len(MODELS)
    assert COMMIT[:12] in page


def test_the_same_files_give_the_same_page(page: str, params: Params) -> None:
    assert page_of(params) == page


def test_page_without_attention_has_no_matrices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = page_of(write_report(("base", "base_reverse_dropout")))
    assert 'id="attention"' not in page
    assert 'id="figure5"' in page


def test_tables_of_another_experiment_are_refused(params: Params) -> None:
    path = Layout(params.experiment).reports / "tables" / "tables.json"
    write_json(path, made_tables(params) | {"experiment": "other"})
    with pytest.raises(InputError, match=r"tables\.json: holds tables of experiment 'other'; run"):
        page_of(params)
    path.unlink()
    with pytest.raises(InputError, match=r"tables\.json: no such file"):
        page_of(params)


def test_headlines_are_found_in_the_tables(params: Params) -> None:
    path = Layout(params.experiment).reports / "tables" / "tables.json"
    tables = {table.name: table for table in read_tables(path, params.experiment).tables}
    best, chosen = "local_p_general_feed", "local_p_general_feed, best on the development set"
    label = "local-p attention (general) + feed input + unk replace"
    versus = f"{best} against base_reverse_dropout, before unk replacement"
    assert make_headlines(params, tables, papers_text=False) == [
        Headline("Best model, BLEU", "20.0", label, chosen),
        Headline("Gain by attention, BLEU", "+3.0", versus, ""),
        Headline("Alignment error rate", "12.00", "local-p (general)", chosen),
    ]
    headlines = make_headlines(params, tables, papers_text=True)
    assert headlines[0] == Headline("Best model, BLEU", "20.0", label, f"{chosen}; paper 20.9")
    assert make_headlines(params, {}, papers_text=False) == []


def test_the_error_rate_at_the_other_step_is_noted(params: Params) -> None:
    path = Layout(params.experiment).reports / "tables" / "tables.json"
    tables = {table.name: table for table in read_tables(path, params.experiment).tables}
    for row in tables["table6"].rows:
        row.sort.update({"aer_same": 0.25, "aer_next": row.sort["aer"]})
    headline = make_headlines(params, tables, papers_text=False)[-1]
    assert headline.ours == "12.00"
    assert headline.note.endswith("; 0.25 where the other step of the decoder is read")


def test_headlines_find_rows_by_their_keys_whatever_their_labels(params: Params) -> None:
    path = Layout(params.experiment).reports / "tables" / "tables.json"
    tables = {table.name: table for table in read_tables(path, params.experiment).tables}
    content = made_tables(params)
    for table in content["tables"]:
        for row in table["rows"]:
            row["cells"]["system"] = "the same label everywhere"
    write_json(path, content)
    renamed = {table.name: table for table in read_tables(path, params.experiment).tables}
    expected = make_headlines(params, tables, papers_text=False)
    assert make_headlines(params, renamed, papers_text=False) == expected


def test_the_best_model_of_the_headline_is_the_one_that_is_served(params: Params) -> None:
    """It is the best on the development set. Others may score more on the test set."""
    path = Layout(params.experiment).model("global_location_feed") / "metrics.json"
    write_json(path, made_records.metrics(*params.sets.tests, dev_perplexity=1.5))
    file = read_tables(
        Layout(params.experiment).reports / "tables" / "tables.json", params.experiment
    )
    headlines = make_headlines(params, {t.name: t for t in file.tables}, papers_text=False)
    assert best_model(params) == "global_location_feed"
    assert headlines[0].ours == "18.0"
    assert headlines[0].note.startswith("global_location_feed, best on the development set")


def test_the_page_opens_with_the_claims_or_says_who_judges_them(page: str, params: Params) -> None:
    assert ELSEWHERE in "".join(Parsed(page).texts)
    content = made_tables(params)
    path = Layout(params.experiment).reports / "tables" / "tables.json"
    claims = made_tables(params)["tables"][0] | {"name": "claims", "short": "Claims"}
    write_json(path, content | {"tables": [*content["tables"], claims]})
    opened = page_of(params)
    assert ELSEWHERE not in "".join(Parsed(opened).texts)
    assert opened.index('<section id="claims">') < opened.index('<section id="table1">')


def test_our_columns_stand_before_the_paper_s(page: str) -> None:
    """A narrow screen shows only the first columns, so ours come first."""
    head = page.split('<section id="table1">')[1].split("</thead>")[0]
    headings = [part.split("</th>")[0].rpartition(">")[2] for part in head.split("<th ")[1:]]
    assert headings == ["system", "bleu", "verdict", "paper bleu"]


def test_an_interval_stands_beside_its_number() -> None:
    roles: dict[str, ColumnRole] = {
        "system": "name",
        "paper_a": "paper",
        "a": "ours",
        "a_interval": "detail",
    }
    roles |= {"paper_b": "paper", "b": "ours", "b_interval": "detail"}
    columns = [
        ShownColumn(key=key, heading=key, numeric=False, role=role) for key, role in roles.items()
    ]
    table = ShownTable(name="t", short="T", about="", lead="A.", rest="", columns=columns, rows=[])
    body = table_section(table, "tables").body
    assert isinstance(body, TableBody)
    ours = ["system", "a", "a_interval", "b", "b_interval"]
    assert [column.key for column in body.columns] == [*ours, "paper_a", "paper_b"]


def test_matrices_of_first_seeds_are_packed_small_and_whole(
    params: Params, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The matrices of 24 systems, 12 sentences and 2 kinds stay below 1.2 MB."""
    source, target = [f"w{i}" for i in range(20)], [f"v{i}" for i in range(21)]
    weights = [[1 / 20] * 20 for _ in target]
    matrix = Matrix("base", "Base", 4, source, target, weights, [(0, 0), (1, 2)])
    monkeypatch.setattr(packing, "read_matrices", lambda *_, forced: [matrix] * 12)
    second = {"base_2": params.models["base"].model_copy(update={"seed": 2})}
    params = params.model_copy(update={"models": {**params.models, **second}})
    data = packing.attention_data(params)
    assert data is not None
    assert set(data.kinds["own"].of) == {*MODELS, *params.ensembles}
    assert data.texts == [tuple(source), tuple(target)]
    assert data.kinds["own"].of["base"][11] == (0, 1, [5] * 420, [(0, 0), (1, 2)])
    assert data.kinds["forced"].lines == [4] * 12
    assert data.first == ["local_m_general_feed", "global_location_feed"]  # Table 6's ends
    assert len(json.dumps(asdict(data), separators=(",", ":"))) / (len(MODELS) * 24) < 1.2e6 / (
        24 * 24
    )
