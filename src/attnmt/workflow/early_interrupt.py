"""The first import of a program: Ctrl-C then ends it at once, without a traceback, while it loads.

Nothing is written before :func:`attnmt.workflow.stage.run_app`, which gives the signal back to Python.
The other signals end a program in this way by themselves.
"""

import signal
import sys
from pathlib import Path

PROGRAM = Path(sys.argv[0])  # another program, such as a notebook, keeps its Ctrl-C
OURS = PROGRAM.name == "attnmt" or PROGRAM.parent.name == "stages"

# Under nohup the signal is ignored and stays so.
if OURS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
