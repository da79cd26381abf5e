"""The GPU benchmark, with a processor in the GPU's place."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from importlib.metadata import requires
from typing import Any

import pytest
import torch
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from attnmt.config import ModelShape, System
from attnmt.errors import InputError
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.model.fast.cells import FusedLSTMSteps
from attnmt.model.fast.stack import Stack
from attnmt.model.translator import ModelConfig
from attnmt.planning.cost import work
from attnmt.planning.text_size import Lengths
from attnmt.text.batches import Batch
from attnmt.training import captured
from benchmarks import gpu, gpu_captions, gpu_ceilings, gpu_steps, page, products
from benchmarks.gpu_limit import words_limit
from benchmarks.gpu_page import SYSTEMS, hours, paper_words, render

MACHINE = {"device": "A B", "torch": "2", "started": "2015-08-17T12", "git_commit": "0"}
WHEELS = (gpu.ROOT / "benchmarks/gpu_wheels.txt").read_text().splitlines()
NO_EXTRA = {"extra": "", "python_version": "3.12"}
SHAPE = ModelShape(layers=2, size=10, window_D=10, location_slots=50, init=0.1)


@pytest.fixture
def call(tmp_path, monkeypatch) -> Callable[..., dict[str, Any]]:
    """Return a function that runs a small command and returns what is in the results' file then."""
    for module in (products, gpu_ceilings):
        monkeypatch.setattr(module, "SECONDS", 0.001)
    monkeypatch.setattr(gpu, "PASSES", 1)
    monkeypatch.setattr(gpu, "surroundings", lambda device: MACHINE)

    def run(*command: str) -> dict[str, Any]:
        where = ["--results", str(tmp_path), *command, "--device", "cpu", "--tiny"]
        run = CliRunner().invoke(gpu.app, where, catch_exceptions=False)
        assert run.exit_code == 0, run.output
        results: dict[str, Any] = json.loads((tmp_path / "gpu-a-b.json").read_text())
        assert results["machine"] == MACHINE
        return results

    return run


def test_a_small_run_writes_every_system_in_every_precision(call):
    results = call("training", "--batches", "2", "--seconds", "0")
    training = results["training"]
    assert list(training["systems"]) == list(SYSTEMS)
    for system in training["systems"].values():
        assert set(training["products"]) <= set(system)
        for precision in training["products"]:
            assert min(system[precision]["words_per_second"]) > 0
            assert system[precision]["limit"] > 0
    rows = [line for line in render(results).splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(training["systems"]) * len(training["products"])


def test_each_command_adds_its_part_to_the_page(call):
    call("ceilings")
    call("steps", "--batches", "1", "--rounds", "1", "--systems", "local_p_general_feed")
    results = call("search")
    assert list(results) == ["machine", "ceilings", "steps", "search"]
    steps = results["steps"]["local_p_general_feed"]
    assert all(set(speeds) == set(gpu_steps.KINDS) for speeds in steps.values())
    assert results["search"]["models"].keys() == {"1", "8"}
    text = render(results)
    assert text.index("Ceilings: a copy") < text.index("three kinds") < text.index("Beam search")


def test_a_trial_is_not_put_among_the_results_of_gpus(monkeypatch):
    monkeypatch.setattr(gpu, "ceilings", lambda *_: pytest.fail("it measures"))
    for command in (["ceilings", "--device", "cpu"], ["captions", "folder", "--tiny"]):
        run = CliRunner().invoke(gpu.app, command)
        assert "a trial is no result of a GPU; name another folder" in str(run.exception)


def test_the_page_shows_no_other_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "put_into_page", lambda *_: pytest.fail("it writes"))
    run = CliRunner().invoke(gpu.app, ["--results", str(tmp_path), "page"])
    assert (
        str(run.exception)
        == f"--results {tmp_path}: the page shows {page.RESULTS}; copy the results"
    )


