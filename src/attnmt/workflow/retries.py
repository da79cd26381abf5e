"""Which jobs Snakemake tries again where a profile says ``retries`` (profiles/slurm).

Snakemake itself tries every failed job again. But a job that ends with status 2 has wrong input or
parameters, and would only fail again. This is the only module that relies on ``restart_times`` of
Snakemake's jobs, which it does not promise to keep.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

FINAL = "2"  # the status of a stage that an InputError ended


def heed(job: type[Any], status_file: Callable[[str], Path]) -> None:
    """Let the status that a failed job writes into its file decide whether it is tried again."""
    job.restart_times = property(lambda one: _tries(one, status_file(one.rule.name)))


def _tries(job: Any, file: Path) -> int:
    """Return how often a job that has just failed may be tried again, all tries counted."""
    status = file.read_text().strip() if file.exists() else None
    file.unlink(missing_ok=True)
    return 0 if status == FINAL else int(job.rule.restart_times)
