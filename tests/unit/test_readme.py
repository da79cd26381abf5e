"""README's results: they are those of the reports, and no number among them is typed by hand."""

import subprocess
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.reporting.readme_table import markers, readme_with_table, results_table

ROOT = Path(__file__).parents[2]
MARKER = "results: demo, other"
README = f"a\n<!-- {MARKER} -->\nold\n<!-- /{MARKER} -->\nb\n"
DEMO = """system,paper_bleu,bleu,bleu_sd
RNNsearch,16.5,,
Base,11.3,1.74,
Base + reverse,12.6,5.55,0.25
Our own row,,6.0,
"""
OTHER = "system,paper_bleu,bleu,bleu_sd\nBase,11.3,,\nBase + reverse‡,12.6,1022.64,\n"
ROWS = """| --- | --: | --: | --: |
| Base | 11.3 | 1.7 |  |
| Base + reverse | 12.6 | 5.5 ± 0.2 | 1,022.6‡ |
| Our own row |  | 6.0 |  |
"""


def test_every_experiment_stands_beside_the_paper():
    head, rows = results_table({"demo": DEMO, "other": OTHER}).split("\n", 1)
    links = [f"[{name}](reports/{name}/tables/table1.md)" for name in ("demo", "other")]
    assert head == f"| BLEU | paper | {' | '.join(links)} |"
    assert rows == ROWS


def test_the_readme_takes_the_table_between_its_markers():
    assert markers(README) == [(MARKER, ["demo", "other"])]
    new = readme_with_table(README, "| new |\n", MARKER)
    assert new == f"a\n<!-- {MARKER} -->\n| new |\n<!-- /{MARKER} -->\nb\n"
    assert readme_with_table(new, "| new |\n", MARKER) == new


@pytest.mark.parametrize("readme", ["", "<!-- t:p -->", "<!-- /t:p --> <!-- t:p -->"])
def test_a_readme_without_both_markers_is_refused(readme):
    with pytest.raises(InputError, match=r"<!-- t:p --> and, below it, <!-- /t:p -->"):
        readme_with_table(readme, "x", "t:p")


@pytest.mark.parametrize("table", ["a,b\n1,2\n", DEMO.replace("1.74", "high"), OTHER[7:]])
def test_a_file_that_is_not_table_1_is_named(table):
    with pytest.raises(InputError, match=r"^reports/demo/tables/table1.csv: not a Table 1 \("):
        results_table({"demo": table})


def tracked(name: str) -> str:
    """A file as git has it: a run on this machine may have made other reports since."""
    command = ["git", "-C", str(ROOT), "show", f":{name}"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        pytest.skip(f"git has no {name} here")
    return done.stdout


def test_the_readme_shows_the_reports_as_they_are():
    readme = tracked("README.md")
    ((marker, experiments),) = markers(readme)
    tables = {name: tracked(f"reports/{name}/tables/table1.csv") for name in experiments}
    assert "demo" in tables
    assert readme_with_table(readme, results_table(tables), marker) == readme, "run: attnmt readme"
