#!/usr/bin/env bash
# matplotlib 3.11.2: with svg.hashsalt, two SVGs of the same drawing can still differ, in their ids alone.
#
# One would guess: svg.hashsalt is there so that a drawing gives the same file again. So if two drawings have
# the same numbers in their files, the files are the same.
# What happens: the numbers of a file are rounded to six decimals, but the id of a clip path is a hash of the
# numbers as they were before. If a layout differs in the last bit of one number, as that of constrained layout
# may from run to run, all that is drawn is the same to the letter, and the ids are not.
# Why it matters here: reports lie in git and in DVC's cache by their content, so such a figure is a new file for
# both. We number the ids of a file instead (src/attnmt/reporting/canvas.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q matplotlib==3.11.2 numpy==2.4.6
"$folder/venv/bin/python" - <<'PYTHON'
import io
import math
import re

import matplotlib
from matplotlib.figure import Figure

matplotlib.rcParams["svg.hashsalt"] = "the same"


def drawn(left: float) -> str:
    """Return the SVG of a line in axes that begin at a part of the figure's width."""
    figure, stream = Figure(), io.StringIO()
    figure.add_axes((left, 0.1, 0.8, 0.8)).plot([0, 1], [1, 0])
    figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


one, again, other = drawn(0.1), drawn(0.1), drawn(math.nextafter(0.1, 1.0))
clip = re.compile(r"\bp[0-9a-f]{10}\b")
print("the same drawing again:", "the same file" if one == again else "another file")
print("moved by the last bit:", "the same file" if one == other else "another file")
print("its clip path:", clip.search(one)[0], "and", clip.search(other)[0])
print("without the ids:", "the same" if clip.sub("", one) == clip.sub("", other) else "not the same")
assert one == again
assert one != other
assert clip.sub("", one) == clip.sub("", other)
PYTHON
