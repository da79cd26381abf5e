"""What all tests share: the command line's --fix, and one thread a process where there are several."""

import os

import pytest

if "PYTEST_XDIST_WORKER" in os.environ:  # each process has a core
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--fix``, which writes snapshots anew in place of comparing with them."""
    parser.addoption(
        "--fix", action="store_true", help="write the snapshots of tests/snapshots anew"
    )
