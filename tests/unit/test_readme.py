"""README's results: they are those of the reports, and no number among them is typed by hand."""

import subprocess
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.reporting.readme_table import claims_table, markers, page_with_table, results_table

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
    (marker,) = markers(README)
    assert marker[:3] == (MARKER, "table1", ["demo", "other"])
    new = page_with_table(README, "| new |\n", MARKER)
    assert new == f"a\n<!-- {MARKER} -->\n| new |\n<!-- /{MARKER} -->\nb\n"
    assert page_with_table(new, "| new |\n", MARKER) == new


@pytest.mark.parametrize("readme", ["", "<!-- t:p -->", "<!-- /t:p --> <!-- t:p -->"])
def test_a_readme_without_both_markers_is_refused(readme):
    with pytest.raises(InputError, match=r"<!-- t:p --> and, below it, <!-- /t:p -->"):
        page_with_table(readme, "x", "t:p")


@pytest.mark.parametrize("table", ["a,b\n1,2\n", DEMO.replace("1.74", "high"), OTHER[7:]])
def test_a_file_that_is_not_table_1_is_named(table):
    with pytest.raises(
        InputError, match=r"^reports/demo/tables/table1.csv: not what the stage tables writes \("
    ):
        results_table({"demo": table})


def tracked(name: str) -> str:
    """A file as git has it: a run on this machine may have made other reports since."""
    command = ["git", "-C", str(ROOT), "show", f":{name}"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        pytest.skip(f"git has no {name} here")
    return done.stdout


@pytest.mark.parametrize("name", ["README.md", "docs/results.md"])
def test_a_page_shows_the_reports_as_they_are(name):
    page = tracked(name)
    for marker in markers(page):
        tables = {
            experiment: tracked(f"reports/{experiment}/tables/{marker.source}.csv")
            for experiment in marker.experiments
        }
        table = marker.table(tables, Path(name).parent)
        assert page_with_table(page, table, marker.text) == page, f"run: attnmt readme {name}"


def test_gains_follow_the_numbers_and_links_start_at_the_page():
    first = "system,paper_bleu,paper_gain,bleu,bleu_sd,gain\nBase,11.3,,4.76,,\n"
    rows = first + "Base + reverse,12.6,+1.3,8.26,,3.5\n"
    table = results_table({"small-one": rows}, gains=True, folder=Path("docs"))
    assert table.splitlines() == [
        "| BLEU | paper | [small-one](../reports/small-one/tables/table1.md) |",
        "| --- | --: | --: |",
        "| Base | 11.3 | 4.8 |",
        "| Base + reverse | 12.6 (+1.3) | 8.3 (+3.5) |",
    ]


CLAIMS = """claim,verdict,measure,paper,ours
Dropout raises BLEU.,refuted,BLEU,1.4,-2.008
The orders agree.,undecided,rank correlation,,0.0667
Attention aligns.,not tested,AER,-0.05,
"""


def test_verdicts_of_experiments_stand_side_by_side():
    other = "claim,verdict,measure,paper,ours\nDropout raises BLEU.,confirmed,BLEU,1.4,0.5\n"
    table = claims_table({"study": CLAIMS, "other": other}, Path("docs"))
    assert table.splitlines() == [
        "| claim | measure | paper | [study](../reports/study/tables/claims.md) "
        "| [other](../reports/other/tables/claims.md) |",
        "| --- | --- | --: | --- | --- |",
        "| Dropout raises BLEU. | BLEU | +1.40 | refuted (-2.01) | confirmed (+0.50) |",
        "| The orders agree. | rank correlation |  | undecided (+0.07) |  |",
        "| Attention aligns. | AER | -0.050 | not tested |  |",
    ]


@pytest.mark.parametrize("table", ["a,b\n1,2\n", CLAIMS.replace("1.4", "high")])
def test_a_file_that_has_no_claims_is_named(table):
    with pytest.raises(InputError, match=r"^reports/study/tables/claims.csv: not what the stage"):
        claims_table({"study": table})
