"""The command ``attnmt``, for all work that is not a stage."""

import attnmt.workflow.startup  # isort: skip  # noqa: F401  before all that takes time to load

import typer

from attnmt.commands.commit import commit
from attnmt.commands.fetch import fetch
from attnmt.commands.plan import plan
from attnmt.commands.readme import readme
from attnmt.commands.serve import serve
from attnmt.commands.track import track
from attnmt.commands.translate import translate
from attnmt.workflow.stage import run_app

app = typer.Typer(
    help="Tools around the workflow. To run the workflow itself, use dvc repro or snakemake.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
for command in (translate, serve, plan, fetch, commit, track, readme):
    app.command()(command)


def main() -> None:
    """Run the command line."""
    run_app(app)
