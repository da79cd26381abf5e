"""What a program imports first: Ctrl-C while it loads libraries ends it at once and without a traceback.

Nothing is written before :func:`attnmt.workflow.stage.run_app`, which gives the signal back to
Python. The other signals end a program in this way by themselves.
"""

import signal
import sys
from pathlib import Path

PROGRAM = Path(sys.argv[0])  # another one, a notebook say, keeps its Ctrl-C
OURS = PROGRAM.name == "attnmt" or PROGRAM.parent.name == "stages"

if (
    OURS and signal.getsignal(signal.SIGINT) is signal.default_int_handler
):  # not ignored, as by nohup
    signal.signal(signal.SIGINT, signal.SIG_DFL)
