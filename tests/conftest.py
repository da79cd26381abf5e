"""What all tests share: --fix, their order, and one thread a process where there are several."""

import os

import pytest

# Each takes minutes, and a file stays in one process.
LONGEST = ("test_truth.py", "test_engines.py", "test_tasks.py")

if "PYTEST_XDIST_WORKER" in os.environ:  # each process has a core
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--fix``, which rewrites snapshots in place of comparing with them."""
    parser.addoption("--fix", action="store_true", help="rewrite the snapshots of tests/snapshots")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the longest files, so that none of them is left to one process at the end."""
    items.sort(key=lambda item: item.path.name not in LONGEST)
