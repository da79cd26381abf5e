"""Which jobs Snakemake tries again, where a profile says ``retries`` (profiles/slurm).

Snakemake itself tries all failed jobs equally often. A job's exit status tells more. With 2 its input or
parameters are wrong, and it would only fail again. With 1 it failed for another reason, such as a
node without its GPU. A job without a status never ran, as when sbatch refuses it, or was lost.

This is the only module that relies on ``restart_times`` of Snakemake's jobs, which it does not promise
to keep. The scheduler reads it once for each failure.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

TRIES = {"2": 0, "1": 2, None: 2}  # further tries at most, by the exit status


def heed(job: type[Any], status_file: Callable[[str], Path]) -> None:
    """Let the exit status decide whether a job of this class is tried again.

    Args:
        job: Snakemake's class of jobs.
        status_file: gives the file, by the rule's name, into which a failed job writes its status.
    """
    job.restart_times = property(lambda one: _tries(one, status_file(one.rule.name)))


def _tries(job: Any, file: Path) -> int:
    """Return how often a job that has just failed may be tried again, all tries counted."""
    status = file.read_text().strip() if file.exists() else None
    file.unlink(missing_ok=True)
    tries = int(job.rule.restart_times)
    return min(TRIES.get(status, tries), tries)
