"""Take README's pictures of the demo's report with Debian's chromium.

Called by `make pictures`. Writes docs/report.png and docs/attention.png.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "reports/demo/index.html"
SCREEN = {"width": 1280, "height": 800}


def main() -> None:
    """Open the report from its file, as a reader does, and keep what is seen."""
    chromium = shutil.which("chromium")
    if chromium is None or not REPORT.exists():
        sys.exit("needs Debian's chromium, and the demo's report (make demo)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SCREEN, color_scheme="light")
        page.goto(REPORT.as_uri())
        page.screenshot(path=ROOT / "docs/report.png")
        page.goto(
            f"{REPORT.as_uri()}#attention"
        )  # this opens the group in which the section stands
        attention = page.locator("#attention")
        attention.scroll_into_view_if_needed()
        attention.locator(".weights tbody th").nth(2).hover()
        attention.screenshot(path=ROOT / "docs/attention.png")
        browser.close()


if __name__ == "__main__":
    main()
