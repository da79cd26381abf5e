#!/usr/bin/env bash
# DVC 3.67.1: a date anywhere in params.yaml stops every command, even if no stage has its key.
#
# One would guess: a date is a value like any other, and a stage depends only on the parameters that it names.
# What happens: DVC reads the whole of params.yaml for its templates, even if dvc.yaml has none, and takes no date
# there. So `dvc status` and `dvc repro` end with an "unexpected error". In a file of another name a date is no
# trouble, until a stage names its key: then `dvc repro` fails before the stage runs, because it cannot save it.
# With quotes both work.
# Why it matters here: settings like "texts as of 2026-11-22" are plain in YAML. claims.yaml dates its amendments,
# and its stages have them as parameters, so these dates are in quotes (src/attnmt/config/claims.py), and a date
# without quotes is an error that names the line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check dvc==3.67.1
export PATH="$folder/venv/bin:$PATH" DVC_NO_ANALYTICS=1 DVC_SITE_CACHE_DIR="$folder/site"
mkdir "$folder/project" && cd "$folder/project"
git init -q
dvc init -q

stage() { # stage PARAMETERS: write a dvc.yaml with one stage
    printf 'stages:\n  train:\n    cmd: date > out\n    params: [%s]\n    outs: [out]\n' "$1" > dvc.yaml
}

fails() { # fails WORDS COMMAND...: see that a command fails and says so
    local words=$1 said
    shift
    if said=$("$@" 2>&1); then
        echo "$* works now: $said"
        exit 1
    fi
    echo "$*: $(grep ERROR <<< "$said")"
    grep -q "$words" <<< "$said"
}

stage seed
echo '{seed: 1, text: {since: 2026-11-22}}' > params.yaml
fails "unexpected error - Unsupported value of type 'date' in 'params.yaml:text.since'" dvc status
fails "unexpected error - Unsupported value of type 'date' in 'params.yaml:text.since'" dvc repro

mv params.yaml other.yaml
stage '{other.yaml: [seed]}'
dvc repro -q
dvc status
stage '{other.yaml: [seed, text]}'
rm out
fails "Object of type date is not JSON serializable" dvc repro
[ ! -e out ]

echo '{seed: 1, text: {since: "2026-11-22"}}' > params.yaml
stage 'seed, text'
dvc repro -q
dvc status
