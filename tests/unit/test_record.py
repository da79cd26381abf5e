"""A stage's record of its own run, and what the record proves."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.layout import Layout
from attnmt.workflow import record
from attnmt.workflow.code import code_of
from attnmt.workflow.record import Order, contradicts, digest_of_path, is_of, recorded

SCRIPT = Path(__file__).parents[2] / "stages/train.py"
CODE = "code/demo/train.json"
ORDER = Order(
    "train@base", "python stages/train.py x", {"x:seed": 1}, [CODE, "in"], ["out", "more"]
)
PLACE = Layout("demo").record("train@base")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write an input, Snakemake's order and the code's digests into a working folder; return it."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/text").write_text("text")
    write_json(Path(CODE), code_of(SCRIPT))
    Path("x").write_text("seed: 1\nother: 2\n")
    ORDER.write(Layout("demo").order("train@base"), again=True)
    monkeypatch.delenv(record.DVC_STAGE, raising=False)
    monkeypatch.setenv(record.ORDER, str(Layout("demo").order("train@base")))
    return tmp_path


def work(
    text: str = "made",
    *,
    fails: bool = False,
    outputs: tuple[str, ...] = ("out", "more"),
    arguments: tuple[str, ...] = (),
    meanwhile: str | None = None,
) -> None:
    with recorded("demo", SCRIPT, ["x", *arguments]):
        for name in outputs:
            Path(name).write_text(text)
        if meanwhile is not None:
            Path(meanwhile).write_text("{seed: 5}")
        if fails:
            raise InputError("no")


def proven(order: Order = ORDER) -> bool:
    return is_of(PLACE, order, digest_of_path)


def test_a_run_proves_that_its_outputs_are_of_its_order() -> None:
    assert not proven()
    work()
    assert proven()
    assert not contradicts(PLACE, ORDER, digest_of_path)


@pytest.mark.parametrize("path", ["in/text", "in/other", "out", CODE])
def test_what_has_changed_since_is_not_proven_even_if_its_time_is_old(path: str) -> None:
    work()
    Path(path).write_text("{}")
    os.utime(path, (0, 0))
    assert not proven()


@pytest.mark.parametrize(
    "other",
    [
        Order("train@base", "python stages/train.py y", ORDER.params, ORDER.inputs, ORDER.outputs),
        Order("train@base", ORDER.command, {"x:seed": 2}, ORDER.inputs, ORDER.outputs),
        Order("train@base", ORDER.command, ORDER.params, [CODE], ORDER.outputs),
        Order("train@base", ORDER.command, ORDER.params, ORDER.inputs, ["out"]),
    ],
)
def test_another_order_is_not_proven(other: Order) -> None:
    work()
    assert not proven(other)


@pytest.mark.parametrize("content", ["", "null", "[]", "{}", '{"by": {}, "made": 1}'])
def test_a_damaged_record_is_named(content: str) -> None:
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    PLACE.write_text(content)
    for ask in (is_of, contradicts):
        with pytest.raises(InputError, match=r"train@base\.record\.json: "):
            ask(PLACE, ORDER, digest_of_path)


def test_snakemakes_timestamps_and_half_written_files_are_no_content() -> None:
    work()
    Path("in/.snakemake_timestamp").write_text("")
    Path("in/text.123.partial").write_text("")
    assert proven()


def test_after_a_run_that_fails_nothing_is_proven() -> None:
    work()
    with pytest.raises(InputError, match="no"):
        work(fails=True)
    assert not proven()


TWO = replace(ORDER, command=f"{ORDER.command} first && {ORDER.command} second")
FIRST, SECOND = ("out",), ("more",)


@pytest.fixture
def two() -> None:
    TWO.write(Layout("demo").order("train@base"), again=True)


def do_first(text: str = "made") -> None:
    work(text, outputs=FIRST, arguments=("first",))


def do_second(text: str = "made") -> None:
    work(text, outputs=SECOND, arguments=("second",))


def test_two_commands_together_prove_the_stage(two: None) -> None:
    do_first()
    assert not proven(TWO)
    do_second()
    assert proven(TWO)
    do_second("again")
    assert proven(TWO)


@pytest.mark.parametrize("half", [do_first, do_second])
def test_after_only_one_of_two_commands_ran_again_nothing_is_proven(
    two: None, half: Callable[[str], None]
) -> None:
    do_first()
    do_second()
    Path("in/text").write_text("other text")
    half("made of the other text")
    assert not proven(TWO)


def test_after_a_change_between_two_commands_nothing_is_proven(two: None) -> None:
    do_first()
    Path("out").write_text("made by somebody else")
    do_second()
    assert not proven(TWO)


def test_the_order_of_another_stage_is_refused() -> None:
    with pytest.raises(InputError, match=r"train@base\.order\.json: .* does not run `python"):
        work(arguments=("other",))


@pytest.mark.parametrize(
    ("path", "named"), [("x", "x:seed"), ("in/text", "in"), (CODE, CODE.replace(".", r"\."))]
)
@pytest.mark.parametrize("engine", ["snakemake", "dvc"])
def test_a_change_while_a_stage_works_ends_the_stage(
    monkeypatch: pytest.MonkeyPatch, engine: str, path: str, named: str
) -> None:
    """DVC takes digests only afterwards, so it would say that the outputs belong to the new content."""
    if engine == "dvc":
        monkeypatch.delenv(record.ORDER)
        monkeypatch.setenv(record.DVC_STAGE, "train@base")
        monkeypatch.setattr(record, "_definition", lambda *_: ORDER)
    with pytest.raises(InputError, match=f"^{named}: this changed after the stage had read it"):
        work(meanwhile=path)
    assert not PLACE.exists()


def test_other_parameters_than_those_of_the_order_are_refused() -> None:
    Path("x").write_text("seed: 2\n")
    with pytest.raises(InputError, match="seed: this changed after DVC or Snakemake had read it"):
        work()
    assert not Path("out").exists()


def test_parameters_that_the_stage_does_not_read_may_change() -> None:
    with recorded("demo", SCRIPT, ["x"]):
        for name in ("out", "more"):
            Path(name).write_text("made")
        Path("x").write_text("seed: 1\nother: 3\n")
    assert proven()


def test_only_the_first_of_several_processes_writes_the_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RANK", "1")
    work()
    assert not PLACE.exists()
    monkeypatch.setenv("RANK", "0")
    work()
    assert proven()


def test_a_record_contradicts_a_claim_that_its_outputs_are_of_new_code() -> None:
    work()
    write_json(Path(CODE), {"attnmt": "of other code"})
    assert contradicts(PLACE, ORDER, digest_of_path)
    Path("out").write_text("made elsewhere")
    assert not contradicts(PLACE, ORDER, digest_of_path)


def test_under_an_engine_a_stage_whose_code_has_changed_is_refused() -> None:
    write_json(Path(CODE), code_of(SCRIPT) | {"attnmt.model.attention.scores": "before"})
    with pytest.raises(
        InputError, match=r"train\.json: attnmt\.model\.attention\.scores changed after"
    ):
        work()
    assert not Path("out").exists()


def test_under_dvc_no_record_is_written_and_an_old_one_is_deleted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work()
    monkeypatch.delenv(record.ORDER)
    monkeypatch.setenv(record.DVC_STAGE, "experiments/demo/dvc.yaml:train@base")
    monkeypatch.setattr(record, "_definition", lambda *_: ORDER)
    work()
    assert not PLACE.exists()


def test_by_hand_the_digests_of_the_code_are_brought_up_to_date(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here no dvc.yaml defines the stage, so no record is written."""
    monkeypatch.delenv(record.ORDER)
    write_json(Path(CODE), {})
    work()
    assert json.loads(Path(CODE).read_text()) == code_of(SCRIPT)
    assert not PLACE.exists()
