"""``attnmt plan``."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box, filesize
from rich.console import Console
from rich.table import Table

from attnmt.commands.options import Experiment, of_the_extra
from attnmt.config import DEMO, Params, load_params, params_file
from attnmt.layout import Layout
from attnmt.planning.text_size import training_sizes
from attnmt.planning.times import time_text, training_times, wall_time

if TYPE_CHECKING:
    from attnmt.workflow.graph import Stage

WIDTH = 90  # characters of a line
# A training has its last checkpoint, its best weights, and the next of both before they replace them.
FILES = 4


def plan(
    experiment: Experiment = DEMO,
    at_once: Annotated[
        int, typer.Option("--at-once", min=1, help="How many trainings run at the same time.")
    ] = 1,
) -> None:
    """Show what would run, how long its trainings take, and what is downloaded.

    Times follow from the speed of this experiment's finished trainings, or else from a rough formula.
    No stage runs. The command only brings trainings.yaml and the digests of the code up to date.

    Examples: attnmt plan; attnmt plan --experiment wmt14 --at-once 4
    """
    params = load_params(params_file(experiment))
    with of_the_extra("attnmt plan asks DVC what would run"):
        from attnmt.workflow.graph import compare_stages
    stages = compare_stages(experiment)
    done = {stage.name for stage in stages if stage.done}
    to_train = [name for name in params.trainings if f"train@{name}" not in done]
    page = Console(width=WIDTH, markup=False, highlight=False)
    page.print(
        f"Experiment {experiment}: {len(stages) - len(done)} of {len(stages)} stages would run."
    )
    page.print(_stage_table(stages))
    if to_train:
        _print_trainings(page, params, to_train, at_once)
    else:
        page.print("Nothing is to be trained.")
    page.print(_downloads(params, "corpus" in done))


def _stage_table(stages: Sequence["Stage"]) -> Table:
    """Group the stages by their kinds, in dvc.yaml's order; a machine without a GPU runs all, too."""
    groups: dict[str, list[Stage]] = {}
    for stage in stages:
        groups.setdefault(stage.kind, []).append(stage)
    table = _table("stage", "all", "to run", "threads each", "GPUs each")
    for kind, group in groups.items():
        to_run, first = sum(not stage.done for stage in group), group[0]
        numbers = [len(group), to_run, first.threads, first.resources.get("gpu", 0)]
        table.add_row(kind, *map(str, numbers))
    return table


def _table(*headings: str) -> Table:
    """Return an empty table whose first column is text and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    return table


def _print_trainings(page: Console, params: Params, to_train: list[str], at_once: int) -> None:
    """Print the models with their sizes and times, and how long all trainings take together."""
    # These import torch, which takes seconds.
    from attnmt.model.luong import parameter_count
    from attnmt.planning.cost import checkpoint_bytes, config_of

    sizes, times = training_sizes(params, to_train), training_times(params, to_train)
    table = _table("to be trained", "parameters", "target words", "time")
    checkpoints = []
    for name in to_train:
        training, settings = params.training(name), params.settings(name)
        text = sizes.get(training.family)
        config = config_of(params, name, text)
        checkpoints.append(checkpoint_bytes(config, settings))
        table.add_row(
            name,
            f"{parameter_count(config) / 1e6:,.1f} M",
            f"{text.target_words(training.system, settings) / 1e6:,.1f} M" if text else "?",
            time_text(times.seconds[name]) if times else "?",
        )
    page.print(table)
    if times is None:
        page.print("Times are not known before the text is encoded.")
    else:
        total = time_text(wall_time([*times.seconds.values()], at_once))
        page.print(
            f"The trainings take about {total}, {at_once} at a time, {times.source}. Evaluations, "
            f"translation and scores come on top."
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
