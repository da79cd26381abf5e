"""The command attnmt fetch."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from demo_values import demo_values
from http_server import Server, serving
from small_project import ROOT, Command

from attnmt.config import load_params
from attnmt.corpora.raw_text import write_downloaded

KEPT = Path("data/downloads/demo")
TEXTS = {"train": ["x", "y"], "dev": ["d"], "test": ["t"]}


@pytest.fixture
def server(attnmt: Command) -> Iterator[Server]:
    """Serve the files that the working folder's parameters name; the dev set has a license."""
    with serving() as server:
        files: dict[str, Any] = {}
        for name, lines in TEXTS.items():
            content = "".join(f"{line}\n" for line in lines).encode()
            server.files |= {f"{name}.en": content, f"{name}.de": content}
            files[name] = {}
            for side in ("en", "de"):
                file = server.file(f"{name}.{side}", content).model_dump(exclude_none=True)
                if name == "dev":
                    terms = {"name": "rwth", "terms": "for research", "url": "https://example.org"}
                    file |= {"license": terms, "bytes": len(content)}
                files[name][side] = [file]
        sets = {"train": "train", "dev": "dev", "tests": ["test"], "aligned": ["test"]}
        write_params(sets=sets, corpus={"kind": "download", "files": files})
        yield server


def write_params(**changes: Any) -> None:
    params = demo_values()
    Path("params.yaml").write_text(yaml.safe_dump(params | changes, sort_keys=False))
    shutil.copy(ROOT / "systems.yaml", "systems.yaml")


def test_every_file_of_the_experiment_is_fetched(attnmt: Command, server: Server) -> None:
    status, out, _ = attnmt("fetch", "--accept", "rwth")
    assert status == 0
    assert "Experiment demo reads 6 files; 6 are to be fetched:\n" in out
    assert "  dev.en                                     2 bytes\n" in out
    assert "  train.en                              size unknown\n" in out
    assert out.endswith(f"All are in {KEPT}, verified.\n")
    assert {path.name: path.read_bytes() for path in KEPT.iterdir()} == server.files | {"lock": b""}
    (KEPT / "dev.de").write_bytes(b"spoiled")
    status, out, error = attnmt("fetch", "--accept", "rwth")
    assert f"{KEPT}/dev.de: digest does not match" in error
    assert (KEPT / "dev.de.refused").read_bytes() == b"spoiled"
    assert "6 files; 1 are to be fetched:\n" in out
    assert out.count("  there\n") == 5
    assert [asked.path for asked in server.asked].count("dev.de") == 2
    assert len(server.asked) == 7


def test_the_corpus_stage_then_needs_no_network(attnmt: Command, server: Server) -> None:
    assert attnmt("fetch", "--accept", "rwth")[0] == 0
    server.files.clear()
    source = load_params(Path("params.yaml")).source
    assert source is not None
    Path("raw").mkdir()
    write_downloaded(source, "train", Path("raw"), KEPT)
    assert Path("raw/train.en").read_text() == "x\ny\n"


def test_without_a_terminal_terms_must_be_accepted_by_an_option(
    attnmt: Command, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False)
    status, _, error = attnmt("fetch")
    assert status == 2
    assert error.startswith(
        "error: dev.en: its terms must be accepted first: for research; in full"
    )
    assert "attnmt fetch --experiment demo --accept rwth" in error
    assert server.asked == []


@pytest.mark.parametrize("answer", [True, False])
def test_at_a_terminal_terms_are_asked_for_once(
    attnmt: Command, server: Server, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked = []
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(typer, "confirm", lambda text: asked.append(text) or answer)
    status, out, _ = attnmt("fetch")
    assert "License rwth: for research. In full: https://example.org\n" in out
    assert (status, asked) == (0 if answer else 2, ["Do you accept it?"])
    assert bool(server.asked) == answer


def test_an_unknown_license_is_named(attnmt: Command, server: Server) -> None:
    assert attnmt("fetch", "--accept", "rwht")[::2] == (
        2,
        "error: --accept: no license 'rwht'; did you mean 'rwth'?\n",
    )
    write_params()
    assert attnmt("fetch")[1] == "Experiment demo makes its own text; there is nothing to fetch.\n"


def test_a_mirror_is_verified(
    attnmt: Command, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mirror").mkdir()
    monkeypatch.setenv("ATTNMT_MIRROR", "mirror")
    assert attnmt("fetch")[2].startswith("error: mirror/train.en: no such file in the mirror; http")
    for name, content in server.files.items():
        Path("mirror", name).write_bytes(content)
    assert attnmt("fetch")[1] == "All 6 files are in mirror (ATTNMT_MIRROR), verified.\n"
    assert server.asked == []
