"""The stages that the Snakefile gets from dvc.yaml."""

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
    assert (write.threads, write.resources) == (1, {"mem_mb": 100, "runtime": 1000})
    assert (within.threads, within.resources) == (1, {"gpu": 1, "mem_mb": 100, "runtime": 100})
    change(project / "params.yaml", "machine.train_threads", 3)
    assert stages()["read_within"].threads == 3


def test_a_loop_gives_a_stage_for_each_entry_and_what_many_wait_for_goes_first(project):
    by_name = stages()
    priorities = {name: stage.priority for name, stage in by_name.items()}
    assert priorities == dict.fromkeys(ALL_STAGES, 0) | {"write": 2, "read_within": len(FAMILIES)}
    gru = by_name["family@gru"]
    assert gru.command == "cat read/within.txt > gru.txt"
    assert gru.outputs == ["gru.txt"]


def test_after_dvc_ran_all_is_settled_unless_nothing_is_compared(project):
    assert done() == set()
    run_with_dvc()
    assert done() == ALL_STAGES
    assert not any(stage.done for stage in read_stages("demo"))


@pytest.mark.parametrize(
    ("change_project", "still_done"),
    [
        (lambda: Path("source.txt").write_text("changed"), {"apart"}),
        (lambda: Path("apart.txt").unlink(), ALL_STAGES - {"apart"}),
    ],
    ids=["a source", "a lost output"],
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


def test_a_copy_without_its_repository_is_refused(project):
    (project / ".dvc").rename(project / "dvc")
    with pytest.raises(InputError, match=r"not inside of a DVC repository.*; clone the project"):
        read_stages("demo")


def test_wrong_parameters_are_refused_before_dvc_sees_them(project):
    change(project / "params.yaml", "decoding.beams", 1)
    with pytest.raises(InputError, match=r"params\.yaml:\d+: decoding\.beams: unknown key"):
        read_stages("demo")


def test_the_stages_follow_the_systems_without_make_format(project):
    read_stages("demo")
    change(project / "params.yaml", "systems", ["base_reverse"])
    read_stages("demo")
    assert list(yaml.safe_load(Path("trainings.yaml").read_text())["trainings"]) == ["base_reverse"]


def test_a_text_may_lie_outside_the_project(project):
    outside = DVC_YAML.replace("deps: [other.txt]", "deps: [../outside.txt]")
    (project / "dvc.yaml").write_text(outside)
    (project.parent / "outside.txt").write_text("text")
    assert stages()["apart"].inputs == ["../outside.txt"]


def test_a_folder_of_outputs_that_leads_out_of_the_project_is_refused(project):
    (project.parent / "scratch").mkdir()
    (project / "made").symlink_to("../scratch")
    with pytest.raises(
        InputError, match=r"/made: a link that leads out of the project.* cache dir"
    ):
        read_stages("demo")


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
        with pytest.raises(InputError, match="another DVC command runs here; wait for it"):
            commit("demo")
        holder.communicate("\n")
    assert commit("demo").new == ["apart"]


def test_an_experiment_whose_stages_are_not_the_projects_is_refused(project):
    own = project / "experiments/own"
    own.mkdir(parents=True)
    params = yaml.safe_load((project / "params.yaml").read_text()) | {"experiment": "own"}
    (own / "params.yaml").write_text(yaml.safe_dump(params))
    (own / "dvc.yaml").write_text(DVC_YAML.replace("apart", "aside"))
    with pytest.raises(InputError, match=r"own/dvc\.yaml: differs from dvc\.yaml, .*generated"):
        read_stages("own")


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


@pytest.mark.parametrize("proof", ["record", "dvc.lock"])
@pytest.mark.parametrize("valid", [True, False])
def test_what_was_set_aside_is_put_back_if_it_is_valid(project, proof, valid):
    if proof == "dvc.lock":
        run_with_dvc()
    else:
        with recorded(stages()["apart"], Layout("demo").record("apart")):
            Path("apart.txt").write_text("made")
    Path("set-aside").mkdir()
    aside = Path("apart.txt").rename("set-aside/apart.txt")
    if not valid:
        Path("other.txt").write_text("changed")
    assert ("apart" in done()) == valid
    assert aside.exists() != valid


@pytest.mark.parametrize("content", ['{"write": {"apart.t', ""])
def test_a_cut_file_of_locks_is_removed_and_said(project, caplog, content):
    with recorded(stages()["apart"], Layout("demo").record("apart")):
        Path("apart.txt").write_text("made")
    Path(".dvc/tmp").mkdir(exist_ok=True)
    Path(".dvc/tmp/rwlock").write_text(content)
    assert commit("demo").new == ["apart"]
    assert ".dvc/tmp/rwlock" in caplog.text


def test_the_command_says_what_it_committed_and_names_a_few_stale_stages(attnmt, monkeypatch):
    stale = [f"train@{name}" for name in "abcdef"] + ["gather"]
    monkeypatch.setattr(graph, "commit", lambda _: Committed(["corpus"], stale, []))
    status, output, error = attnmt("commit")
    assert (status, output) == (2, "Stages committed: 1.\n")
    assert "train@a" in error
    assert "train@f" not in error
    monkeypatch.setattr(graph, "commit", lambda _: Committed([], stale[:1], []))
    assert "train@a" in attnmt("commit")[2]
