"""Preprocessing as the text grows: the stages of experiment wmt14 as commands, on synthetic text.

    python -m benchmarks.preprocessing measure --folder /scratch/wmt14    # 4,500,000 pairs
    python -m benchmarks.preprocessing measure --folder /scratch/wmt14 --stages dictionary    # goes on
    python -m benchmarks.preprocessing measure --pairs 100000 --code ../last    # another checkout
    python -m benchmarks.preprocessing page

The text is made by chance (synthetic.py). 4,500,000 pairs take some 8 GB of disk.
"""

import os
import subprocess
import time
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import psutil
import typer
import yaml

from attnmt.errors import InputError
from attnmt.files.text_file import read_json, write_json, write_text
from attnmt.training.machine import processor
from attnmt.workflow.stage import run_app
from benchmarks.options import listed
from benchmarks.page import put_into_page, results_file, table
from benchmarks.stages import ROOT, start
from benchmarks.synthetic import LANGUAGES, synthetic_pairs

STAGES = ("tokens", "encode luong", "encode luong_bpe", "dictionary")
HELD_OUT = 3_000  # pairs of the development set, and of the test set
SETS = {"train": "train", "dev": "dev", "tests": ["test"], "aligned": ["test"]}

app = typer.Typer(help=__doc__, add_completion=False, pretty_exceptions_enable=False)


@app.command()
def measure(
    pairs: Annotated[int, typer.Option(min=1, help="Of the training text.")] = 4_500_000,
    stages: Annotated[str, typer.Option(help="Stages to run; all need tokens first.")] = ",".join(
        STAGES
    ),
    code: Annotated[Path, typer.Option(help="A checkout of this project.")] = ROOT,
    folder: Annotated[
        Path | None,
        typer.Option(help="Where text and outputs stay, so that more stages can follow."),
    ] = None,
) -> None:
    """Run stages on a text of this size; write what each took, and put all results into the page.

    A result of this checkout replaces those of its earlier commits, and --code adds one beside it.
    """
    chosen = listed("--stages", stages, STAGES)
    path = results_file("preprocessing", processor())
    about = {"pairs": pairs, "commit": _commit(code)}
    with TemporaryDirectory() if folder is None else nullcontext(folder) as place:
        project = Path(place, str(pairs))
        if not (project / "params.yaml").exists():
            _write_project(project, pairs)
        for stage in chosen:
            row = about | {"stage": stage, "date": time.strftime("%Y-%m-%d", time.gmtime())}
            row |= _run(project, code.resolve(), stage)
            rows = read_json(path)["rows"] if path.is_file() else []
            same = ("pairs", "stage") if code.samefile(ROOT) else ("pairs", "stage", "commit")
            kept = [one for one in rows if any(one[key] != row[key] for key in same)]
            write_json(path, {"device": processor(), "rows": [*kept, row]})  # whatever fails later
            print(render({"device": processor(), "rows": [row]}), flush=True)
    page()


@app.command()
def page() -> None:
    """Put the results in benchmarks/results into benchmarks/README.md."""
    put_into_page("preprocessing", render)


def render(results: Mapping[str, Any]) -> str:
    """Return a machine's results as a table in Markdown."""
    header = ["stage", "commit", "pairs", "CPU seconds", "seconds", "peak MB", "date"]
    order = sorted(
        results["rows"], key=lambda row: (STAGES.index(row["stage"]), row["pairs"], row["date"])
    )
    rows = [
        [
            row["stage"],
            row["commit"],
            f"{row['pairs']:,}",
            f"{row['cpu_seconds']:,.0f}",
            f"{row['seconds']:,.0f}",
            f"{row['peak_mb']:,.0f}",
            row["date"],
        ]
        for row in order
    ]
    return f"**Preprocessing.** {results['device']}.\n\n{table(header, rows, texts=2)}"


def _write_project(folder: Path, pairs: int) -> None:
    """Write the parameters of wmt14 and synthetic text as the corpus stage would."""
    params = yaml.safe_load((ROOT / "experiments/wmt14/params.yaml").read_text(encoding="utf-8"))
    params |= {"sets": SETS, "corpus": {"kind": "local"}}
    del params["tokenize"]["tokenized"]
    raw = folder / "data/wmt14/raw"
    raw.mkdir(parents=True, exist_ok=True)
    (folder / "systems.yaml").write_bytes((ROOT / "systems.yaml").read_bytes())
    for seed, (name, count) in enumerate(
        {"train": pairs, "dev": HELD_OUT, "test": HELD_OUT}.items()
    ):
        paths = [raw / f"{name}.{language}" for language in LANGUAGES]
        with (
            paths[0].open("w", encoding="utf-8") as source,
            paths[1].open("w", encoding="utf-8") as target,
        ):
            for source_line, target_line in synthetic_pairs(count, seed):
                source.write(source_line + "\n")
                target.write(target_line + "\n")
    write_text(folder / "params.yaml", yaml.safe_dump(params))  # last: the text is complete


def _run(project: Path, code: Path, stage: str) -> dict[str, float]:
    """Run a stage; return seconds, those of all processors, and the most that all its processes held."""
    before, started, peak = os.times(), time.perf_counter(), 0
    with start(project, *stage.split(), code=code, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, _held(process.pid))
            time.sleep(0.2)
    if process.returncode:
        raise InputError(
            f"{stage}: it failed with status {process.returncode}; its message is above"
        )
    after = os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    return {"seconds": time.perf_counter() - started, "cpu_seconds": used, "peak_mb": peak / 1e6}


def _held(pid: int) -> int:
    """Return the bytes of memory that a process and all that it started hold."""
    with suppress(psutil.NoSuchProcess):  # if one has just ended
        process = psutil.Process(pid)
        return sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))
    return 0


def _commit(code: Path) -> str:
    """Return the commit of a checkout, with + if files have changed since."""
    command = ["git", "describe", "--always", "--abbrev=7", "--dirty=+", "--exclude=*"]
    done = subprocess.run(command, cwd=code, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    run_app(app)
