"""Options that several subcommands share."""

from typing import Annotated

import typer

from attnmt.config import DEMO

Experiment = Annotated[str, typer.Option(help=f"{DEMO}, or the name of a folder in experiments/.")]
