"""The tokenizer: the rule of each language, what a token may be, and the way back to text."""

from typing import get_args

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st
from scripts_of_the_world import LINES

from attnmt.config import Language, Rule
from attnmt.corpora.normal_form import normalized
from attnmt.text.tokenizer import JOIN, SPACE, MosesTokenizer, Tokenizer, tokenizer
from attnmt.text.vocabulary import SPECIAL

RULES: tuple[Rule, ...] = get_args(Rule)
SENTENCES = [
    ("en", "The \"well-known\" man's e-mail [draft] isn't R & D."),
    ("de", "Der 3-4-jährige Ex-Chef (47) sagte: „Nein“, z. B. am 1. Mai."),
]


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
def test_joining_undoes_splitting(language, sentence):
    split, whole = MosesTokenizer(language, True), MosesTokenizer(language, False)
    assert "@-@" in split.tokenize(sentence)
    assert split.joined(split.tokenize(sentence)) == whole.tokenize(sentence)


def rule_of(rule: Rule, code: str = "en", split_hyphens: bool = False) -> Tokenizer:
    return tokenizer(Language(code=code, name="A language", tokenize=rule), split_hyphens)


@pytest.mark.parametrize(
    ("rule", "code", "line", "tokens"),
    [
        ("moses", "eng", "Mr. X's dog", "Mr. X &apos;s dog"),
        ("moses", "fr", "M. X, qu'il", "M. X , qu&apos; il"),
        ("moses", "en", "e\u0301te\u0301 Yoru\u0300ba\u0301 ọ́rọ̀!", "été Yorùbá ọ́rọ̀ !"),
        ("moses", "hi", "क्षेत्र में है।", "क्षेत्र में है ।"),
        ("words", "xx", "z.B. l'aigua (1,5 m).", "z ￭.￭ B ￭. l ￭'￭ aigua (￭ 1,5 m ￭) ￭."),
        ("words", "xx", "می‌روم، 5km", "می‌روم ￭، 5 ￭km"),
        ("words", "xx", "<unk> @@ ￭", "<￭ unk ￭> @ ￭@ ■"),
        ("none", "xx", " Mr.\u3000X's  [dog] ", "Mr. X's [dog]"),
        ("characters", "xx", " 我 爱你 。", "我 ▁ 爱 你 ▁ 。"),
        ("characters", "xx", "q\u0301t 각 한 \u0e01\u0e33", "q\u0301 t ▁ 각 ▁ 한 ▁ \u0e01\u0e33"),
    ],
)
def test_lines_become_tokens_by_the_rule_of_their_language(rule, code, line, tokens):
    assert rule_of(rule, code).tokenize(normalized(line)) == tokens.split()


@pytest.mark.parametrize(
    ("rule", "tokens", "text"),
    [
        ("moses", "well @-@ known &quot; dogs &quot; .", 'well-known "dogs".'),
        ("none", "well ##AT##-##AT## known &quot; dogs &quot; .", 'well-known "dogs".'),
        ("words", "￭, ￭a￭ ￭b￭ ￭ ￭. <unk> ￭, c", ",ab. <unk>, c"),
        ("characters", "我 爱 ▁ <unk> 你 。", "我爱 <unk>你。"),
    ],
)
def test_tokens_become_text_by_the_rule_of_their_language(rule, tokens, text):
    assert rule_of(rule).detokenize(tokens.split()) == text


MARK_FIRST = regex.compile(r"[\p{M}\u200c\u200d\u180e]")


@pytest.mark.parametrize("rule", RULES)
@given(line=LINES | st.text())
@example(line="a \u0301b")  # a space with an accent is a cluster
@example(line="\u0600 a")  # and so is a sign of Arabic numbers with a space
@example(line="..\u0301 ,\u0301 '\u0301 -\u0301 &\u0301")
@example(line="!\u180e \u1820\u180e\u1820 hi\U000e0041")
@example(line=f"{JOIN}\u0301")
def test_no_token_is_or_begins_with_a_mark(rule, line):
    for token in rule_of(rule).tokenize(normalized(line)):
        assert token.split() == [token]
        assert not MARK_FIRST.match(token.removeprefix(JOIN) if rule == "words" else token)
        assert not set(token) & set("\ufeff\u00ad\u200b\u2060\x00")


@pytest.mark.parametrize("rule", ["words", "characters"])
@given(line=LINES | st.text())
def test_the_way_back_is_exact(rule, line):
    """No space is added inside a word and none is removed between two, in any script."""
    line = line.replace(SPACE, "").replace(JOIN, "")
    tokens = rule_of(rule).tokenize(normalized(line))
    assert rule_of(rule).detokenize(tokens) == " ".join(normalized(line).split())
    assert rule_of(rule).tokenize(rule_of(rule).detokenize(tokens)) == tokens
    assert not set(tokens) & set(SPECIAL)
    if rule == "characters":
        assert tokens.count(SPACE) == max(0, len(normalized(line).split()) - 1)
    else:
        assert " ".join(rule_of(rule).joined(tokens)) == " ".join(tokens).replace(JOIN, "")


@pytest.mark.parametrize(
    ("rule", "words", "tokens"),
    [
        ("moses", "it 's a [ dog ] &apos;s", "it &apos;s a &#91; dog &#93; &apos;s"),
        ("words", "U.S. , “ so ￭ ” ( 5 m ) .", "U.S. ￭, “￭ so ■ ￭” (￭ 5 m ￭) ￭."),
        ("characters", "我 爱 你 &", "我 爱 你 &"),
        ("none", "it 's [ a ]", "it 's [ a ]"),
    ],
)
def test_words_that_somebody_else_split_stay_as_many(rule, words, tokens):
    """Gold links count them."""
    assert rule_of(rule).tokens_of(words.split()) == tokens.split()
