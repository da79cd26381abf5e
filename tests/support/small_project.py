"""A small project on disk, and how a test runs its stages and attnmt."""

import hashlib
import importlib.util
import json
import logging
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from demo_values import demo_values

from attnmt.errors import InputError

ROOT = Path(__file__).parents[2]
Command = Callable[..., tuple[int, str, str]]  # arguments to status, standard output and error


def load_stage(name: str) -> Any:
    """Return the module of a stage, to run in this process and the working folder."""
    spec = importlib.util.spec_from_file_location(f"stage_{name}", ROOT / f"stages/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Ended(NamedTuple):
    """How a stage ended: its status, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


class Project:
    """A folder in which stages run, with an experiment ``tiny``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mirror = folder / "mirror"
        self.mirror.mkdir()
        self.raw = folder / "data/tiny/raw"
        self.tokens = folder / "data/tiny/tokens"
        self.encoded = folder / "data/tiny/encoded"  # a folder for each family
        self.dictionary = folder / "data/tiny/dictionary"
        # Copied through JSON, which keeps no aliases: a test that changes one section changes no other.
        self.params: dict[str, Any] = json.loads(json.dumps(demo_values()))
        self.systems: dict[str, Any] = yaml.safe_load((ROOT / "systems.yaml").read_text())
        self.params |= {
            "experiment": "tiny",
            "sets": {"train": "train", "dev": "dev", "tests": ["test"], "aligned": ["test"]},
            "corpus": {"kind": "local"},
        }

    def add(self, name: str, en: bytes, de: bytes, suffix: str = "") -> None:
        """Put two files of a set into the mirror, and have the corpus downloaded from there."""
        if self.params["corpus"]["kind"] == "local":
            self.params["corpus"] = {"kind": "download", "files": {}}
        sides = self.params["corpus"]["files"].setdefault(name, {"en": [], "de": []})
        for language, content in (("en", en), ("de", de)):
            file = f"{name}{len(sides[language])}.{language}{suffix}"
            (self.mirror / file).write_bytes(content)
            digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
            sides[language].append({"url": f"https://example.org/{file}", "digest": digest})

    def write_raw(self, **files: str) -> None:
        """Write raw files as the corpus stage would, ``train_en`` for train.en."""
        self.raw.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (self.raw / name.replace("_", ".")).write_bytes(text.encode())

    def write_params(self) -> None:
        """Write the parameters and the systems."""
        for name, values in (("params", self.params), ("systems", self.systems)):
            text = yaml.safe_dump(values, sort_keys=False)
            (self.folder / f"{name}.yaml").write_text(text)

    def run(self, stage: str, *args: str) -> Ended:
        """Run a stage in this process; ``args`` follow the parameter file."""
        self.write_params()
        output, error = StringIO(), StringIO()
        log, logger = logging.StreamHandler(error), logging.getLogger("attnmt")
        before = logger.level
        logger.addHandler(log)
        logger.setLevel(logging.INFO)
        try:
            with (
                chdir(self.folder),
                pytest.MonkeyPatch.context() as patch,
                redirect_stdout(output),
                redirect_stderr(error),
            ):
                patch.setenv("ATTNMT_MIRROR", str(self.mirror))
                load_stage(stage).main(Path("params.yaml"), *args)
        except InputError as refused:
            return Ended(2, output.getvalue(), f"{error.getvalue()}error: {refused}\n")
        finally:
            logger.removeHandler(log)
            logger.setLevel(before)
        return Ended(0, output.getvalue(), error.getvalue())

    def outputs(self) -> dict[Path, bytes]:
        """Return the content of every file in the experiment's data."""
        paths = (self.folder / "data/tiny").rglob("*")
        return {path: path.read_bytes() for path in paths if path.is_file()}

    def succeed(self, stage: str, *args: str) -> str:
        """Run a stage that must succeed; return its standard output."""
        result = self.run(stage, *args)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def fail(self, stage: str, *args: str) -> str:
        """Run a stage that must refuse its input and change nothing; return its message."""
        before = self.outputs()
        result = self.run(stage, *args)
        assert result.returncode == 2, result.stderr
        assert not list(self.folder.rglob("*.partial"))
        assert self.outputs() == before
        return result.stderr
