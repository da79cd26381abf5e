"""What a stage notes of its own run, and what that proves."""

import json
import os
from pathlib import Path

import pytest

from attnmt import record
from attnmt.code import code_of
from attnmt.errors import InputError
from attnmt.files import write_json
from attnmt.layout import Layout
from attnmt.record import Order, contradicts, digest_of_path, is_of, recorded

SCRIPT = Path(__file__).parents[2] / "stages/train.py"
CODE = "code/demo/train.json"
ORDER = Order("train@base", "python stages/train.py x", {"seed": 1}, [CODE, "in"], ["out", "more"])
PLACE = Layout("demo").record("train@base")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An input, the order of Snakemake, and the code as it is."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/text").write_text("text")
    write_json(Path(CODE), code_of(SCRIPT))
    ORDER.write(Layout("demo").order("train@base"), again=True)
    monkeypatch.delenv(record.DVC_STAGE, raising=False)
    monkeypatch.setenv(record.ORDER, str(Layout("demo").order("train@base")))
    return tmp_path


def work(
    text: str = "made", *, fails: bool = False, outputs: tuple[str, ...] = ("out", "more")
) -> None:
    with recorded("demo", SCRIPT, ["x"]):
        for name in outputs:
            Path(name).write_text(text)
        if fails:
            raise InputError("no")


def made(order: Order = ORDER) -> bool:
    return is_of(PLACE, order, digest_of_path)


def test_a_run_proves_that_its_outputs_are_of_its_order() -> None:
    assert not made()
    work()
    assert made()
    assert not contradicts(PLACE, ORDER, digest_of_path)


@pytest.mark.parametrize("path", ["in/text", "in/other", "out", CODE])
def test_what_has_changed_since_is_not_proven_even_if_its_time_is_old(path: str) -> None:
    work()
    Path(path).write_text("{}")
    os.utime(path, (0, 0))
    assert not made()


@pytest.mark.parametrize(
    "other",
    [
        Order("train@base", "python stages/train.py y", ORDER.params, ORDER.inputs, ORDER.outputs),
        Order("train@base", ORDER.command, {"seed": 2}, ORDER.inputs, ORDER.outputs),
        Order("train@base", ORDER.command, ORDER.params, [CODE], ORDER.outputs),
        Order("train@base", ORDER.command, ORDER.params, ORDER.inputs, ["out"]),
    ],
)
def test_another_order_is_not_proven(other: Order) -> None:
    work()
    assert not made(other)


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
    assert made()


def test_a_run_that_fails_proves_nothing_and_neither_does_the_one_before() -> None:
    work()
    with pytest.raises(InputError, match="no"):
        work(fails=True)
    assert not made()


def test_the_first_of_two_commands_proves_nothing() -> None:
    work(outputs=("out",))
    assert not PLACE.exists()
    work(outputs=("more",))
    assert made()


def test_outputs_of_other_code_contradict_whoever_says_that_they_are_of_this() -> None:
    work()
    write_json(Path(CODE), {"attnmt": "of other code"})
    assert contradicts(PLACE, ORDER, digest_of_path)
    Path("out").write_text("made elsewhere")
    assert not contradicts(PLACE, ORDER, digest_of_path)


def test_under_an_engine_a_stage_whose_code_has_changed_is_refused() -> None:
    write_json(Path(CODE), code_of(SCRIPT) | {"attnmt.model.attention": "before"})
    with pytest.raises(InputError, match=r"train\.json: attnmt\.model\.attention changed after"):
        work()
    assert not Path("out").exists()


def test_under_dvc_nothing_is_noted_and_what_was_noted_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work()
    monkeypatch.delenv(record.ORDER)
    monkeypatch.setenv(record.DVC_STAGE, "profiles/demo/dvc.yaml:train@base")
    work()
    assert not PLACE.exists()


def test_by_hand_the_digests_of_the_code_are_brought_up_to_date(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here no dvc.yaml defines the stage, so nothing is noted."""
    monkeypatch.delenv(record.ORDER)
    write_json(Path(CODE), {})
    work()
    assert json.loads(Path(CODE).read_text()) == code_of(SCRIPT)
    assert not PLACE.exists()
