"""Text of one's own: a changed file makes the corpus stale in both engines, even behind a link."""

import json
import re

import pytest
import yaml
from project import Project

DVC_FILE = "experiments/own/dvc.yaml"
CORPUS = f"{DVC_FILE}:corpus"


@pytest.fixture
def own(project, tmp_path) -> Project:
    """Return a project with an experiment whose text is links to files elsewhere; its corpus is made."""
    copy = project.copy(tmp_path / "copy").hide_mlflow()
    values = json.loads(json.dumps(yaml.safe_load((copy.folder / "params.yaml").read_text())))
    values |= {"experiment": "own", "corpus": {"kind": "local"}}
    values["sets"] = {"train": "train", "dev": "dev", "tests": ["test"], "aligned": ["test"]}
    text = copy.folder / "experiments/own/text"
    text.mkdir(parents=True)
    (text.parent / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    for name in ("train", "dev", "test"):
        for language in ("en", "de"):
            write(copy, f"{name}.{language}", f"{language} b\n")
            (text / f"{name}.{language}").symlink_to(tmp_path / f"{name}.{language}")
    copy.run("python", "-m", "attnmt.config.generated")
    copy.run("dvc", "repro", "--quiet", CORPUS)
    return copy


def write(project: Project, name: str, text: str) -> None:
    """Write a file outside of the project, to which the experiment's text links."""
    (project.folder.parent / name).write_text(text)


def stale_in_dvc(project: Project) -> bool:
    return "corpus" in project.run("dvc", "status", CORPUS)


def test_changed_text_is_read_again(own):
    write(own, "dev.de", "c d\n")  # as long as before
    assert stale_in_dvc(own)
    plan = own.run("snakemake", "-n", "--config", "experiment=own")
    assert {"corpus", "tokens"} <= set(re.findall(r"^(\S+) +\d+$", plan, re.MULTILINE))
    own.run("dvc", "repro", "--quiet", CORPUS)
    assert (own.folder / "data/own/raw/dev.de").read_text() == "c d\n"
    assert not stale_in_dvc(own)
