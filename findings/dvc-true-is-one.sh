#!/usr/bin/env bash
# DVC 3.67.1: a parameter that changes from true to 1, or from 0 to false, is "up to date".
#
# One would guess: `dvc repro` runs a stage again if a parameter that it names has another value, and a switch is
# another value than a number.
# What happens: the values are compared as Python does, where True == 1 and False == 0, also inside of lists. So
# `dvc status`, `dvc params diff` and `dvc repro` see no change, and the output of the stage is an old one. With
# `beam: true`, a slip that was mended to `beam: 1`, nothing runs again.
# Why it matters here: every stage of the project is run again for its parameters. attnmt reads params.yaml
# strictly, so a switch where a number is meant is an error before any stage runs, and the other way round
# (src/attnmt/config/strict.py). In a file of one's own this does not hold.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check dvc==3.67.1
export PATH="$folder/venv/bin:$PATH" DVC_NO_ANALYTICS=1 DVC_SITE_CACHE_DIR="$folder/site"
mkdir "$folder/project" && cd "$folder/project"
git init -q
dvc init -q
cat > dvc.yaml <<'YAML'
stages:
  search:
    cmd: python -c 'import json, ruamel.yaml; print(json.dumps(ruamel.yaml.YAML().load(open("params.yaml"))))' > out
    params: [beam, sizes]
    outs: [out]
YAML
echo '{beam: true, sizes: [0, 2]}' > params.yaml
dvc repro -q
echo '{beam: 1, sizes: [false, 2]}' > params.yaml
said=$(dvc status)
echo "dvc status: $said"
[ "$said" = "Data and pipelines are up to date." ]
[ -z "$(dvc params diff)" ]
dvc repro -q
echo "the output after dvc repro: $(cat out); a run of it now: $(python -c \
    'import json, ruamel.yaml; print(json.dumps(ruamel.yaml.YAML().load(open("params.yaml"))))')"
[ "$(cat out)" = '{"beam": true, "sizes": [0, 2]}' ]
echo '{beam: 2, sizes: [false, 2]}' > params.yaml
dvc status | grep "params.yaml"
