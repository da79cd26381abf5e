"""The first import of a program: Ctrl-C then ends it at once, without a traceback, while it loads.

Nothing is written before :func:`attnmt.workflow.stage.run_app`, which gives the signal back to Python.
The other signals end a program in this way by themselves. A stage also makes sure here that it runs the
code beside it.
"""

import signal
import sys
from pathlib import Path

from attnmt.workflow.other_code import run_own_code

PROGRAM = Path(sys.argv[0])  # another program, such as a notebook, keeps its Ctrl-C
OURS = PROGRAM.name == "attnmt" or PROGRAM.parent.name == "stages"

# Under nohup the signal is ignored and stays so.
if OURS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
if PROGRAM.parent.name == "stages":
    run_own_code(PROGRAM)
