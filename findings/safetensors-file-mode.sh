#!/usr/bin/env bash
# safetensors 0.8.0: save_file makes a file that only its owner may read, whatever the umask is.
#
# One would guess: a file has the mode that every other file of the program gets, 644 with the umask 022, as
# with open() or with save() and a write.
# What happens: save_file writes a temporary file beside the place, whose mode is 600, and renames it. The
# mode stays, also where the file that is replaced had another. So weights in a group's folder cannot be read
# by the group.
# Why it matters here: it is the way to write without a copy in memory, and checkpoints and weights lie in
# folders that a cluster's users share. src/attnmt/training/tensor_file.py writes the same bytes itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q numpy==2.4.6 safetensors==0.8.0
cd "$folder"
umask 022
"$folder/venv/bin/python" - <<'PYTHON'
import os
from pathlib import Path

import numpy as np
from safetensors.numpy import save, save_file

tensors = {"weight": np.zeros(3, dtype=np.float32)}
Path("save").write_bytes(save(tensors))
Path("save_file").write_bytes(b"")  # with the mode 644
save_file(tensors, "save_file")
modes = {name: oct(os.stat(name).st_mode & 0o777) for name in ("save", "save_file")}
print(f"the same bytes: {Path('save').read_bytes() == Path('save_file').read_bytes()}; modes: {modes}")
assert modes == {"save": "0o644", "save_file": "0o600"}
PYTHON
