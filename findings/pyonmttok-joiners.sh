#!/usr/bin/env bash
# pyonmttok 1.38.1: a zero-width joiner or non-joiner inside a word becomes a token of its own.
#
# One would guess: U+200C and U+200D belong to the letters around them. Unicode's rules of word boundaries
# (UAX 29) never break there, Persian writes U+200C inside of very frequent verbs, and the mode "aggressive"
# is said to split at signs and numbers.
# What happens: the word is cut in three, and the joiner is a token with marks on both sides. The same text
# comes back, but a model must learn a three-token word, and the joiner gets an entry of the vocabulary.
# Combining marks, in contrast, stay with their letters.
# Why it matters here: it was the library to carry a rule of tokens with marks. attnmt's own rule "words"
# (src/attnmt/text/tokenizer.py) keeps joiners in words. The package also has no wheel for Python 3.13.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pyonmttok==1.38.1
"$folder/venv/bin/python" - <<'PYTHON'
import pyonmttok

tokenizer = pyonmttok.Tokenizer("aggressive", joiner_annotate=True, no_substitution=True)
for name, word, count in (
    ("Persian", "می\u200cروم", 3),
    ("Hindi", "क्\u200dष", 3),
    ("Yoruba, marks", "o\u0323\u0301ro\u0323", 1),
):
    tokens = tokenizer(word)
    print(f"{name}: {ascii(word)} -> {ascii(tokens)}")
    assert len(tokens) == count, tokens
    assert tokenizer.detokenize(tokens) == word
PYTHON
