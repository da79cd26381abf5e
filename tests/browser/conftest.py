"""Debian's Chromium, driven by Playwright, without a network."""

import re
import shutil

import pytest

LAPTOP = (1280, 800)


@pytest.fixture(scope="session")
def browser():
    """Return a browser."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: pip install -e .[dev]"
    )
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser, address):
    """Return a function that opens a page, by default the one at the module's fixture ``address``.

    At its end the test fails if a page has requested anything else or written to the console.
    """
    messages, requests, addresses, contexts = [], [], [], []

    def opened(size=LAPTOP, scheme="light", at="", page_address=address, **options):
        viewport = {"width": size[0], "height": size[1]}
        options |= {"viewport": viewport, "color_scheme": scheme, "reduced_motion": "reduce"}
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(30_000)
        page.on("request", lambda request: requests.append(re.split("[?#]", request.url)[0]))
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        addresses.append(page_address)
        page.goto(page_address + at)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert messages == []
    assert {url for url in requests if not url.startswith("data:")} == set(addresses)
