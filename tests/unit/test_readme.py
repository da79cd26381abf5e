"""README's results: they are those of the reports, and no number among them is typed by hand."""

import shutil
import subprocess
from pathlib import Path

import pytest
from made_report import ROOT, made_claim, made_line, made_numbers, made_params

from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.claims import write_claims
from attnmt.reporting.readme_table import (
    MARKER,
    claims_table,
    filled_page,
    page_with_table,
    results_table,
)
from attnmt.scoring.numbers import Numbers, write_numbers

PAGE = "a\n<!-- results: demo, multi30k -->\nold\n<!-- /results: demo, multi30k -->\nb\n"


def write_experiment(name, numbers, claims):
    """Write an experiment's parameters, numbers and claims into the working folder."""
    file = Path("params.yaml" if name == "demo" else f"experiments/{name}/params.yaml")
    file.parent.mkdir(parents=True, exist_ok=True)
    for path in (file, Path("systems.yaml")):
        shutil.copy(ROOT / path, path)
    write_numbers(Layout(name).numbers, numbers.lines)
    params = made_params(file=str(file))
    write_claims(params, claims)


def bleu(system, value, **fields):
    own = {"set": "test_2016_flickr", "script": "tokenized", "replacement": "before"}
    return made_line(system, "bleu", value, **own | fields)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two experiments: the made-up demo of three systems, and one of two systems and three seeds."""
    monkeypatch.chdir(tmp_path)
    params = made_params("base", "base_reverse", "base_reverse_dropout")
    claims = [
        made_claim("one", claim="Dropout raises BLEU.", verdict="refuted", ours=-2.008),
        made_claim(
            "two", claim="Orders agree.", measure="rank correlation", paper=None, ours=0.067
        ),
        made_claim("three", claim="It aligns.", measure="AER", paper=-0.05, verdict="not tested"),
    ]
    claims[2] = claims[2].model_copy(update={"ours": None})
    write_experiment("demo", made_numbers(params), claims)
    other = [bleu("base", 1022.64, sd=0.25), bleu("base", 3, max_words=5)]
    write_experiment("multi30k", Numbers(other), [made_claim("one", claim="Dropout raises BLEU.")])
    return tmp_path


def test_every_experiment_stands_beside_the_paper(folder):
    links = [f"[{name}](reports/{name}/tables/table1.md)" for name in ("demo", "multi30k")]
    assert results_table(["demo", "multi30k"]).splitlines() == [
        f"| BLEU | paper | {' | '.join(links)} |",
        "| --- | --: | --: | --: |",
        "| Base | 11.3 | 10.0 | 1,022.6 ± 0.2 |",
        "| Base + reverse | 12.6 | 11.0 |  |",
        "| Base + reverse + dropout | 14.0 | 12.0 |  |",
    ]


def test_gains_follow_the_numbers_and_links_start_at_the_page(folder):
    table = results_table(["demo"], Path("docs"), gains=True).splitlines()
    assert table[0] == "| BLEU | paper | [demo](../reports/demo/tables/table1.md) |"
    assert table[2:4] == [
        "| Base | 11.3 | 10.0 |",
        "| Base + reverse | 12.6 (+1.3) | 11.0 (+1.0) |",
    ]


def test_verdicts_of_experiments_stand_side_by_side(folder):
    links = [f"[{name}](../reports/{name}/tables/claims.md)" for name in ("demo", "multi30k")]
    assert claims_table(["demo", "multi30k"], Path("docs")).splitlines() == [
        f"| claim | measure | paper | {' | '.join(links)} |",
        "| --- | --- | --: | --- | --- |",
        "| Dropout raises BLEU. | BLEU | +1.30 | refuted (-2.01) | confirmed (+4.00) |",
        "| Orders agree. | rank correlation |  | confirmed (+0.07) |  |",
        "| It aligns. | AER | -0.050 | not tested |  |",
    ]


def test_the_command_fills_a_page_once_and_for_all(attnmt, folder, monkeypatch):
    Path("README.md").write_text(PAGE)
    assert attnmt("readme")[0] == 0
    new = Path("README.md").read_text()
    table = results_table(["demo", "multi30k"])
    assert new == PAGE.replace("old\n", table)
    assert filled_page(new) == new
    status, _, error = attnmt("readme", "other.md")
    assert (status, "other.md: no such file" in error) == (2, True)


@pytest.mark.parametrize("page", ["", "<!-- t:p -->", "<!-- /t:p --> <!-- t:p -->"])
def test_a_page_without_both_markers_is_refused(page):
    with pytest.raises(InputError, match=r"<!-- t:p --> and, below it, <!-- /t:p -->"):
        page_with_table(page, "x", "t:p")
    with pytest.raises(InputError, match=r"README.md: no marker to fill"):
        filled_page(page)


def test_a_damaged_file_is_named_with_line_and_column(folder):
    path = Layout("demo").numbers
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    at = next(k for k, line in enumerate(lines) if line.startswith("ours,system,"))
    broken = lines[at].replace(",system,", ",other,")
    path.write_text("".join([*lines[:at], broken, *lines[at + 1 :]]), encoding="utf-8")
    with pytest.raises(InputError, match=rf"scores.csv:{at + 1}: kind: .*gather again"):
        filled_page(PAGE)
    Layout("demo").claims.unlink()
    with pytest.raises(InputError, match=r"reports/demo/claims.csv: no such file"):
        claims_table(["demo"])


@pytest.mark.parametrize("name", ["README.md", "docs/results.md"])
def test_a_page_in_git_shows_the_reports_in_git(name, tmp_path, monkeypatch):
    """They are read as git has them: a run on this machine may have made other reports since."""
    patterns = [
        name,
        "*params.yaml",
        "systems.yaml",
        "reports/*/scores.csv",
        "reports/*/claims.csv",
    ]
    git = ["git", "-C", str(ROOT)]
    files = subprocess.run([*git, "ls-files", *patterns], capture_output=True, check=False).stdout
    if not files:
        pytest.skip("this is no checkout of git")
    checkout = [*git, "checkout-index", "--stdin", f"--prefix={tmp_path}/"]
    subprocess.run(checkout, input=files, check=True)
    monkeypatch.chdir(tmp_path)
    page = Path(name).read_text(encoding="utf-8")
    assert MARKER.search(page)
    assert filled_page(page, Path(name)) == page, f"run: attnmt readme {name}"
