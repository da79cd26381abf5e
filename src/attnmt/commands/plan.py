"""``attnmt plan``."""

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box, filesize
from rich.console import Console
from rich.table import Table

from attnmt.commands.messages import counted
from attnmt.commands.model_choice import Experiment
from attnmt.commands.options import of_the_extra
from attnmt.config import DEMO, Params, load_params, params_file
from attnmt.layout import Layout
from attnmt.planning.text_size import training_sizes
from attnmt.planning.times import time_text, training_times, weights

if TYPE_CHECKING:
    from attnmt.workflow.graph import Stage

WIDTH = 90  # characters of a line
SHOWN = 5  # changes that are named for a kind of stage


def plan(experiment: Experiment = DEMO) -> None:
    """Show what would run and why, how long its trainings take, and what is downloaded.

    Times follow from the speed of this experiment's finished trainings, or else from a rough formula.
    No stage runs. The command only brings trainings.yaml and the digests of the code up to date.

    Examples:

    attnmt plan

    attnmt plan --experiment wmt14
    """
    params = load_params(params_file(experiment))
    with of_the_extra("attnmt plan asks DVC what would run"):
        from attnmt.workflow.graph import compare_stages
    stages = compare_stages(experiment)
    done = {stage.name for stage in stages if stage.done}
    trained = {name for name in params.trainings if f"train@{name}" in done}
    page = Console(width=WIDTH, markup=False, highlight=False)
    page.print(
        f"Experiment {experiment}: {len(stages) - len(done)} of {len(stages)} stages would run."
    )
    page.print(_stage_table(stages))
    if to_train := [name for name in params.trainings if name not in trained]:
        _print_trainings(page, params, to_train)
    else:
        page.print("Nothing is to be trained.")
    page.print(_downloads(params, "corpus" in done), soft_wrap=True)


def _stage_table(stages: Sequence["Stage"]) -> Table:
    """Count the stages by their kinds, in dvc.yaml's order, and say what has changed.

    Where a change concerns only some stages of a kind, their number follows it. Stages without a change
    of their own run only if their inputs change.
    """
    table = _table("stage", "all", "to run")
    table.add_column("changed", overflow="fold")
    for kind, count in Counter(stage.kind for stage in stages).items():
        waiting = [stage for stage in stages if stage.kind == kind and not stage.done]
        causes = Counter(cause for stage in waiting for cause in stage.why)
        named = [
            f"{one} ({n})" if n < len(waiting) else one for one, n in causes.most_common(SHOWN)
        ]
        named += [f"{len(causes) - SHOWN} more"] * (len(causes) > SHOWN)
        table.add_row(kind, str(count), str(len(waiting)), ", ".join(named))
    return table


def _table(*headings: str) -> Table:
    """Return an empty table whose first column is text and whose others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    return table


def _print_trainings(page: Console, params: Params, to_train: list[str]) -> None:
    """Print the trainings with their sizes and times, and how long all of them take."""
    sizes, times = training_sizes(params, to_train), training_times(params, to_train)
    table = _table("to be trained", "parameters", "target words", "time")
    for name in to_train:
        training = params.training(name)
        text = sizes.get(training.family)
        words = text and text.target_words(training.system, params.settings(name))
        table.add_row(
            name,
            f"{weights(params, name, text)[0] / 1e6:,.1f} M",
            f"{words / 1e6:,.1f} M" if words else "not known",
            time_text(times.seconds[name]) if times else "not known",
        )
    page.print(table)
    if times is None:
        page.print("Times are not known before the text is encoded.")
    else:
        total = time_text(sum(times.seconds.values()))
        page.print(
            f"One after the other, the trainings take about {total}, {times.source}. Translation and "
            f"scores come on top."
        )
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
    known = f", {filesize.decimal(sum(sizes))}" if sizes else ""
    if 0 < len(sizes) < len(missing):
        known += f" and {len(missing) - len(sizes)} of unknown size"
    return (
        f"Downloads: {counted(len(missing), 'file')}{known}. To fetch them in advance:\n"
        f"snakemake -j1 --config experiment={params.experiment} -- corpus"
    )
