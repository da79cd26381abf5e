"""The server of models: strict requests in JSON, and a page that explains a translation."""

import json
from asyncio import CancelledError
from collections.abc import Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from attnmt.errors import InputError
from attnmt.reporting.explain_page import Form, make_explain_page
from attnmt.serving.service import MOST_CHARACTERS, MOST_WORK, Service

MOST_BYTES = 16 * MOST_WORK  # of a request; JSON may write a character in 12 bytes
MOST_TOLD = 500  # characters of a refusal


def application(services: Sequence[Service], example: str) -> ASGIApp:
    """Return a server that translates at ``/invocations``, and has a page for people at ``/``.

    The page shows all models side by side, and the first one answers programs. A request that is
    cancelled, because the server ends, gets the status 503.

    Args:
        example: a sentence to click on in the page; "" if none is known.
    """

    async def invocations(request: Request) -> Response:
        try:
            body = await _body(request)
            answer = await run_in_threadpool(lambda: services[0].answer(_parsed(body)))
            return _json({"predictions": answer})
        except InputError as error:
            told = str(error)[:MOST_TOLD]
            return _json({"error_code": "INVALID_PARAMETER_VALUE", "message": told}, 400)
        except ClientDisconnect:  # nobody reads the answer
            return Response(status_code=400)

    # Starlette runs a function that is not async in a thread, so that the server answers others.
    def page(request: Request) -> Response:
        sentence = request.query_params.get("sentence", "")
        return HTMLResponse(*form_page(services, sentence, example))

    def ping(_: Request) -> Response:
        return Response("\n")

    routes = [Route("/", page), Route("/invocations", invocations, methods=["POST"])]
    app = Starlette(routes=[*routes, Route("/ping", ping), Route("/health", ping)])

    async def until_the_end(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        except CancelledError:
            await Response("the server is ending\n", 503)(scope, receive, send)

    return until_the_end


def form_page(services: Sequence[Service], sentence: str, example: str) -> tuple[str, int]:
    """Return the page for a sentence, or only its field for "", and the status of the answer."""
    fault, shown = "", []
    try:
        shown = [service.explain(sentence) for service in services] if sentence.strip() else []
    except InputError as error:
        fault = str(error).removeprefix("sentence 0: ")
    sentence = " ".join(sentence.split())
    form = Form(sentence, example, fault, MOST_CHARACTERS)
    page = make_explain_page([one.about for one in services], sentence, None, shown, form)
    return page, 400 if fault else 200


async def _body(request: Request) -> bytes:
    """Return what a client sends.

    Raises:
        InputError: if it is too much, or is not JSON by its header.
    """
    body, size = bytearray(), 0
    async for part in request.stream():  # all is received, so that the client reads the answer
        size += len(part)
        if size <= MOST_BYTES:
            body += part
    if size > MOST_BYTES:
        raise InputError(
            f"the request has {size:,} bytes, and at most {MOST_BYTES:,} are read; send several"
        )
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise InputError("the request is not JSON; send the header Content-Type: application/json")
    return bytes(body)


def _parsed(body: bytes) -> Any:
    """Return what a request holds.

    Raises:
        InputError: if it is not JSON.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the request is not JSON: {error}") from None


def _json(values: dict[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(values), status, media_type="application/json")
