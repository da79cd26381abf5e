"""The stages that the Snakefile gets from dvc.yaml."""

import shutil
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
import yaml
from demo_values import demo_values
from dvc.repo import Repo

from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.workflow import graph
from attnmt.workflow.graph import Committed, Stage, commit, compare_stages, read_stages
from attnmt.workflow.record import recorded

ROOT = Path(__file__).parents[2]
DVC_YAML = """
stages:
  write:
    desc: Write a folder
    cmd: mkdir -p made/whole && echo text > made/whole/text && echo text > made/alone.txt
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
    cmd: cat made/alone.txt > around.txt && mkdir beside && cp around.txt beside
    deps: [made, made/alone.txt, other.txt]
    outs: [around.txt, beside]
    meta: {resources: {mem_mb: 100, runtime: 10}}
  family:
    foreach: ${families}
    do:
      desc: Read what one family says
      cmd: cat read/within.txt > ${key}.txt
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
FAMILIES = {"family@luong", "family@gru"}
ALL_STAGES = {"write", "read_within", "read_around", "apart", *FAMILIES}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    no_scm = true\n    analytics = false\n")
    (tmp_path / "dvc.yaml").write_text(DVC_YAML)
    params = demo_values()
    families = {name: params["families"][name] for name in ("luong", "gru")}
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


def test_a_stage_comes_after_those_whose_outputs_it_reads(project):
    """An input may be an output, a file in one, or a folder in which outputs lie."""
    by_name = stages()
    assert by_name["write"].before == []
    assert by_name["read_within"].before == ["write"]
    assert by_name["read_around"].before == ["write"]
    assert by_name["read_around"].inputs == ["made/whole", "made/alone.txt", "other.txt"]


def test_a_stage_carries_what_dvc_resolves(project):
    write, within = stages()["write"], stages()["read_within"]
    assert write.description == "Write a folder"
    assert write.command.startswith("mkdir -p made/whole")
    assert write.outputs == ["made/whole", "made/alone.txt"]
    assert (within.threads, within.resources) == (1, {"gpu": 1, "mem_mb": 100, "runtime": 100})
    change(project / "params.yaml", "machine.train_threads", 3)
    assert stages()["read_within"].threads == 3


def test_after_dvc_ran_all_is_settled_unless_nothing_is_compared(project):
    assert done() == set()
    run_with_dvc()
    assert done() == ALL_STAGES
    assert not any(stage.done for stage in read_stages("demo"))
    Path("apart.txt").unlink()
    assert done() == ALL_STAGES - {"apart"}
    Path("source.txt").write_text("changed")
    assert done() == set()


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

    def seen_by_dvc() -> bool:
        with Repo() as repo:
            return any(stage.name == "one" for stage in repo.index.stages)

    (one,) = compare_stages("own")  # the engines see it
    assert not seen_by_dvc()
    with recorded(one, Layout("own").record("one")):
        (project / "made.txt").write_text("made")
    assert commit("own").new == ["one"]
    assert seen_by_dvc()
    assert compare_stages("own")[0].committed


def test_a_folder_of_outputs_that_leads_out_of_the_project_is_refused(project):
    (project.parent / "scratch").mkdir()
    (project / "made").symlink_to("../scratch")
    with pytest.raises(
        InputError, match=r"/made: a link that leads out of the project.* cache dir"
    ):
        read_stages("demo")


@pytest.mark.parametrize("valid", [True, False])
def test_what_was_set_aside_is_put_back_if_it_is_valid(project, valid):
    with recorded(stages()["apart"], Layout("demo").record("apart")):
        Path("apart.txt").write_text("made")
    Path("set-aside").mkdir()
    aside = Path("apart.txt").rename("set-aside/apart.txt")
    if not valid:
        Path("other.txt").write_text("changed")
    assert ("apart" in done()) == valid
    assert aside.exists() != valid


def test_the_command_names_stale_stages_by_its_status(attnmt, monkeypatch):
    monkeypatch.setattr(graph, "commit", lambda _: Committed(["corpus"], ["train@a"], []))
    status, _, error = attnmt("commit")
    assert (status, "train@a" in error) == (2, True)


def test_a_damaged_object_of_the_cache_is_written_again_and_destroys_nothing(project):
    """With hard links, DVC itself would put the damaged object in place of the good output."""
    with Path(".dvc/config").open("a") as file:
        file.write('[cache]\n    type = "hardlink,copy"\n')

    def make() -> None:
        Path("apart.txt").unlink(missing_ok=True)
        with recorded(stages()["apart"], Layout("demo").record("apart")):
            Path("apart.txt").write_text("good")

    make()
    assert commit("demo").new == ["apart"]
    (cached,) = (path for path in Path(".dvc/cache/files").rglob("*") if path.is_file())
    make()
    cached.chmod(0o644)
    cached.write_text("cut")
    Path("dvc.lock").unlink()
    assert commit("demo").new == ["apart"]
    assert Path("apart.txt").read_text() == cached.read_text() == "good"
