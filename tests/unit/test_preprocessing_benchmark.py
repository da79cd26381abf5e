"""The benchmark of preprocessing, on a handful of sentences."""

import gzip
import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attnmt.errors import InputError
from benchmarks import page, preprocessing
from benchmarks.preprocessing_page import render
from benchmarks.process_tree import watch
from benchmarks.recombined import real_pairs, recombined

PAIRS = [
    ("The dog sees a house.", "Der Hund sieht ein Haus."),
    ("It's old, isn't it?", "Es ist alt, oder?"),
    ("Go!", "Geh!"),
]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Return a folder of real text, as the benchmark reads it."""
    for folder in ("tatoeba", "newstest", "multi30k"):
        (tmp_path / folder).mkdir()
    rows = "".join(f"{english}\t{german}\tCC\n" for english, german in PAIRS)
    (tmp_path / "tatoeba/deu-eng.tsv.gz").write_bytes(gzip.compress(rows.encode()))
    for side, language in enumerate(("en", "de")):
        lines = "".join(f"{pair[side]}\n" for pair in PAIRS)
        for name in ("newstest2013", "newstest2014-filtered"):
            (tmp_path / f"newstest/{name}.{language}").write_text(lines)
        (tmp_path / f"multi30k/train.{language}.gz").write_bytes(gzip.compress(lines.encode()))
    return tmp_path


def test_recombined_text(text: Path) -> None:
    real = real_pairs(text)
    assert real == 4 * PAIRS
    generated = list(recombined(real, 2000))
    assert generated == list(recombined(real, 2000))
    assert generated[:10] == list(islice(recombined(real, 3000), 10))
    for side, share in ((0, 1 / 110), (1, 1 / 50)):
        words = [word for pair in generated for word in pair[side].split()]
        known = {word for pair in PAIRS for word in pair[side].split()}
        assert sum(word not in known for word in words) / len(words) == pytest.approx(
            share, rel=0.2
        )
    assert 18 <= sum(len(english.split()) for english, _ in generated) / len(generated) <= 28


def test_a_small_run(text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    monkeypatch.setattr(preprocessing, "TOKENIZED", 20)
    command = [
        "measure",
        "--pairs",
        "30",
        "--families",
        "luong",
        "--text",
        str(text),
        "--name",
        "A B",
    ]
    run = CliRunner().invoke(preprocessing.app, command, catch_exceptions=False)
    assert run.exit_code == 0, run.output
    results = json.loads((tmp_path / "preprocessing-a-b.json").read_text())
    assert list(results["sizes"]["30"]["stages"]) == ["tokens", "encode luong"]
    for used in results["sizes"]["30"]["stages"].values():
        assert used["seconds"] > 0
        assert used["all_mb"] >= used["first_mb"] > 10
    assert "| tokens | 30 |" in render(results)


def test_a_process_and_those_that_it_starts() -> None:
    child = "x = bytearray(60_000_000); import time; time.sleep(0.5)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    used = watch(subprocess.Popen([sys.executable, "-c", parent]))
    assert used.all_mb > used.first_mb + 60
    assert used.seconds > 0.5
    with pytest.raises(InputError, match="failed with status 3"):
        watch(subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"]))


def test_missing_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"deu-eng\.tsv\.gz: no such file; --text names"):
        real_pairs(tmp_path)
