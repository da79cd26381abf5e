"""A plan as text for a terminal."""

import io
import shutil
from collections.abc import Iterator, Sequence

from rich import box, filesize
from rich.console import Console
from rich.table import Table

from attnmt.config import File
from attnmt.planning.estimate import Plan
from attnmt.planning.recorded import wall_time
from attnmt.planning.speed import Speed

WIDTH = 90  # characters of a note; tables are narrower
NO_TEXT = "Hours are not known before the text is there: run the encode stages, then plan again."
NO_SPEED = "The speed of this machine is not known: no training is finished here. Add --measure."


def plan_text(plan: Plan, speeds: Sequence[Speed], paper: Speed, at_once: int) -> str:
    """Return the plan with hours at each of the speeds.

    Args:
        speeds: measured ones, if any; the first gives the times in the table of trainings.
        paper: the paper's own, shown last.
        at_once: trainings that run at a time.
    """
    page = Console(file=io.StringIO(), width=WIDTH, markup=False, highlight=False)
    for part in _parts(plan, speeds, paper, at_once):
        page.print(part)
    assert isinstance(page.file, io.StringIO)
    return "".join(f"{line.rstrip()}\n" for line in page.file.getvalue().splitlines())


def _parts(
    plan: Plan, speeds: Sequence[Speed], paper: Speed, at_once: int
) -> Iterator[str | Table]:
    """Yield headings, tables and notes, top to bottom."""
    stages = sum(group.stages for group in plan.groups)
    to_run = sum(group.to_run for group in plan.groups)
    yield f"Experiment {plan.experiment}: {to_run} of {stages} stages would run."
    yield _stages(plan)
    yield _what_is_trained(plan)
    if plan.to_train:
        yield _trainings(plan, speeds[0] if speeds else None)
        if not plan.text_is_known:
            yield NO_TEXT
        else:
            yield from ([] if speeds else [NO_SPEED])
            yield _hours(plan, [*speeds, paper], at_once)
        gigabytes = max(training.memory for training in plan.to_train) / 1e9
        yield (
            f"A training holds up to about {gigabytes:,.1f} GB of a GPU's memory. Hours "
            f"include neither translation nor evaluations during training.\n"
        )
    yield _downloads(plan)
    yield _disk(plan)
    yield (
        "DVC's cache holds a second copy of all but downloads and checkpoints, unless it is set to use "
        f"links (dvc config cache.type).\nFree here: {_bytes(shutil.disk_usage('.').free)}."
    )


def _table(*headings: str) -> Table:
    """Return an empty table whose first column is text and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    return table


def _stages(plan: Plan) -> Table:
    table = _table("stage", "all", "to run", "threads each", "GPUs each")
    for group in plan.groups:
        numbers = group.stages, group.to_run, group.threads, group.gpus or "-"
        table.add_row(group.name, *map(str, numbers))
    return table


def _what_is_trained(plan: Plan) -> str:
    """Say how much is trained already, and whether the words to train on are an estimate."""
    done = [training for training in plan.trainings if training.seconds is not None]
    hours = sum(training.seconds or 0 for training in done) / 3600
    finished = f"{len(done)} trainings are done, in {_time(hours)}. " if done else ""
    if not plan.to_train:
        return f"{finished}Nothing is to be trained.\n"
    texts = [training.text for training in plan.to_train]
    expected = any(text is not None and not text.counted for text in texts)
    source = (
        " Words are estimated from corpus.expected; subwords count as words." if expected else ""
    )
    return f"{finished}To be trained: {len(plan.to_train)}.{source}"


def _trainings(plan: Plan, speed: Speed | None) -> Table:
    table = _table("model", "parameters", "target words", "GFLOP a word", "time")
    for training in plan.to_train:
        known = training.text is not None
        table.add_row(
            training.name,
            f"{training.parameters / 1e6:,.1f} M",
            _words(training.target_words) if known else "?",
            f"{training.flop / 1e9:,.3f}" if known else "?",
            _time(training.hours(speed)) if known and speed else "?",
        )
    return table


def _hours(plan: Plan, speeds: Sequence[Speed], at_once: int) -> Table:
    """Return the hours of all trainings together at each speed."""
    table = _table("at the speed of", "words/s", "GFLOP/s", "device hours", f"{at_once} at a time")
    for speed in speeds:
        hours = [training.hours(speed) for training in plan.to_train]
        table.add_row(
            f"{speed.training}\n{speed.device}",
            f"{speed.target_words:,.0f}",
            f"{speed.flop / 1e9:,.0f}",
            f"{sum(hours):,.1f}",
            _time(wall_time(hours, at_once)),
        )
    return table


def _downloads(plan: Plan) -> str:
    if not plan.to_fetch:
        return "Downloads: none."
    size = next(row.most for row in plan.disk if row.what == "downloads")
    how_much = f"about {_bytes(size)} in all" if size else "size unknown"
    files = ", ".join(map(_file, plan.to_fetch))
    count = len(plan.to_fetch)
    ahead = f"attnmt fetch --experiment {plan.experiment} fetches them in advance."
    return f"Downloads: {count} files, {how_much}: {files}. {ahead}"


def _file(file: File) -> str:
    """Return a file's name with its size and license where they are known."""
    facts = [_bytes(file.bytes)] if file.bytes else []
    facts += [f"license {file.license.name}"] if file.license else []
    return f"{file.name} ({', '.join(facts)})" if facts else file.name


def _disk(plan: Plan) -> Table:
    table = _table("disk", "now", "at most")
    for row in plan.disk:
        table.add_row(row.what, _bytes(row.now), _bytes(row.most))
    table.add_section()
    known = sum(row.most or 0 for row in plan.disk)
    unknown = any(row.most is None for row in plan.disk)
    at_least = "over " if unknown else ""
    table.add_row("together", _bytes(sum(row.now for row in plan.disk)), at_least + _bytes(known))
    return table


def _bytes(count: int | None) -> str:
    return "?" if count is None else filesize.decimal(count)


def _words(count: int) -> str:
    return f"{count / 1e6:,.1f} M"


def _time(hours: float) -> str:
    """Return a time in minutes below one hour, in days from two days on, and otherwise in hours."""
    if hours < 1:
        return f"{60 * hours:,.0f} min"
    return f"{hours:,.1f} h" if hours < 48 else f"{hours / 24:,.1f} days"