def test_a_training_that_failed_was_not_killed(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu_captions, "run", lambda *_: pytest.fail("it goes on"))
    monkeypatch.setattr(
        gpu_captions,
        "start",
        lambda *_: subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"]),
    )
    folder = Layout(gpu_captions.EXPERIMENT, tmp_path).model(gpu_captions.MODEL)
    write_text(folder / "weights.safetensors", "")
    with pytest.raises(InputError, match="ended before it could be killed"):
        gpu_captions.resumed(tmp_path)


@pytest.mark.parametrize("began_again", [False, True])
def test_a_training_that_began_again_was_not_resumed(began_again, monkeypatch, tmp_path):
    layout = Layout(gpu_captions.EXPERIMENT, tmp_path)
    model = layout.model(gpu_captions.MODEL)
    checkpoints = layout.checkpoints(gpu_captions.MODEL) / "code"

    def start(*_: Any) -> "subprocess.Popen[bytes]":
        write_text(checkpoints / "origin.json", '{"started": "first"}')
        write_text(checkpoints / "last.safetensors", "")
        return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])

    def run(*_: str) -> None:
        write_text(model / "weights.safetensors", "weights")
        started = "again" if began_again else "first"
        write_text(model / "provenance.json", json.dumps({"started": started}))

    monkeypatch.setattr(gpu_captions, "start", start)
    monkeypatch.setattr(gpu_captions, "run", run)
    run()
    if began_again:
        with pytest.raises(InputError, match="began again, in place of going on"):
            gpu_captions.resumed(tmp_path)
    else:
        assert gpu_captions.resumed(tmp_path)


@pytest.mark.parametrize("kind", gpu_steps.KINDS)
def test_a_kind_of_step_is_what_its_name_says(kind):
    with gpu_steps._as(kind):
        meta = torch.empty(1, device="meta")
        fused = Stack("lstm", 1, 1, 1, 0.0).steps(meta) is FusedLSTMSteps
        ids = torch.ones(1, 3, dtype=torch.int64)
        width = captured.padded(Batch(ids, ids[:, 0], ids, ids, ids[:, 0])).words.shape[1]
        found = fused, width, captured.wanted()
    plain, graphs = kind == gpu_steps.PLAIN, kind == gpu_steps.CAPTURED
    assert found == (not plain, 3 if plain else captured.MULTIPLE, graphs)


def test_hours_are_those_of_the_experiments_precision():
    own, fast = ({"words_per_second": [speed]} for speed in (1000.0, 2000.0))
    systems = {"local_p_general_feed": {"parameters": 1, "fp32": own, "tf32": fast}}
    results = {"machine": MACHINE, "training": {"systems": systems}}
    assert paper_words() == (28, 27_159_600_000)
    # 27,160 million words at 1,000 a second are 7,544 hours.
    assert "1,000 target words a second" in hours(results)
    assert "reached on A B in fp32, the experiment's precision," in hours(results)
    assert f"take {7544.3 / 24:.1f} days of one GPU" in hours(results)
    expected = "On A B the speed of local_p_general_feed in fp32 has not been measured."
    systems["local_p_general_feed"]["fp32"] = {"error": "out of memory"}
    assert hours(results) == expected
    assert hours({"machine": MACHINE}) == expected


@pytest.mark.parametrize("options", [[], ["--resume"]])
def test_the_stages_have_the_gpu_before_the_command_takes_it(options, tmp_path, monkeypatch):
    """One process holds a GPU until it ends, and its stages would have to share it or take another."""
    order = []
    for name in ("measured", "resumed"):
        monkeypatch.setattr(gpu_captions, name, lambda folder: order.append("stages"))
    monkeypatch.setattr(gpu, "best_device", lambda: order.append("command"))
    monkeypatch.setattr(gpu, "_keep", lambda *_: None)
    command = ["--results", str(tmp_path / "results"), "captions", str(tmp_path), *options]
    CliRunner().invoke(gpu.app, command, catch_exceptions=False)
    assert order == ["stages", "command"]


