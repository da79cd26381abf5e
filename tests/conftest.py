"""Settings of all tests: their order, and one thread for each of several processes."""

import os

import pytest

# Each of these files takes minutes, and one process runs the whole file.
LONGEST = ("test_truth.py", "test_engines.py", "test_tasks.py")

if "PYTEST_XDIST_WORKER" in os.environ:  # one core for each process
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the longest files, so that none of them is left to one process at the end."""
    items.sort(key=lambda item: item.path.name not in LONGEST)
