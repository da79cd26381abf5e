"""Worker processes: one of them works while all others wait."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from attnmt.errors import InputError

LOGS = Path("data/benchmarks/logs")
LAST = 15  # how many lines of a log an error shows


class Worker:
    """A system loaded in a process of its own."""

    def __init__(self, name: str, arguments: Sequence[str], threads: int) -> None:
        """Start the process; it loads its system while this one continues."""
        self.name = name
        self._log = LOGS / f"{name}.log"
        self._log.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "benchmarks.worker", name, *arguments]
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [*command, "--threads", str(threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | {"OMP_NUM_THREADS": str(threads)},
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()

    def wait(self) -> None:
        """Wait until the worker has loaded its system."""
        self._answer()

    def do(self, what: str, **arguments: Any) -> Any:
        """Have the worker do something and return its answer.

        Raises:
            InputError: if the worker dies.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # _answer reports that the worker has ended
            print(json.dumps({"do": what, **arguments}), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            last = "\n".join(self._log.read_text(errors="replace").splitlines()[-LAST:])
            raise InputError(f"{self._log}: the worker {self.name} ended:\n{last}")
        return json.loads(line)


@contextmanager
def pool(commands: Mapping[str, Sequence[str]], threads: int) -> Iterator[dict[str, Worker]]:
    """Yield loaded workers by name; they end with the context.

    They load one after another, so that none loads while another is working.

    Raises:
        InputError: if a worker dies.
    """
    with ExitStack() as stack:
        workers = {}
        for name, arguments in commands.items():
            workers[name] = stack.enter_context(Worker(name, arguments, threads))
            workers[name].wait()
        yield workers
