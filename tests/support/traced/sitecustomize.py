"""Python loads this where its folder is in PYTHONPATH: note what of the library a stage runs and reads.

Each stage writes ``<folder>/<process>.json``: its command, the functions that ran, each as its file and
its qualified name, and the files of the package that it opened. What runs below LEFT_OUT is left out:
there it checks the configuration, tracks, or looks for what has changed.
"""

import atexit
import json
import os
import re
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType

FOLDER = os.environ.get("ATTNMT_TRACES")
COMMAND = sys.orig_argv[1:]
LEFT_OUT = {"load_params", "log_results", "files_of_run"}
FUNCTION = 1  # the flag of a code object that is a function's, and not a class's or a module's
LIBRARY = f"src{os.sep}attnmt{os.sep}"

ran, opened = set[CodeType](), set[str]()
checks = threading.local()


def note(frame: FrameType, _: str, __: object) -> object:
    """Note a function that is called. The answer is what Python calls for each event in it."""
    if frame.f_code.co_name in LEFT_OUT:
        checks.depth = getattr(checks, "depth", 0) + 1
        frame.f_trace_lines = False
        return leave
    if not getattr(checks, "depth", 0):
        ran.add(frame.f_code)
    return None


def leave(_: FrameType, event: str, __: object) -> object:
    """Note that what is left out ends."""
    checks.depth -= event == "return"
    return leave


def heed(event: str, arguments: tuple[object, ...]) -> None:
    """Note a file that is opened."""
    if event == "open" and isinstance(arguments[0], str):
        opened.add(arguments[0])


def write() -> None:
    """Write what was noted."""
    sys.settrace(None)
    functions = [
        [code.co_filename.rpartition(LIBRARY)[2], code.co_qualname]
        for code in ran.copy()  # another thread may still run
        if re.search(rf"{LIBRARY}.*\.py$", code.co_filename) and code.co_flags & FUNCTION
    ]
    data = [name.rpartition(LIBRARY)[2] for name in opened.copy() if LIBRARY in name]
    # Python also opens the files in which it keeps what it has compiled, under passing names.
    kept = [name for name in data if "__pycache__" not in name and not name.endswith(".py")]
    content = {"command": COMMAND, "functions": sorted(functions), "data": sorted(kept)}
    folder = Path(FOLDER or "")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{os.getpid()}.json").write_text(json.dumps(content), encoding="utf-8")


if FOLDER and COMMAND and COMMAND[0].startswith("stages/"):
    sys.addaudithook(heed)
    threading.settrace(note)
    sys.settrace(note)
    atexit.register(write)
