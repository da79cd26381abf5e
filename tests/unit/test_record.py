"""A stage's record of its own run, and what the record proves."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.workflow import record
from attnmt.workflow.record import Order, contradicts, is_of, recorded

CODE = "code/demo/train.json"
COMMAND = "python stages/train.py x"
ORDER = Order("train@base", COMMAND, {"x:seed": 1}, [CODE, "in"], ["out", "more"])
PLACE = Path(".stages/train@base.record.json")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the inputs and the parameters into a working folder; return it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(record.DVC_STAGE, raising=False)
    Path("in").mkdir()
    Path("in/text").write_text("text")
    write_json(Path(CODE), {"attnmt": "of this code"})
    Path("x").write_text("seed: 1\nother: 2\n")
    return tmp_path


def work(
    text: str = "made",
    *,
    order: Order = ORDER,
    outputs: tuple[str, ...] = ("out", "more"),
    meanwhile: Callable[[], object] = lambda: None,
) -> None:
    with recorded(order, PLACE):
        for name in outputs:
            Path(name).write_text(text)
        meanwhile()


def test_a_run_proves_that_its_outputs_are_of_its_order() -> None:
    assert not is_of(PLACE, ORDER)
    work(
        meanwhile=lambda: Path("x").write_text("seed: 1\nother: 3\n")
    )  # it does not read the other
    assert is_of(PLACE, ORDER)
    assert not contradicts(PLACE, ORDER)


@pytest.mark.parametrize("path", ["in/text", "in/other", "out", CODE])
def test_what_has_changed_since_is_not_proven_even_if_its_time_is_old(path: str) -> None:
    work()
    Path(path).write_text("{}")
    os.utime(path, (0, 0))
    assert not is_of(PLACE, ORDER)


@pytest.mark.parametrize(
    "other",
    [
        replace(ORDER, command="python stages/train.py y"),
        replace(ORDER, params={"x:seed": 2}),
        replace(ORDER, inputs=[CODE]),
        replace(ORDER, outputs=["out"]),
    ],
)
def test_another_order_is_not_proven(other: Order) -> None:
    work()
    assert not is_of(PLACE, other)


def test_a_damaged_record_proves_nothing() -> None:
    work()
    PLACE.write_text("{}")
    assert not is_of(PLACE, ORDER)
    assert not contradicts(PLACE, ORDER)


def test_snakemakes_timestamps_and_half_written_files_are_no_content() -> None:
    work()
    Path("in/.snakemake_timestamp").write_text("")
    Path("in/text.123.partial").write_text("")
    assert is_of(PLACE, ORDER)


def test_after_a_run_that_fails_nothing_is_proven() -> None:
    work()
    with pytest.raises(ZeroDivisionError):
        work(meanwhile=lambda: 1 / 0)
    assert not is_of(PLACE, ORDER)
    Path("more").unlink()
    work(outputs=("out",))  # it makes only one of its outputs
    assert not is_of(PLACE, ORDER)


@pytest.mark.parametrize(("path", "named"), [("x", "x:seed"), ("in/text", "in"), (CODE, CODE)])
@pytest.mark.parametrize("engine", ["snakemake", "dvc"])
def test_a_change_while_a_stage_works_ends_the_stage(
    monkeypatch: pytest.MonkeyPatch, engine: str, path: str, named: str
) -> None:
    """DVC takes digests only afterwards, so it would say that the outputs belong to the new content."""
    if engine == "dvc":
        monkeypatch.setenv(record.DVC_STAGE, "train@base")
    with pytest.raises(InputError, match=f"^{named}: this changed"):
        work(meanwhile=lambda: Path(path).write_text("{seed: 5}"))
    assert not PLACE.exists()


def test_other_parameters_than_those_of_the_order_are_refused() -> None:
    Path("x").write_text("seed: 2\n")
    with pytest.raises(InputError, match="seed: this changed"):
        work()
    assert not Path("out").exists()


def test_a_record_contradicts_a_claim_that_its_outputs_are_of_new_code() -> None:
    work()
    write_json(Path(CODE), {"attnmt": "of other code"})
    assert contradicts(PLACE, ORDER)
    Path("out").write_text("made elsewhere")
    assert not contradicts(PLACE, ORDER)


def test_under_dvc_no_record_is_written_and_an_old_one_is_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work()
    monkeypatch.setenv(record.DVC_STAGE, "experiments/demo/dvc.yaml:train@base")
    work()
    assert not PLACE.exists()
