#!/usr/bin/env bash
# sacrebleu 2.6.0: a perfect translation may have "BLEU = 100.0 (67.0 ± 50.0)".
#
# One would guess: a system that equals its reference scores 100 in every bootstrap sample, so its interval
# is 100 to 100, and no interval of a percentage reaches above 100.
# What happens: BLEU of lines that all have fewer than four tokens is 0, whatever the lines are. A sample that
# misses the only longer line of the set has 0, and all others 100. sacrebleu prints the mean of the samples and
# half the distance between two quantiles as if the scores were symmetric: 67 ± 50, which ends at 117 and does
# not even have the score in its middle. chrF of the same lines is 100 ± 0.
# Why it matters here: captions, titles and commands are short lines. The project takes its intervals from
# sacrebleu, so a note must say where BLEU is 0 by definition and where an interval reaches beyond its scale.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sacrebleu==2.6.0
printf 'open the red door\nstop\nturn left\nwait\n' > "$folder/text"
said=$("$folder/venv/bin/sacrebleu" "$folder/text" -i "$folder/text" -m bleu chrf --confidence --confidence-n 1000 \
    -tok none --force --format json)
echo "$said"
short=$(printf 'stop\nturn left\nwait\n' > "$folder/short"; "$folder/venv/bin/sacrebleu" "$folder/short" \
    -i "$folder/short" -m bleu chrf -tok none --force --format json)
echo "$short"
python3 - "$said" "$short" <<'PY'
import json, sys
bleu, chrf = json.loads(sys.argv[1])
assert bleu["score"] == chrf["score"] == 100, (bleu, chrf)
low, high = (bleu["confidence_mean"] + sign * bleu["confidence_var"] for sign in (-1, 1))
print(f"perfect translations: BLEU {bleu['score']}, interval {low:.1f} to {high:.1f}; chrF is 100 throughout")
assert high > 110 and low < 30, (low, high)
assert chrf["confidence_mean"] == 100 and chrf["confidence_var"] == 0, chrf
bleu, chrf = json.loads(sys.argv[2])
print(f"perfect translations of fewer than four tokens: BLEU {bleu['score']}, chrF {chrf['score']}")
assert (bleu["score"], chrf["score"]) == (0, 100), (bleu, chrf)
PY
