"""A stage's record of its own run, and what the record proves."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.files.text_file import json_text
from attnmt.workflow import record
from attnmt.workflow.record import Task, changes, dvc_digest, read_record, recorded

CODE = "depends/demo/train/base.json"
TASK = Task(
    name="train@base",
    command="python stages/train.py x",
    inputs=[CODE, "in"],
    outputs=["out", "more"],
)
PLACE = Path(".stages/train@base.json")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the inputs into a working folder; return it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(record.DVC_STAGE, raising=False)
    Path("in").mkdir()
    Path("in/text").write_text("text")
    Path(CODE).parent.mkdir(parents=True)
    Path(CODE).write_text("{}")
    return tmp_path


def is_proven(task: Task = TASK) -> bool:
    return not changes(read_record(PLACE), task, dvc_digest)


def work(
    text: str = "made",
    *,
    outputs: tuple[str, ...] = ("out", "more"),
    meanwhile: Callable[[], object] = lambda: None,
) -> None:
    with recorded(TASK, PLACE):
        for name in outputs:
            Path(name).write_text(text)
        meanwhile()


def test_a_run_proves_that_its_outputs_are_of_its_task() -> None:
    assert not is_proven()
    work()
    assert is_proven()


@pytest.mark.parametrize("path", ["in/text", "in/other", "out", CODE])
def test_what_has_changed_since_is_not_proven_whatever_its_time(path: str) -> None:
    work()
    Path(path).write_text("changed")
    os.utime(path, (0, 0))
    assert not is_proven()


@pytest.mark.parametrize(
    "other",
    [
        replace(TASK, command="python stages/train.py y"),
        replace(TASK, inputs=[CODE]),
        replace(TASK, outputs=["out"]),
    ],
)
def test_another_task_is_not_proven(other: Task) -> None:
    work()
    assert not is_proven(other)


def test_what_has_changed_is_named_by_its_key_its_module_or_its_path() -> None:
    before = {"code": {"attnmt.a": "1", "attnmt.b": "1"}, "params": {"training": [{"D": 1}, 3]}}
    Path(CODE).write_text(json_text(before))
    with recorded(TASK, PLACE, before):
        Path("out").touch(), Path("more").touch()
    before["code"]["attnmt.b"], before["params"]["training"][0]["D"] = "2", 2
    Path(CODE).write_text(json_text(before))
    Path("in/text").write_text("changed")
    found = changes(read_record(PLACE), TASK, dvc_digest)
    assert found == ["code.attnmt.b", "params.training.D", "in"]


@pytest.mark.parametrize("damage", ["{}", "[7", "7", ""])
def test_a_damaged_record_proves_nothing(damage: str) -> None:
    work()
    PLACE.write_text(damage)
    assert not is_proven()


def test_after_a_run_that_fails_nothing_is_proven() -> None:
    work()
    with pytest.raises(ZeroDivisionError):
        work(meanwhile=lambda: 1 / 0)
    assert not is_proven()
    Path("more").unlink()
    work(outputs=("out",))  # it makes only one of its outputs
    assert not is_proven()


@pytest.mark.parametrize(("path", "named"), [("in/text", "in"), (CODE, CODE)])
@pytest.mark.parametrize("engine", ["snakemake", "dvc"])
def test_a_change_while_a_stage_works_ends_the_stage(
    monkeypatch: pytest.MonkeyPatch, engine: str, path: str, named: str
) -> None:
    """DVC takes digests only afterwards, so it would say that the outputs belong to the new content."""
    if engine == "dvc":
        monkeypatch.setenv(record.DVC_STAGE, "train@base")
    with pytest.raises(InputError, match=f"^{named}: .*changed"):
        work(meanwhile=lambda: Path(path).write_text("changed"))
    assert not PLACE.exists()


def test_under_dvc_no_record_is_written_and_an_old_one_is_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work()
    monkeypatch.setenv(record.DVC_STAGE, "experiments/demo/dvc.yaml:train@base")
    work()
    assert not PLACE.exists()
