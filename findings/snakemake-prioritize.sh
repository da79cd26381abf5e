#!/usr/bin/env bash
# Snakemake 9.27.1: with --prioritize of six targets, the scheduler says that it cannot solve its problem.
#
# One would guess: the default scheduler, an ILP solver, chooses these targets and what they need first, as --help says.
# What happens: their priority is 2^63 - 1. The objective multiplies it by 4 and by the cores of all jobs that could
# start, and of a problem with such numbers the solver (CBC) says that it is infeasible. Snakemake prints "Failed to
# solve scheduling problem with ILP solver", and the greedy scheduler chooses instead. The order is right, and nothing
# is wrong with the installation, but the warning comes back as long as jobs with this priority wait. --scheduler
# greedy avoids it.
# Why it matters here: one would use it to have an ensemble and its members first, and the warning looks as if the run
# were broken. docs/running.md names targets instead.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check snakemake==9.27.1 pulp==3.3.2
export PATH="$folder/venv/bin:$PATH" XDG_CACHE_HOME="$folder/cache"
mkdir "$folder/project" && cd "$folder/project"
cat > Snakefile <<'PY'
rule all:
    input: expand("out/{n}.txt", n=range(12))
rule one:
    output: "out/{n}.txt"
    resources: mem_mb=8000
    shell: "date +%s.%N > {output}"
PY
warning="Failed to solve scheduling problem with ILP solver"
first="out/6.txt out/7.txt out/8.txt out/9.txt out/10.txt out/11.txt"
run() { # and say how many warnings there were, and in which order the files were written
    rm -rf out
    snakemake -j2 "$@" > log 2>&1
    warnings=$(grep -c "$warning" log || true)
    order=$(for n in {0..11}; do echo "$(cat out/$n.txt) $n"; done | sort | cut -d' ' -f2)
    echo "$*: $warnings warnings; the order of the jobs: $(echo $order)"
}
run all
[ "$warnings" = 0 ]
run --prioritize $first
[ "$warnings" -gt 0 ]
[ "$(head -6 <<< "$order" | sort -n | xargs)" = "6 7 8 9 10 11" ]
run --scheduler greedy --prioritize $first
[ "$warnings" = 0 ]
[ "$(head -6 <<< "$order" | sort -n | xargs)" = "6 7 8 9 10 11" ]
