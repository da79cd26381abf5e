"""Settings of all tests: the slow files, and one thread for each of several processes."""

import os

import pytest
from hypothesis import HealthCheck, settings

# Files that take more than some 5 seconds of a core, the longest first. `make check` leaves them out.
# One process runs a whole file. These begin first, so that none is left to one process at the end.
SLOW = (
    "test_engines.py",
    "test_tasks.py",
    "test_kill.py",
    "test_truth.py",  # needs what test_engines.py builds
    "test_writing.py",
    "test_reading.py",
    "test_dvc_files.py",
    "test_changed_text.py",
    "test_tracking.py",
    "test_encode.py",
    "test_fake_gpu.py",
    "test_gpu_way.py",
    "test_library.py",
    "test_early_stopping.py",
    "test_dictionary.py",
    "test_mlflow.py",
    "test_report.py",
    "test_bad_uses.py",
    "test_seed_statistics.py",
    "test_model.py",
    "test_packed.py",
    "test_gather.py",
    "test_config.py",
    "test_benchmarks.py",
    "test_figures.py",
    "test_explain_command.py",
    "test_table.py",
    "test_matrices.py",
)

if "PYTEST_XDIST_WORKER" in os.environ:  # one core for each process
    os.environ.setdefault("OMP_NUM_THREADS", "1")

from attnmt.model.cpu_isa import keep_to_avx2  # noqa: E402  torch reads OMP_NUM_THREADS when it loads

keep_to_avx2()  # as a training does, before torch computes anything


# A busy machine may take long over one example.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker by which ``pytest -m "not slow"`` leaves the slow files out."""
    config.addinivalue_line(
        "markers", "slow: a file of SLOW in tests/conftest.py, or most rows of a table"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow files, and start with them."""
    order = {name: place for place, name in enumerate(SLOW)}
    for item in items:
        if item.path.name in order:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: order.get(item.path.name, len(SLOW)))
