"""The command attnmt fetch."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from demo_values import demo_values
from http_server import Server, serving
from small_project import ROOT

from attnmt.config import load_params
from attnmt.corpora.raw_text import write_downloaded

KEPT = Path("data/downloads/demo")
TEXTS = {"train": b"x\ny\n", "dev": b"d\n", "test": b"t\n"}
RWTH = {"name": "rwth", "terms": "for research", "url": "https://example.org"}


@pytest.fixture
def server(attnmt) -> Iterator[Server]:
    """Serve the files that the working folder's parameters name; the dev set has a license."""
    with serving() as server:
        files: dict[str, Any] = {}
        for name, content in TEXTS.items():
            more = {"license": RWTH, "bytes": len(content)} if name == "dev" else {}
            files[name] = {}
            for side in ("en", "de"):
                text = content if side == "en" else content.upper()
                server.files[f"{name}.{side}"] = text
                file = server.file(f"{name}.{side}", text, **more)
                files[name][side] = [file.model_dump(exclude_none=True)]
        sets = {"train": "train", "dev": "dev", "tests": ["test"], "aligned": ["test"]}
        write_params(sets=sets, corpus={"kind": "download", "files": files})
        yield server


def write_params(**changes: Any) -> None:
    Path("params.yaml").write_text(yaml.safe_dump(demo_values() | changes, sort_keys=False))
    shutil.copy(ROOT / "systems.yaml", "systems.yaml")


def test_files_are_fetched_and_the_corpus_stage_needs_no_network(attnmt, server):
    status, out, _ = attnmt("fetch", "--accept", "rwth")
    assert status == 0
    assert "6 files; 6 are to be fetched:\n" in out
    assert "  dev.en                                     2 bytes\n" in out
    assert {path.name: path.read_bytes() for path in KEPT.iterdir()} == server.files
    (KEPT / "dev.de").write_bytes(b"spoiled")
    out = attnmt("fetch", "--accept", "rwth")[1]
    assert "6 files; 1 are to be fetched:\n" in out
    assert out.count("  there\n") == 5
    assert sorted(server.asked) == sorted([*server.files, "dev.de"])
    server.files.clear()
    source = load_params(Path("params.yaml")).source
    assert source is not None
    Path("raw").mkdir()
    write_downloaded(source, ("en", "de"), "train", Path("raw"), KEPT)
    assert Path("raw/train.en").read_bytes() == TEXTS["train"]


def test_terms_must_be_accepted_before_anything_is_fetched(attnmt, server):
    status, _, error = attnmt("fetch")
    assert (status, server.asked) == (2, [])
    assert "terms must be accepted first: for research; in full: https://example.org;" in error
    assert "attnmt fetch --experiment demo --accept rwth" in error
