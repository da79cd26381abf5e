#!/usr/bin/env bash
# A quarter of an hour on a GPU, prepared: what to do before it, and three calls.
#
#   bash benchmarks/gpu_day.sh prepare [--tiny]     before: wheels, and Multi30k's text in data/gpu_day
#   bash benchmarks/gpu_day.sh shrink               before: take out of this tree what the calls do not need
#                                                   (git ignores data/gpu_day and benchmarks/wheels: carry both)
#   bash benchmarks/gpu_day.sh 1 OUT                ceilings, tests, speed of the training step
#   bash benchmarks/gpu_day.sh 2 OUT                a whole training, killed and resumed; beam search
#   bash benchmarks/gpu_day.sh 3 OUT                the step beside the one without graphs and fused cells
#   bash benchmarks/gpu_day.sh restore              after: git brings back what shrink took out
#
# With --device cpu --tiny after OUT, a call runs anywhere in a minute. Each part of a call writes a log
# into OUT and its figures into OUT/results; what fails does not stop the others. Afterwards copy
# OUT/results/*.json into benchmarks/results, and `python -m benchmarks.gpu page` shows them.
# ATTNMT_MIRROR must name a folder with Multi30k's files, or prepare downloads them.
set -uo pipefail
cd "$(dirname "$0")/.."

WHEELS=benchmarks/wheels
DATA=data/gpu_day
UNNEEDED=(weights reports/study reports/study-rates)
# What the machine with the GPU lacks; pip installs it into a folder beside the tree.
PACKAGES=${TMPDIR:-/tmp}/attnmt-packages
export PYTHONPATH=src:$PACKAGES OMP_NUM_THREADS=${OMP_NUM_THREADS:-8}

prepare() {
    python -m pip download --quiet --require-hashes --no-deps --only-binary :all: --python-version 3.12 \
        --implementation cp --abi cp312 --platform manylinux2014_x86_64 --platform manylinux_2_28_x86_64 \
        --dest "$WHEELS" -r benchmarks/gpu_wheels.txt || exit 1
    python -m benchmarks.gpu captions "$DATA" --prepare "$@" || exit 1
    size
}

size() {
    { git ls-files -z --cached --others --exclude-standard; find "$WHEELS" "$DATA" -type f -print0; } |
        xargs -0 ls -l 2>/dev/null | awk '{ n += $5 } END { printf "%.1f of 64 MiB travel\n", n / 2^20 }'
}

imports() { # all that a call imports, in one process, so that a package that is missing costs seconds
    python - <<'END'
import attnmt.config, benchmarks.gpu, hypothesis, pytest, runpy

for stage in "corpus", "tokens", "encode", "dictionary", "train", "translate", "evaluate":
    runpy.run_path(f"stages/{stage}.py")
END
}

install() {
    imports 2>/dev/null && return
    python -m pip install --quiet --no-deps --no-index --find-links "$WHEELS" --target "$PACKAGES" \
        --require-hashes -r benchmarks/gpu_wheels.txt && imports
}

part() { # NAME SECONDS COMMAND..: run a part of a call, and keep a line for the table
    local name=$1 limit=$2 start=$SECONDS
    shift 2
    timeout "$limit" "$@" >"$OUT/$name.log" 2>&1
    printf '%-12s %5d s   %s\n' "$name" $((SECONDS - start)) "$(outcome $? "$name")" >>"$OUT/table.txt"
}

outcome() { # STATUS NAME: what became of a part, in words; pytest's status is 0 if it skips every test
    case $1 in
        0) tail -n 1 "$OUT/$2.log" | grep -qE '^[0-9]+ skipped' && echo "skipped, no GPU" || echo ok ;;
        124) echo "no time left" ;;
        *) echo failed ;;
    esac
}

measure() { # NAME SECONDS COMMAND..: a part that adds figures to the results
    local name=$1 limit=$2
    shift 2
    part "$name" "$limit" python -m benchmarks.gpu --results "$OUT/results" "$@"
}

call=${1:?which call? the head of this file lists them}
shift
case $call in
    prepare) prepare "$@"; exit ;;
    shrink)
        git diff --quiet HEAD -- "${UNNEEDED[@]}" || { echo "first commit ${UNNEEDED[*]}" >&2; exit 1; }
        git ls-files -z -- "${UNNEEDED[@]}" | xargs -0 rm -f
        size
        exit ;;
    restore) git checkout --quiet -- "${UNNEEDED[@]}"; exit ;;
esac

OUT=${1:?where to write? a folder}
shift
on=("$@") # --device cpu --tiny, or nothing
tiny=()
[[ " ${on[*]} " == *" --tiny "* ]] && tiny=(--tiny) DATA=$OUT/captions
mkdir -p "$OUT/results"
: >"$OUT/table.txt"
install >"$OUT/install.log" 2>&1 || {
    echo "$(tail -n 1 "$OUT/install.log"): so nothing can be measured here. Carry $WHEELS, or add what is missing" \
        "to benchmarks/gpu_wheels.txt and prepare again; all is in $OUT/install.log" >&2
    exit 1
}

case $call in
    1)
        [ ${#on[@]} -gt 0 ] || part nvidia-smi 20 nvidia-smi
        measure ceilings 60 ceilings "${on[@]}"
        part tests 150 python -m pytest tests/gpu -x -q -p no:xdist
        measure training 150 training "${on[@]}" --minutes 2 \
            --systems base_reverse_dropout,global_location_feed,local_p_general_feed ;;
    2)
        [ -d "$DATA" ] || part captions-text 300 python -m benchmarks.gpu captions "$DATA" --prepare "${tiny[@]}"
        measure captions 180 captions "$DATA"
        measure resumed 120 captions "$DATA" --resume
        measure search 180 search "${on[@]}" ;;
    3) measure steps 400 steps "${on[@]}" ;;
    *) echo "$call: no such call; the head of this file lists them" >&2; exit 2 ;;
esac
python -m benchmarks.gpu --results "$OUT/results" show
cat "$OUT/table.txt"
