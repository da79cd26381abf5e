"""The tables rendered from made-up scores, compared with snapshots byte for byte.

`pytest tests/unit/test_snapshots.py --fix` writes them again. Read the difference before you keep it.
"""

import difflib
from pathlib import Path

import pytest
from made_scores import made_tests, write_all
from papers import paper_params

from attnmt.reporting.compare import make_tables
from attnmt.reporting.cost_table import cost_table
from attnmt.reporting.render import write_tables
from attnmt.reporting.samples import write_samples
from attnmt.reporting.tables_file import Sample, SampleText
from attnmt.scoring.seed_runs import Study

ROOT = Path(__file__).parents[2]
SNAPSHOTS = ROOT / "tests/snapshots"
TEXTS = [
    ("source", None, None, "Is 5 < 6 & 50% of \\$10 a|b?"),
    ("reference", None, None, "Ist 5 < 6?"),
    ("best", "local-p", "local_p_general_feed", "Ist 5 <unk> 6?"),
    ("base", "Base", "base", ""),
]
SAMPLE = Sample(
    direction="forward",
    set="test1",
    line=41,
    texts=[
        SampleText(role=role, system=system, model=model, text=text)
        for role, system, model, text in TEXTS
    ],
)
RENEW = "run `pytest tests/unit/test_snapshots.py --fix` if you meant that"


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """Return the files of all the demo's tables by name; in Table 3 one system has two seeds."""
    folder = tmp_path_factory.mktemp("snapshots")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        made_tests(patch)
        params = paper_params()
        twin = params.models["back_base_reverse"].model_copy(update={"seed": 2})
        params = params.model_copy(update={"models": params.models | {"twin": twin}})
        write_all(params)
        tables = [*make_tables(Study(params)), cost_table(params)]
        write_tables("demo", tables, Path("tables"), [SAMPLE])
        write_samples(params, [SAMPLE], Path("tables"))
    return {path.name: path.read_text(encoding="utf-8") for path in (folder / "tables").iterdir()}


def test_the_tables_are_those_of_the_snapshots(rendered, request):
    if request.config.getoption("--fix"):
        SNAPSHOTS.mkdir(exist_ok=True)
        for path in SNAPSHOTS.iterdir():
            path.unlink()
        for name, text in rendered.items():
            (SNAPSHOTS / name).write_text(text, encoding="utf-8")
    kept = {path.name: path.read_text(encoding="utf-8") for path in SNAPSHOTS.glob("*")}
    differences = []
    for name in sorted(rendered.keys() | kept.keys()):
        old, new = (texts.get(name, "").splitlines() for texts in (kept, rendered))
        differences += difflib.unified_diff(old, new, f"tests/snapshots/{name}", "now", lineterm="")
    if kept != rendered:
        pytest.fail("\n".join([f"The tables have changed; {RENEW}.", *differences]), pytrace=False)
