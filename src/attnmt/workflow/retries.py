"""Which jobs Snakemake tries again, and when, where a profile says ``retries`` (profiles/slurm).

Snakemake itself tries every failed job again, and at once. A job's exit status tells more. With 2 its
input or parameters are wrong, and it would only fail again. A job without a status never ran, as when
sbatch refuses it, or was lost; with 1 it failed for another reason, such as a node without its GPU.
These causes may pass, so there is a pause before the next try.

This is the only module that relies on ``restart_times`` of Snakemake's jobs, which it does not promise
to keep. The scheduler reads it once for each failure.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

FINAL = "2"  # the status of a stage that an InputError ended
PAUSE = 60.0  # seconds before the first further try; later pauses are longer, up to ten times
Say = Callable[[str], object]

_ended = 0.0  # when the last pause ended
_served = set[str]()  # the rules whose jobs it was for


def heed(job: type[Any], status_file: Callable[[str], Path], say: Say) -> None:
    """Let the exit status decide whether a job of this class is tried again.

    Args:
        job: Snakemake's class of jobs.
        status_file: gives the file, by the rule's name, into which a failed job writes its status.
        say: shows a line to the person who waits.
    """
    job.restart_times = property(lambda one: _tries(one, status_file(one.rule.name), say))


def _tries(job: Any, file: Path, say: Say) -> int:
    """Return how often a job that has just failed may be tried again, all tries counted."""
    global _ended
    tries = int(job.rule.restart_times)
    status = file.read_text().strip() if file.exists() else None
    file.unlink(missing_ok=True)
    if status == FINAL:
        return 0
    if status in (None, "1") and job.attempt <= tries:
        # One pause serves all jobs that failed together, because they are handled one after the other.
        if job.rule.name in _served or time.monotonic() - _ended > 1:
            _served.clear()
            seconds = PAUSE * min(job.attempt, 10)
            why = "failed" if status else "never ran, or was lost"
            say(f"{job.rule.name} {why}; trying again in {seconds:.0f} seconds")
            time.sleep(seconds)
        _served.add(job.rule.name)
        _ended = time.monotonic()
    return tries