def test_products_that_wait_for_the_step_before_count_at_its_speed():
    lengths = Lengths(20, 10)
    speeds = {"step": 1e3, "all steps": 1e9, "logits": 1e9}
    for feeding in (False, True):
        system = System(attention="global", score="dot", input_feeding=feeding)
        config = ModelConfig(system, SHAPE, 100, 100)
        recurrent = 2 * 4 * 10 * 10  # two layers of 10 cells: layers x gates x cells x cells
        encoder, output = 2 * 2 * recurrent, 10 * 100  # of a target word
        decoder = work(config).training(lengths) / 6 - encoder - output if feeding else recurrent
        seconds = 4 * (2 * recurrent + decoder) / 1e3  # two source words a target word
        assert words_limit(config, lengths, speeds) == pytest.approx(1 / seconds, rel=1e-3)


def test_the_script_names_commands_and_versions_that_there_are():
    script = (gpu.ROOT / "benchmarks/gpu_day.sh").read_text()
    called = set(re.findall(r"measure \S+ \d+ (\w+)", script))
    assert called == {"ceilings", "training", "captions", "search", "steps"}
    commands = {
        command.name or command.callback.__name__ for command in gpu.app.registered_commands
    }
    assert called | {"show"} <= commands
    pinned = (gpu.ROOT / "constraints.txt").read_text().splitlines()
    assert {line.partition(" --hash=sha256:")[0] for line in WHEELS if line[0] != "#"} <= {*pinned}


def test_the_wheels_are_all_that_the_machine_lacks():
    """The machine has torch with all that it requires, and the packages of the lines ``# has``."""
    project = tomllib.loads((gpu.ROOT / "pyproject.toml").read_text())["project"]
    needed = closure(Requirement(line).name for line in project["dependencies"])
    lists = [line.removeprefix("# has ") for line in WHEELS if line.startswith("# has ")]
    brought = {canonicalize_name(line.partition("==")[0]) for line in WHEELS if line[0] != "#"}
    assert brought == needed - closure(["torch"]) - {*" ".join(lists).split()}


def closure(names: Iterable[str]) -> set[str]:
    """Return packages and all that they require, by their canonical names."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            asked = map(Requirement, requires(name) or [])
            waiting += [
                one.name for one in asked if not one.marker or one.marker.evaluate(NO_EXTRA)
            ]
    return found


# The script's python: what needs a GPU or the network only says what it would say; trainings fail.
PYTHON = """#!/bin/sh
case "$*" in
    "-m pip "*) ;;
    *training*) exit 1 ;;
    "-m benchmarks"*) echo measured ;;
    "-m pytest "*) echo "45 skipped in 0.10s" ;;
    *) exec "{python}" "$@" ;;
esac
"""


@pytest.fixture
def gpu_day(tmp_path) -> Callable[[], "subprocess.CompletedProcess[str]"]:
    """Return a function that runs the script's first call; it writes into tmp_path/out."""
    python = tmp_path / "bin/python"
    python.parent.mkdir()
    python.write_text(PYTHON.format(python=sys.executable))
    python.chmod(0o755)
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    command = ["bash", "benchmarks/gpu_day.sh", "1", str(tmp_path / "out"), "--device", "cpu"]
    environment = os.environ | {"PATH": path, "TMPDIR": str(tmp_path)}

    def run() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, cwd=gpu.ROOT, env=environment, capture_output=True, text=True, check=False
        )

    return run


def test_the_table_says_that_without_a_gpu_the_tests_are_skipped(gpu_day, tmp_path):
    assert gpu_day().returncode == 0
    table = (tmp_path / "out/table.txt").read_text()
    assert re.findall(r"(\S+) +\d+ s   (.*)", table) == [
        ("ceilings", "ok"),
        ("tests", "skipped, no GPU"),
        ("training", "failed"),
    ]


def test_where_a_package_is_missing_nothing_is_measured(gpu_day, tmp_path):
    broken = tmp_path / "attnmt-packages/ruamel/yaml/__init__.py"  # where the wheels would be
    broken.parent.mkdir(parents=True)
    broken.write_text("raise ImportError('no YAML')")
    run = gpu_day()
    assert run.returncode == 1
    assert "ImportError: no YAML: so nothing can be measured" in run.stderr
    assert "benchmarks/gpu_wheels.txt" in run.stderr
    assert not (tmp_path / "out/table.txt").read_text()
