"""What all tests share: the command line's --fix."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--fix``, which writes snapshots anew in place of comparing with them."""
    parser.addoption(
        "--fix", action="store_true", help="write the snapshots of tests/snapshots anew"
    )
