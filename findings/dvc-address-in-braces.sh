#!/usr/bin/env bash
# DVC 3.67.1 with ruamel.yaml 0.18.17: `dvc exp run -S` says that a good params.yaml is corrupted.
#
# One would guess: what DVC writes into a YAML file, DVC reads.
# What happens: where an address stands in quotes inside of braces, `-S` of any key of the file writes the
# address without quotes. YAML 1.2 allows that, and so do ruamel.yaml's writer and its parser in Python. DVC
# then reads the file with the parser in C, which finds an "unexpected ':'". The experiment does not run,
# the file is put back as it was, and "YAML file structure is corrupted" is said of it.
# Why it matters here: the section `corpus` of a params.yaml has addresses. The project's own files have
# them outside of braces. attnmt reads by the same library, and where the parser in C refuses a file, the one
# in Python has the last word (src/attnmt/files/yaml_file.py).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q dvc==3.67.1 ruamel.yaml==0.18.17 ruamel.yaml.clib==0.2.15
export PATH="$folder/venv/bin:$PATH" DVC_NO_ANALYTICS=1 DVC_SITE_CACHE_DIR="$folder/site"
mkdir "$folder/project" && cd "$folder/project"
git init -q && git config user.email a@example.org && git config user.name a
dvc init -q
echo 'corpus: {url: "https://example.org/a?b=c", lines: 1}' > params.yaml
cat > dvc.yaml <<'YAML'
stages:
  count:
    cmd: echo 1
    params: [corpus.lines]
YAML
dvc repro -q
git add . && git commit -q -m "it runs"
if dvc exp run -S corpus.lines=2 > said.txt 2>&1; then echo "it ran"; exit 1; fi
grep "structure is corrupted" said.txt
git diff --exit-code params.yaml
python - <<'PYTHON'
from pathlib import Path
from ruamel.yaml import YAML

assert YAML(typ="safe").load(Path("params.yaml"))["corpus"]["lines"] == 1  # it was never corrupted
written = "corpus: {url: https://example.org/a?b=c, lines: 2}"
assert YAML(typ="safe", pure=True).load(written)["corpus"]["lines"] == 2
try:
    YAML(typ="safe").load(written)
except Exception as error:
    print("the parser in C:", " ".join(str(error).split()))
else:
    raise SystemExit("the parser in C reads it now")
PYTHON
