"""``attnmt plan``."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box, filesize
from rich.console import Console
from rich.table import Table

from attnmt.commands.options import Experiment, of_the_extra
from attnmt.config import DEMO, Params, load_params, params_file
from attnmt.layout import Layout
from attnmt.planning.text_size import TextSize, training_sizes
from attnmt.planning.times import time_text, training_times, wall_time
from attnmt.training.trained import read_provenance

if TYPE_CHECKING:
    from attnmt.workflow.graph import Stage

WIDTH = 90  # characters of a line
# A training has its last checkpoint, its best weights, and the next of both before they replace them.
FILES = 4
NO_TEXT = "Times are not known before the text is encoded: run the encode stages, then plan again."
NO_SPEED = "Times are not known: no report and no finished training tells them. Add --measure."


def plan(
    experiment: Experiment = DEMO,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Measure the speed: train the largest models here for some seconds, on random words.",
        ),
    ] = False,
    gpus: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many trainings run at the same time, each on a GPU. \\[default: 1]"
        ),
    ] = None,
) -> None:
    """Show what would run, how long its trainings take, and what is downloaded.

    Times are estimated from the speed of this machine, which --measure measures and remembers, or
    else from the times in the experiment's report, or else from the trainings that are done. No stage
    runs. The command only brings models.yaml and the digests of the code up to date.

    Examples: attnmt plan; attnmt plan --experiment wmt14 --gpus 4 --measure
    """
    params = load_params(params_file(experiment))
    with of_the_extra("attnmt plan asks DVC what would run"):
        from attnmt.workflow.graph import compare_stages
    stages = compare_stages(experiment)
    done = {stage.name for stage in stages if stage.done}
    to_train = [name for name in params.models if f"train@{name}" not in done]
    page = Console(width=WIDTH, markup=False, highlight=False)
    page.print(
        f"Experiment {experiment}: {len(stages) - len(done)} of {len(stages)} stages would run."
    )
    page.print(_stage_table(stages, gpus is not None))
    trained = [name for name in params.models if name not in to_train]
    if trained:
        layout = Layout(experiment)
        seconds = sum(read_provenance(layout.model(name)).seconds for name in trained)
        page.print(f"Trainings that are done: {len(trained)}, in {time_text(seconds)}.")
    if to_train:
        sizes = training_sizes(params, to_train)
        _print_trainings(page, params, to_train, sizes, measure, gpus or 1)
    else:
        page.print("Nothing is to be trained.")
    page.print(_downloads(params, "corpus" in done))


def _stage_table(stages: Sequence["Stage"], gpus: bool) -> Table:
    """Group the stages by their kinds, in dvc.yaml's order.

    ``gpus`` adds how many GPUs a stage asks for; a machine without one runs it, too.
    """
    groups: dict[str, list[Stage]] = {}
    for stage in stages:
        groups.setdefault(stage.kind, []).append(stage)
    table = _table("stage", "all", "to run", "threads each", *["GPUs each"] * gpus)
    for kind, group in groups.items():
        to_run, first = sum(not stage.done for stage in group), group[0]
        numbers = [len(group), to_run, first.threads, *[first.resources.get("gpu", "-")] * gpus]
        table.add_row(kind, *map(str, numbers))
    return table


def _table(*headings: str) -> Table:
    """Return an empty table whose first column is text and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    return table


def _print_trainings(
    page: Console,
    params: Params,
    to_train: list[str],
    sizes: Mapping[str, TextSize],
    measure: bool,
    at_once: int,
) -> None:
    """Print the models with their sizes and times, and how long all trainings take together."""
    # These import torch, which takes seconds.
    from attnmt.model.translator import parameter_count
    from attnmt.planning.cost import checkpoint_bytes, config_of
    from attnmt.planning.measure import measure_speeds

    if measure:
        measure_speeds(params, to_train)
    times = training_times(params, to_train)
    table = _table("to be trained", "parameters", "target words", "time")
    checkpoints = []
    for name in to_train:
        model = params.model(name)
        text = sizes.get(model.family)
        words = text.target_words(model.system, params.recipe(name)) if text else None
        config = config_of(params, name, text)
        checkpoints.append(checkpoint_bytes(config, params.recipe(name)))
        table.add_row(
            name,
            f"{parameter_count(config) / 1e6:,.1f} M",
            f"{words / 1e6:,.1f} M" if words else "?",
            time_text(times.seconds[name]) if times else "?",
        )
    page.print(table)
    if times is None:
        page.print(NO_SPEED if sizes else NO_TEXT)
    else:
        each = [*times.seconds.values()]
        side_by_side = f", or {time_text(wall_time(each, at_once))} with {at_once} at a time"
        page.print(
            f"The trainings take about {time_text(sum(each))}{side_by_side if at_once > 1 else ''}, "
            f"{times.source}. Starts, translation and scores come on top.{times.saved}"
        )
    size, most = (filesize.decimal(n) for n in (max(checkpoints), FILES * sum(checkpoints)))
    page.print(f"Of disk, the largest checkpoint takes {size}, and all trainings up to {most}.")
    for estimate in dict.fromkeys(text.estimate for text in sizes.values() if text.estimate):
        page.print(f"Words are estimated from {estimate}.")


def _downloads(params: Params, done: bool) -> str:
    """Say how much the corpus stage would download."""
    from attnmt.corpora.downloads import MIRROR  # here, because it loads a library for the network

    if done or params.source is None or os.environ.get(MIRROR):
        return "Downloads: none."
    folder = Layout(params.experiment).downloads
    missing = [file for file in params.source.downloads() if not (folder / file.name).exists()]
    sizes = [file.bytes for file in missing if file.bytes is not None]
    known = f", {filesize.decimal(sum(sizes))}" if len(sizes) == len(missing) else ""
    return (
        f"Downloads: {len(missing)} files{known}. To fetch them in advance: snakemake --config "
        f"experiment={params.experiment} -- {Layout(params.experiment).raw}"
    )
