"""README's results: they are those of the reports, and no number among them is typed by hand."""

import shutil
import subprocess
from pathlib import Path

import pytest
from made_report import ROOT, made_claim, made_line, made_numbers, made_params

from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.caveats import MARKS
from attnmt.reporting.claims_table import UNREGISTERED
from attnmt.reporting.readme_table import (
    MARKER,
    filled_page,
    page_with_table,
    results_table,
    verdicts_table,
)
from attnmt.scoring.claim_lines import write_claims
from attnmt.scoring.numbers import Numbers, write_numbers

PAGE = "a\n<!-- results: demo, multi30k -->\nold\n<!-- /results: demo, multi30k -->\nb\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Two experiments: the made-up demo of three systems, and one of two systems and several seeds.

    The second has no published numbers.
    """
    monkeypatch.chdir(tmp_path)
    few = made_params("base", "base_reverse", "base_reverse_dropout")
    raises = {"claim": "Dropout raises BLEU."}
    ranks = {"claim": "Orders agree.", "measure": "rank correlation", "paper": None}
    there = {"other_set": "test2", "other_verdict": "undecided", "other_ours": -0.4}
    alike = there | {"other_verdict": "confirmed"}
    aligns = {"claim": "It aligns.", "measure": "AER", "paper": -0.05, "verdict": "not tested"}
    claims = {
        "demo": [
            made_claim("one", verdict="refuted", ours=-2.008, **raises, **there),
            made_claim("two", ours=0.067, **ranks),
            made_claim("three", ours=None, **aligns),
        ],
        "multi30k": [
            made_claim("one", **raises, **alike),
            made_claim("one", **raises, **alike, recipe="own", ours=-1),
            made_claim("one.other", **raises, amended="2026: Other.", registered=False),
        ],
    }
    own = {"set": "test_2016_flickr", "script": "tokenized", "replacement": "before"}
    own |= {"lines": 1000, "direction": "forward"}
    base = [made_line("base", "bleu", 1022.64, sd=0.25, **own)]
    base.append(made_line("base", "bleu", 3, max_words=5, **own))
    base.append(made_line("local_p_general_feed", "bleu", 20, sd=8, **own))
    fall = {"kind": "training", "model": "base_reverse", "set": "dev"}
    learning = [made_line("base_reverse", "late_fall", 2.5, **fall)]
    files = {"demo": "params.yaml", "multi30k": "experiments/multi30k/params.yaml"}
    Path(files["multi30k"]).parent.mkdir(parents=True)
    for path in ("systems.yaml", *files.values()):
        shutil.copy(ROOT / path, path)
    for name, numbers in {
        "demo": Numbers([*made_numbers(few).lines, *learning]),
        "multi30k": Numbers(base),
    }.items():
        write_numbers(Layout(name).numbers, numbers.lines)
        write_claims(made_params(file=files[name]), claims[name])


def test_every_experiment_stands_beside_the_paper():
    links = [f"[{name}](reports/{name}/tables/table1.md)" for name in ("demo", "multi30k")]
    assert results_table(["demo", "multi30k"]).splitlines() == [
        f"| BLEU | paper | {' | '.join(links)} |",
        "| --- | --: | --: | --: |",
        "| Base | 11.3 | 10.0 | 1,022.6 ± 0.2 |",
        "| Base + reverse | 12.6 | 11.0° |  |",
        "| Base + reverse + dropout | 14.0 | 12.0 |  |",
        "| local-p attention (general) + feed input |  |  | 20.0 ± 8.0 |",
        "",
        f"° {MARKS['°']}",
    ]
    table = results_table(["multi30k"], Path("docs")).splitlines()
    assert table[0] == "| BLEU | paper | [multi30k](../reports/multi30k/tables/table1.md) |"
    assert table[2] == "| Base |  | 1,022.6 ± 0.2 |"
    assert "°" not in table[-1]


def test_a_system_of_another_recipe_is_marked_and_the_mark_is_explained():
    """As in wmt14, where systems with dropout learn longer."""
    file = Path("experiments/wmt14/params.yaml")
    file.parent.mkdir()
    shutil.copy(ROOT / file, file)
    params = made_params("base", "base_reverse", "base_reverse_dropout", file=str(file))
    write_numbers(Layout("wmt14").numbers, made_numbers(params).lines)
    table = results_table(["wmt14"])
    assert "| Base | 11.3 | 10.0† |\n" in table
    assert table.endswith(f"\n† {MARKS['†']}\n")


def test_verdicts_of_experiments_stand_side_by_side():
    links = [f"[{name}](../reports/{name}/tables/claims.md)" for name in ("demo", "multi30k")]
    assert verdicts_table(["demo", "multi30k"], Path("docs")).splitlines() == [
        f"| claim | measure | paper | {' | '.join(links)} |",
        "| --- | --- | --: | --- | --- |",
        "| Dropout raises BLEU. | BLEU | +1.30 | refuted (-2.01); on test2 undecided (-0.40) "
        "| confirmed (+4.00, own -1.00) |",
        "| Orders agree. | rank correlation |  | confirmed (+0.07) |  |",
        "| It aligns. | AER | -0.050 | not tested |  |",
        "| Dropout raises BLEU.* | BLEU | +1.30 |  | confirmed (+4.00) ⁿ |",
        "",
        f"ⁿ {UNREGISTERED}",
    ]


def test_the_command_fills_a_page_once_and_for_all(attnmt):
    Path("README.md").write_text(PAGE)
    assert attnmt("readme")[0] == 0
    new = Path("README.md").read_text()
    assert new == PAGE.replace("old\n", results_table(["demo", "multi30k"])) == filled_page(new)
    status, _, error = attnmt("readme", "other.md")
    assert (status, "other.md: no such file" in error) == (2, True)


@pytest.mark.parametrize("page", ["", "<!-- t:p -->", "<!-- /t:p --> <!-- t:p -->"])
def test_a_page_without_both_markers_is_refused(page):
    with pytest.raises(InputError, match=r"<!-- t:p --> and, below it, <!-- /t:p -->"):
        page_with_table(page, "x", "t:p")
    with pytest.raises(InputError, match=r"README.md: no marker to fill"):
        filled_page(page)


@pytest.mark.parametrize("name", ["README.md", "docs/results.md"])
def test_a_page_in_git_shows_the_reports_in_git(name, tmp_path):
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
    checkout = [*git, "checkout-index", "--stdin", "--force", f"--prefix={tmp_path}/"]
    subprocess.run(checkout, input=files, check=True)
    page = Path(name).read_text(encoding="utf-8")
    assert MARKER.search(page)
    assert filled_page(page, Path(name)) == page, f"run: attnmt readme {name}"
