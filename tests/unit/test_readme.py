"""The README's copies of the tables."""

import re
import subprocess
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.reporting.readme_table import markers, readme_with_table

ROOT = Path(__file__).parents[2]


def test_the_readme_takes_the_table_between_its_markers():
    readme = "a\n<!-- table_gru:demo -->\nold\n<!-- /table_gru:demo -->\nb\n"
    new = readme_with_table(readme, "| new |\n", "table_gru:demo")
    assert new == "a\n<!-- table_gru:demo -->\n| new |\n<!-- /table_gru:demo -->\nb\n"
    assert readme_with_table(new, "| new |\n", "table_gru:demo") == new
    assert markers(readme) == [("table_gru:demo", "table_gru", "demo")]


@pytest.mark.parametrize("readme", ["", "<!-- t:p -->", "<!-- /t:p --> <!-- t:p -->"])
def test_a_readme_without_both_markers_is_refused(readme):
    with pytest.raises(InputError, match=r"<!-- t:p --> and, below it, <!-- /t:p -->"):
        readme_with_table(readme, "x", "t:p")


def tracked(name: str) -> str:
    """A file as git has it: a run on this machine may have made other reports since."""
    command = ["git", "-C", str(ROOT), "show", f":{name}"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        pytest.skip(f"git has no {name} here")
    return done.stdout


def test_the_readme_shows_the_reports_as_they_are():
    readme = tracked("README.md")
    found = markers(readme)
    assert found
    for marker, table, experiment in found:
        text = tracked(f"reports/{experiment}/tables/{table}.md")
        assert readme_with_table(readme, text, marker) == readme, "run: attnmt readme"


def test_the_readme_has_no_number_left_to_fill_in():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\*\*[A-Z_]{4,}\*\*", readme) == []
