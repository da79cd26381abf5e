"""``attnmt serve``."""

from typing import Annotated

import typer

from attnmt.commands.listening import bound
from attnmt.commands.messages import note
from attnmt.commands.model_choice import SeveralModels, SeveralWeights, choose_several
from attnmt.commands.options import Experiment, of_the_extra
from attnmt.config import DEMO

PATIENCE = 1  # seconds that requests have to end when the server is told to


def serve(
    experiment: Experiment = DEMO,
    model: SeveralModels = None,
    weights: SeveralWeights = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 5001,
) -> None:
    """Serve the best model of an experiment, or other models, until Ctrl-C.

    In a browser, the address shows a page: it explains the translation of a sentence that you type,
    by each of the models. A program sends text to the address, and gets translations, scores and links
    of the first model.

    Examples:

    attnmt serve --experiment captions --port 8080

    attnmt serve --weights weights/demo

    curl 127.0.0.1:5001/invocations -H 'Content-Type: application/json'
    -d '{"inputs": ["Anna is reading the old letter."], "params": {"n_best": 3, "beam": 10}}'
    """
    chosen = choose_several(experiment, model or [], weights or [])
    # The port comes first, because the model takes seconds to load.
    listening = bound(host, port, "choose another with --port, or another --host")
    with of_the_extra("attnmt serve answers through Starlette"):
        import uvicorn  # imported here, because these take seconds, and --help must be fast

        from attnmt.serving.application import application
    from attnmt.serving.service import Service

    services = [Service(choice.load(name), choice.params, name) for choice, name in chosen]
    first, name = chosen[0]
    served = application(services, first.example(name))
    address = f"[{host}]" if ":" in host else host
    note(f"http://{address}:{listening.getsockname()[1]} (Ctrl-C ends)")
    # Ctrl-C does not wait longer for requests
    config = uvicorn.Config(served, timeout_graceful_shutdown=PATIENCE)
    uvicorn.Server(config).run(sockets=[listening])
