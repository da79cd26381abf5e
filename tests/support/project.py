"""A copy of the project in which the pipeline tests run commands as a person would."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import IO, Any

import yaml
from demo_text import write_demo_text
from dvc.repo import Repo
from dvc.repo.index import Index

ROOT = Path(__file__).parents[2]
FAMILIES = ["luong", "luong_bpe", "gru"]
SMALL = {
    "encoding.vocabulary": 300,
    "shape.layers": 1,
    "shape.size": 16,
    "training.epochs": 1,
    "training.halve_after": 1,
}
BEST = "local_p_general_feed"
MEMBERS = ["base_reverse", BEST]
GRU = "gru_self"
MODELS = [*MEMBERS, GRU]
SYSTEMS = "systems.yaml:"  # the prefix of a key of systems.yaml
SIZES = {"train": 300, "dev": 30, "test1": 30, "test2": 30}
TINY: dict[str, Any] = {
    **{f"families.{name}.{key}": value for name in FAMILIES for key, value in SMALL.items()},
    "families.gru.encoding.pieces": {"merges": 100, "threshold": 2},
    "systems": ["base_reverse", BEST, GRU],
    "seeds": 1,
    f"{SYSTEMS}ensembles.ensemble": {"family": "luong", "members": MEMBERS},
    "decoding.beam": 2,
    "decoding.candidates": 2,
    "decoding.samples": 2,
    "evaluation.bootstrap_samples": 100,
    "evaluation.length_group": 10,
}

# The experiments in a copy. DVC reads the stages of all of them at each command.
EXPERIMENTS = ("demo", "captions-short", "wmt14", "outputs.py")

Edges = set[tuple[str, str]]


@dataclass(frozen=True)
class Project:
    """A working copy in which commands run as they would from a shell."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every command: it runs this copy's code, and no tool calls home."""
        return os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(self.folder / "src"),
            "DVC_SITE_CACHE_DIR": str(self.folder.parent / "dvc-site-cache"),
            "DVC_NO_ANALYTICS": "1",
            "MLFLOW_DISABLE_TELEMETRY": "true",
            "OMP_NUM_THREADS": "1",
        }

    @property
    def shell(self) -> dict[str, Any]:
        """How each command runs: in the copy, with errors in its output."""
        way = {"cwd": self.folder, "env": self.environment}
        return way | {"text": True, "stderr": subprocess.STDOUT}

    def start(self, *command: str, output: IO[str]) -> subprocess.Popen[str]:
        """Start a command whose output goes to a file; return the running process."""
        return subprocess.Popen(command, stdout=output, **self.shell)

    def run(self, *command: str) -> str:
        """Run a command and return its output; if it fails, the test fails and shows the output."""
        result = subprocess.run(command, stdout=subprocess.PIPE, check=False, **self.shell)
        assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}"
        return result.stdout

    def plan(self) -> set[str]:
        """Return the stages that Snakemake would run."""
        jobs = re.findall(r"^(\S+) +\d+$", self.run("snakemake", "-n"), re.MULTILINE)
        return set(jobs) - {"all", "total"}

    def snakemake(self) -> set[str]:
        """Run Snakemake; return the stages that ran."""
        shown = self.run("snakemake", "-j2")
        return set(re.findall(r"^Finished jobid: \d+ \(Rule: (\S+)\)", shown, re.M)) - {"all"}

    def repro(self) -> set[str]:
        """Run ``dvc repro``; return the stages that ran."""
        return set(re.findall(r"^Running stage '(.+)':", self.run("dvc", "repro"), re.M))

    def edges(self) -> Edges:
        """Return DVC's graph as pairs: a stage, and a stage that depends on it."""
        with Repo(str(self.folder)) as repo:
            index = Index.from_file(repo, str(self.folder / "dvc.yaml"))
            return {(before.name, after.name) for after, before in index.graph.edges}

    def following(self, *stages: str) -> set[str]:
        """Return these stages and all that depend on them, directly or not, in DVC's graph."""
        edges, reached, new = self.edges(), set[str](), set(stages)
        while new:
            reached |= new
            new = {after for before, after in edges if before in new} - reached
        return reached

    def change(self, values: dict[str, Any]) -> None:
        """Set keys of params.yaml, each named with its sections as in ``corpus.text``.

        A key of another file starts with the file's name and a colon, such as SYSTEMS. The files derived
        from them are not rewritten.
        """
        for place, value in values.items():
            file, _, keys = place.rpartition(":")
            path = self.folder / (file or "params.yaml")
            content = json.loads(json.dumps(yaml.safe_load(path.read_text())))  # without aliases
            *sections, key = keys.split(".")
            reduce(getitem, sections, content)[key] = value
            path.write_text(yaml.safe_dump(content, sort_keys=False))

    def use(self, values: dict[str, Any]) -> None:
        """Set keys as :meth:`change` does, and rewrite the files derived from them."""
        self.change(values)
        self.run("python", "-m", "attnmt.config.generated")

    def shorten_text(self, sizes: Mapping[str, int] = SIZES) -> None:
        """Keep only the first pairs of each set of the demo."""
        write_demo_text(self.folder / "experiments/demo/text", sizes)

    def hide_mlflow(self) -> "Project":
        """Hide MLflow from every command: importing it takes most of a short stage's time."""
        (self.folder / "src/mlflow.py").write_text("raise ImportError('not installed')\n")
        return self

    def commit(self) -> None:
        """Put everything into git."""
        self.run("git", "add", "--all")
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
        self.run("git", *identity, "commit", "--quiet", "--message", "test")

    def set_remote(self, remote: Path) -> None:
        """Name a folder as the remote of DVC's cache, in this copy only."""
        self.run("dvc", "remote", "add", "--local", "--default", "remote", str(remote))

    def copy(self, folder: Path) -> "Project":
        """Copy everything, ignored files and times included."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)

    def clone(self, folder: Path) -> "Project":
        """Clone the project as a colleague would; outputs do not come along."""
        self.run("git", "clone", "--quiet", str(self.folder), str(folder))
        return Project(folder)

    def results(self) -> dict[str, bytes]:
        """Return dvc.lock, which has digests of all outputs, and the demo's report, by path."""
        report = (self.folder / "reports/demo").rglob("[!.]*")  # Snakemake leaves a hidden file
        paths = [self.folder / "dvc.lock", *(path for path in report if path.is_file())]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths}


def checkout(folder: Path) -> Project:
    """Copy the files that git would take, with few experiments; no stage has run in the copy."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.rstrip("\0").split("\0"):
        left_out = name.startswith("experiments/") and name.split("/")[1] not in EXPERIMENTS
        if os.path.lexists(ROOT / name) and not left_out:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    return Project(folder)
