#!/usr/bin/env bash
# torch 2.13.0: a thread's number of threads is not kept until the thread has used it once.
#
# One would guess: if a thread of a program calls torch.set_num_threads(1), its own operations take one thread,
# until the same thread calls it again. Or the number belongs to the whole program, and the last call holds.
# What happens: neither. The call sets the calling thread's number and one of the program, and the first
# operation, or torch.get_num_threads(), of any thread takes the program's number once. So a thread that has
# called set_num_threads(1), and done nothing else yet, takes what another thread set meanwhile. After
# one call of get_num_threads() it keeps its own number, whatever the others set.
# Why it matters here: the search gives each batch a thread with few threads of its own, and gives the program
# its number back at once, for the threads of a server that start later. Without the call of get_num_threads(),
# every batch would take all cores (src/attnmt/decoding/batched.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
from threading import Event, Thread

import torch


def number_kept(used: bool) -> int:
    """Return the threads of a thread that set 1, before another one set 3."""
    set_here, set_there, seen = Event(), Event(), []

    def work() -> None:
        torch.set_num_threads(1)
        if used:
            torch.get_num_threads()
        set_here.set()
        set_there.wait()
        seen.append(torch.get_num_threads())

    thread = Thread(target=work)
    thread.start()
    set_here.wait()
    torch.set_num_threads(3)
    set_there.set()
    thread.join()
    return seen[0]


unused, used = number_kept(False), number_kept(True)
print(f"a thread sets 1, then another sets 3: {unused} if it did nothing yet, {used} if it asked once")
assert (unused, used) == (3, 1)
PYTHON
