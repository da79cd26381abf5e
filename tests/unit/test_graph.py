"""The stages that the Snakefile gets from dvc.yaml."""

import os
import shutil
import subprocess
import sys
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
import yaml
from demo_values import demo_values
from dvc.repo import Repo

from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.workflow.graph import Stage, commit, compare_stages, read_stages
from attnmt.workflow.record import recorded, write_order

ROOT = Path(__file__).parents[2]
DVC_YAML = """
stages:
  write:
    desc: Write a folder
    cmd: mkdir -p made/whole && echo text > made/whole/text && echo text > made/alone.txt
    params: [corpus.text, dictionary]
    deps: [source.txt]
    outs: [made/whole, made/alone.txt]
    meta: {resources: {mem_mb: 100, runtime: 1000}}
  read_within:
    desc: Read a file in an output
    cmd: mkdir -p read && cp made/whole/text read/within.txt
    deps: [made/whole/text]
    outs: [read/within.txt]
    meta: {threads: "${machine.train_threads}", resources: {gpu: 1, mem_mb: 100, runtime: 100}}
  read_around:
    desc: Read the folder in which outputs lie, and one of them
    cmd: [cat made/alone.txt > around.txt, "mkdir beside", cp around.txt beside]
    deps: [made, made/alone.txt, other.txt]
    outs: [around.txt, beside]
    meta: {resources: {mem_mb: 100, runtime: 10}}
  family:
    foreach: ${families}
    do:
      desc: Read what one family says
      cmd: cat read/within.txt > ${key}.txt
      params: ["families.${key}.encoding"]
      deps: [read/within.txt]
      outs: ["${key}.txt"]
      meta: {resources: {mem_mb: 100, runtime: "${item.encoding.vocabulary}"}}
  apart:
    desc: Read nothing that is made
    cmd: cat other.txt > apart.txt
    deps: [other.txt]
    outs: [apart.txt]
    meta: {resources: {mem_mb: 100, runtime: 1}}
"""
FAMILIES = {"family@luong", "family@course"}
ALL_STAGES = {"write", "read_within", "read_around", "apart", *FAMILIES}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    (tmp_path / "dvc.yaml").write_text(DVC_YAML)
    params = demo_values()
    families = {name: params["families"][name] for name in ("luong", "course")}
    params |= {"families": families, "systems": ["base", "gru_self"]}
    for name in ("systems.yaml", "claims.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    for name in ("source.txt", "other.txt"):
        (tmp_path / name).write_text("text")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    return tmp_path


def stages() -> dict[str, Stage]:
    return {stage.name: stage for stage in compare_stages("demo")}


def change(path: Path, place: str, value: object) -> None:
    params = yaml.safe_load(path.read_text())
    *sections, key = place.split(".")
    reduce(getitem, sections, params)[key] = value
    path.write_text(yaml.safe_dump(params))


def run_with_dvc() -> None:
    with Repo() as repo:
        repo.reproduce()


def done() -> set[str]:
    return {name for name, stage in stages().items() if stage.done}


def test_an_input_folder_means_the_outputs_in_it_and_a_file_the_output_around_it(project):
    by_name = stages()
    assert by_name["write"].inputs == ["source.txt"]
    assert by_name["read_within"].inputs == ["made/whole"]
    around = by_name["read_around"]
    assert around.inputs == ["made/whole", "made/alone.txt", "other.txt"]
    # Several commands become one that ends at the first failure.
    commands = ["cat made/alone.txt > around.txt", "mkdir beside", "cp around.txt beside"]
    assert around.command == " && ".join(commands)


def test_a_stage_carries_what_dvc_resolves(project):
    write, within = stages()["write"], stages()["read_within"]
    assert write.description == "Write a folder"
    assert write.command.startswith("mkdir -p made/whole")
    assert write.outputs == ["made/whole", "made/alone.txt"]
    params = yaml.safe_load((project / "params.yaml").read_text())
    expected = {"corpus.text": params["corpus"]["text"], "dictionary": params["dictionary"]}
    assert write.params == {f"params.yaml:{name}": value for name, value in expected.items()}
    assert (write.threads, write.resources) == (1, {"mem_mb": 100, "runtime": 1000})
    assert (within.threads, within.resources) == (1, {"gpu": 1, "mem_mb": 100, "runtime": 100})
    change(project / "params.yaml", "machine.train_threads", 3)
    assert stages()["read_within"].threads == 3


def test_a_loop_gives_a_stage_for_each_entry_and_what_many_wait_for_goes_first(project):
    by_name = stages()
    priorities = {name: stage.priority for name, stage in by_name.items()}
    assert priorities == dict.fromkeys(ALL_STAGES, 0) | {"write": 2, "read_within": len(FAMILIES)}
    course = by_name["family@course"]
    assert course.command == "cat read/within.txt > course.txt"
    assert course.outputs == ["course.txt"]
    params = yaml.safe_load((project / "params.yaml").read_text())
    expected = params["families"]["course"]["encoding"]
    assert course.params == {"params.yaml:families.course.encoding": expected}


def test_after_dvc_ran_all_is_settled_unless_nothing_is_compared(project):
    assert done() == set()
    run_with_dvc()
    assert done() == ALL_STAGES
    assert not any(stage.done for stage in read_stages("demo"))


@pytest.mark.parametrize(
    ("change_project", "still_done"),
    [
        (lambda: Path("source.txt").write_text("changed"), {"apart"}),
        (lambda: change(Path("params.yaml"), "dictionary.min_count", 7), {"apart"}),
        (
            lambda: change(Path("params.yaml"), "families.course.encoding.length", 7),
            ALL_STAGES - {"family@course"},
        ),
        (lambda: Path("apart.txt").unlink(), ALL_STAGES - {"apart"}),
    ],
    ids=["a source", "a parameter", "one entry of a loop", "a lost output"],
)
def test_what_follows_from_a_change_is_not_settled(project, change_project, still_done):
    run_with_dvc()
    change_project()
    assert done() == still_done


def test_dvc_does_not_look_at_a_hidden_experiment_before_it_has_run(project):
    """Else ``dvc status`` reports every output of every experiment that nobody ran here."""
    own = project / "experiments/own"
    own.mkdir(parents=True)
    (project / "dvc.yaml").unlink()  # of which own's would be a copy
    (project / ".dvcignore").write_text("/experiments/own/dvc.yaml\n")
    stage = {"cmd": "true", "desc": "", "wdir": "../..", "outs": ["made.txt"]}
    stages = {"one": stage | {"meta": {"resources": {"mem_mb": 1, "runtime": 1}}}}
    (own / "dvc.yaml").write_text(yaml.safe_dump({"stages": stages}))
    params = yaml.safe_load((project / "params.yaml").read_text()) | {"experiment": "own"}
    (own / "params.yaml").write_text(yaml.safe_dump(params))
    (own / "dvc.lock").write_text("schema: '2.0'\nstages: {gone: {cmd: 'true'}}\n")

    def seen_by_dvc() -> bool:
        with Repo() as repo:
            return any(stage.name == "one" for stage in repo.index.stages)

    (one,) = compare_stages("own")  # the engines see it
    assert not seen_by_dvc()
    with recorded(one, Layout("own").record("one")):
        (project / "made.txt").write_text("made")
    assert commit("own").new == ["one"]
    assert yaml.safe_load((own / "dvc.lock").read_text())["stages"].keys() == {"one"}
    assert seen_by_dvc()
    assert compare_stages("own")[0].committed


def test_an_order_is_written_again_if_it_changes_or_is_asked_for(project):
    order = project / "orders/write.json"
    write_order(order, stages()["write"], again=False)
    os.utime(order, (0, 0))
    write_order(order, stages()["write"], again=False)
    assert order.stat().st_mtime == 0
    write_order(order, stages()["write"], again=True)
    assert order.stat().st_mtime > 0
    os.utime(order, (0, 0))
    change(project / "params.yaml", "corpus.text", "elsewhere")
    write_order(order, stages()["write"], again=False)
    assert order.stat().st_mtime > 0
    assert yaml.safe_load(order.read_text())["params"]["params.yaml:corpus.text"] == "elsewhere"


def test_the_stages_follow_the_systems_without_make_format(project):
    read_stages("demo")
    change(project / "params.yaml", "systems", ["base_reverse"])
    read_stages("demo")
    assert list(yaml.safe_load(Path("models.yaml").read_text())["models"]) == ["base_reverse"]


def test_a_text_may_lie_outside_the_project(project):
    outside = DVC_YAML.replace("deps: [other.txt]", "deps: [../outside.txt]")
    (project / "dvc.yaml").write_text(outside)
    (project.parent / "outside.txt").write_text("text")
    assert stages()["apart"].inputs == ["../outside.txt"]


def test_a_command_that_dvc_locks_out_is_told_to_wait(project):
    hold = (
        "from dvc.repo import Repo, lock_repo\n"
        "with Repo() as repo, lock_repo(repo):\n"
        "    print('held', flush=True)\n"
        "    input()\n"
    )
    with recorded(stages()["apart"], Layout("demo").record("apart")):
        Path("apart.txt").write_text("made")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", hold], **pipes) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match="another DVC command"):
            commit("demo")
        holder.communicate("\n")
    assert commit("demo").new == ["apart"]


def _without_its_repository(project: Path) -> None:
    (project / ".dvc").rename(project / "dvc")


def _with_a_link_outside(project: Path) -> None:
    (project.parent / "scratch").mkdir()
    (project / "made").symlink_to("../scratch")


def _with_invented_parameters(project: Path) -> None:
    (project / "dvc.yaml").write_text(DVC_YAML.replace("dictionary]", "diction.min]"))


@pytest.mark.parametrize(
    ("fault", "place"),
    [
        (_without_its_repository, "not inside of a DVC repository"),
        (_with_a_link_outside, r"/made: .* cache dir"),
        (_with_invented_parameters, r"dvc\.yaml: stages: write: .* 'diction'"),
        (
            lambda _: change(Path("params.yaml"), "decoding.beams", 1),
            r"params\.yaml:\d+: decoding\.beams: unknown key",
        ),
        (
            lambda project: change(project / "claims.yaml", "claims.table1_reverse.bound", "x"),
            r"claims\.yaml:\d+: .*bound: ",
        ),
    ],
)
def test_a_fault_is_named_with_its_place(project, fault, place):
    fault(project)
    with pytest.raises(InputError, match=place):
        read_stages("demo")


def test_an_experiment_whose_stages_are_not_the_projects_is_refused(project):
    own = project / "experiments/own"
    own.mkdir(parents=True)
    params = yaml.safe_load((project / "params.yaml").read_text()) | {"experiment": "own"}
    (own / "params.yaml").write_text(yaml.safe_dump(params))
    (own / "dvc.yaml").write_text(DVC_YAML.replace("apart", "aside"))
    with pytest.raises(InputError, match=r"own/dvc\.yaml: .*generated"):
        read_stages("own")


def test_the_command_ends_with_status_2_and_names_stages_that_are_out_of_date(project, attnmt):
    run_with_dvc()
    Path("source.txt").write_text("changed")
    status, _, error = attnmt("commit")
    assert status == 2
    assert "write" in error
    assert "apart" not in error
