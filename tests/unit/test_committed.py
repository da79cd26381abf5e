"""What lies in git agrees: the digests with the code, and the report with the digests of dvc.lock."""

import hashlib
import json
from pathlib import Path

import pytest
import yaml

from attnmt.layout import Layout
from attnmt.scoring.numbers import read_numbers
from attnmt.workflow.code import SCRIPT, code_of, digest_of

ROOT = Path(__file__).parents[2]
EXPERIMENTS = sorted(path.name for path in (ROOT / "code").iterdir())
LOCKS = {"demo": ROOT / "dvc.lock"}


@pytest.mark.parametrize("script", sorted((ROOT / "stages").glob("*.py")), ids=lambda p: p.stem)
def test_the_digests_of_the_demo_are_those_of_the_code(script: Path) -> None:
    """`make format` writes them; their diff says which stages a commit touches."""
    path = Layout("demo", ROOT).code / f"{script.stem}.json"
    if script.stem != SCRIPT:
        assert json.loads(path.read_text()) == code_of(script)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_report_comes_from_the_code_that_its_lock_names(experiment: str) -> None:
    """Where dvc.lock says that trainings are of the digests in git, the report must say the same."""
    lock = LOCKS.get(experiment, ROOT / f"experiments/{experiment}/dvc.lock")
    numbers = Layout(experiment, ROOT).numbers
    if not lock.exists() or not numbers.exists():
        pytest.skip(f"{experiment} has no lock or no report")
    code = Layout(experiment, ROOT).code / "train.json"
    stages = yaml.safe_load(lock.read_text())["stages"]
    locked = {
        dep["md5"]
        for name, stage in stages.items()
        for dep in stage.get("deps", [])
        if name.startswith("train@") and dep["path"] == f"code/{experiment}/train.json"
    }
    if locked != {hashlib.md5(code.read_bytes()).hexdigest()}:
        pytest.skip(f"{experiment} has not run since the code of its trainings changed")
    lines = read_numbers(experiment, ROOT).lines
    said = {line.code for line in lines if line.kind == "training" and line.seed is not None}
    assert said == {digest_of(json.loads(code.read_text()))}
