"""Preprocessing as the text grows, time and memory: `python -m benchmarks.preprocessing measure`, page.

The stages of experiment wmt14 run as commands, one after the other, on recombined text (recombined.py).
"""

import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
import yaml
from sacremoses import MosesTokenizer as Sacremoses

from attnmt.files.text_file import read_json, write_json
from attnmt.text.tokenizer import MosesTokenizer
from attnmt.training.machine import processor
from attnmt.workflow.stage import run_app
from benchmarks.page import put_into_page, results_file
from benchmarks.preprocessing_page import render
from benchmarks.process_tree import Usage, watch
from benchmarks.recombined import LANGUAGES, NEWSTEST, Pair, newstest_pairs, real_pairs, recombined

ROOT = Path(__file__).parents[1]
SETS = {"train": "train", "dev": NEWSTEST[0], "tests": ["newstest2014"], "aligned": "newstest2014"}
FAMILIES = ("luong", "luong_bpe")
TOKENIZED = 20_000  # pairs that the tokenisers take

app = typer.Typer(
    help=__doc__,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.command()
def measure(
    pairs: Annotated[str, typer.Option(help="Sizes of the training text.")] = (
        "100000,500000,1500000,4500000"
    ),
    workers: Annotated[int, typer.Option(min=1, help="machine.workers of the experiment.")] = 2,
    families: Annotated[str, typer.Option(help="Families to encode.")] = ",".join(FAMILIES),
    text: Annotated[Path, typer.Option(help="Folder of tatoeba, newstest and multi30k.")] = (
        ROOT.parent / "shared" / "data"
    ),
    folder: Annotated[Path | None, typer.Option(help="For the text, up to 8 GB.")] = None,
    name: Annotated[str, typer.Option(help="Of the results' file; else of the processor.")] = "",
) -> None:
    """Measure every stage at every size, and tokenisers side by side.

    Example: python -m benchmarks.preprocessing measure --pairs 100000 --families luong
    """
    path = results_file("preprocessing", name or f"{processor()}-{workers}")
    real = real_pairs(text)
    found: dict[str, Any] = {
        "machine": {"device": processor(), "started": time.strftime("%Y-%m-%d", time.gmtime())},
        "workers": workers,
        "tokenisers": tokenisers(list(recombined(real, TOKENIZED))),
        "sizes": {},
    }
    for size in map(int, pairs.split(",")):
        with TemporaryDirectory(dir=folder) as project:
            held_out = [newstest_pairs(text, each) for each in NEWSTEST]
            _write_project(Path(project), recombined(real, size), held_out, workers)
            found["sizes"][str(size)] = _measure(Path(project), families.split(","))
        write_json(path, found)  # what was measured stays, whatever comes after it
        print(render(found), flush=True)
    print(f"wrote {path}")


@app.command()
def page() -> None:
    """Put the results in benchmarks/results into benchmarks/README.md."""
    put_into_page("preprocessing", render)


def tokenisers(pairs: list[Pair]) -> dict[str, float]:
    """Return the lines of both languages that a second of the processor tokenizes, hyphens split."""
    ways: dict[str, Callable[[str, list[str]], Any]] = {"ours": _ours, "sacremoses": _sacremoses}
    package = find_spec("mosestokenizer")
    if package and package.submodule_search_locations and which("perl"):
        script = Path(package.submodule_search_locations[0], "tokenizer-v1.1.perl")
        ways["Moses' perl script"] = partial(_perl, script)
    return {name: _lines_a_second(way, pairs) for name, way in ways.items()}


def _ours(language: str, lines: list[str]) -> None:
    moses = MosesTokenizer(language, True)
    for line in lines:
        moses.tokenize(line)


def _sacremoses(language: str, lines: list[str]) -> None:
    moses = Sacremoses(language)
    for line in lines:
        moses.tokenize(line, aggressive_dash_splits=True)


def _perl(script: Path, language: str, lines: list[str]) -> None:
    command = ["perl", str(script), "-q", "-a", "-l", language]
    text = "".join(f"{line}\n" for line in lines)
    subprocess.run(command, input=text.encode(), stdout=subprocess.DEVNULL, check=True)


def _lines_a_second(way: Callable[[str, list[str]], Any], pairs: list[Pair]) -> float:
    started = _processor_seconds()
    for side, language in enumerate(LANGUAGES):
        way(language, [pair[side] for pair in pairs])
    return len(LANGUAGES) * len(pairs) / (_processor_seconds() - started)


def _processor_seconds() -> float:
    """Return what this process and its children have taken so far."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _write_project(
    folder: Path, train: Iterable[Pair], held_out: list[list[Pair]], workers: int
) -> None:
    """Write parameters and raw text as the corpus stage would."""
    params = yaml.safe_load((ROOT / "experiments/wmt14/params.yaml").read_text(encoding="utf-8"))
    params |= {
        "sets": SETS,
        "corpus": {
            "kind": "grammar",
            "seed": 1,
            "sizes": {"train": 1, SETS["dev"]: 1, SETS["aligned"]: 1},
        },
        "tokenize": {"moses": True, "split_hyphens": True, "max_length": 50},
    }
    params["machine"]["workers"] = workers
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    shutil.copy(ROOT / "systems.yaml", folder)
    raw = folder / "data/wmt14/raw"
    raw.mkdir(parents=True)
    for name, pairs in zip(
        ("train", SETS["dev"], SETS["aligned"]), (train, *held_out), strict=True
    ):
        with (raw / f"{name}.en").open("w") as english, (raw / f"{name}.de").open("w") as german:
            for pair in pairs:
                english.write(pair[0] + "\n")
                german.write(pair[1] + "\n")


def _measure(project: Path, families: Iterable[str]) -> dict[str, Any]:
    """Run the stages of a project; return what each took and what the text is."""
    stages: dict[str, Any] = {"tokens": _run(project, "tokens")._asdict()}
    words: dict[str, Any] = {}
    for family in families:
        stages[f"encode {family}"] = _run(project, "encode", family)._asdict()
        words[family] = read_json(project / f"data/wmt14/encoded/{family}/summary.json")["sets"][
            "train"
        ]
    raw = [project / f"data/wmt14/raw/train.{language}" for language in LANGUAGES]
    return {
        "raw_bytes": sum(path.stat().st_size for path in raw),
        "different_words": {k: _different_words(project, k) for k in LANGUAGES},
        "train": words,
        "stages": stages,
    }


def _run(project: Path, stage: str, *args: str) -> Usage:
    command = [sys.executable, str(ROOT / "stages" / f"{stage}.py"), "params.yaml", *args]
    print("running", stage, *args, flush=True)
    return watch(subprocess.Popen(command, cwd=project, stdout=subprocess.DEVNULL))


def _different_words(project: Path, language: str) -> int:
    found: set[str] = set()
    with (project / f"data/wmt14/tokens/train.{language}").open() as stream:
        while lines := list(islice(stream, 10_000)):
            found.update("".join(lines).split())
    return len(found)


if __name__ == "__main__":
    run_app(app)
