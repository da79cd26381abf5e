"""The tokenizer: the rule of each language, escapes, and hyphens that are split and joined."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attnmt.config import Language, Rule
from attnmt.errors import InputError
from attnmt.text.tokenizer import SPACE, MosesTokenizer, Tokenizer, tokenizer

SENTENCES = [
    ("en", "The \"well-known\" man's e-mail [draft] isn't R & D."),
    ("de", "Der 3-4-jährige Ex-Chef (47) sagte: „Nein“, z. B. am 1. Mai."),
]


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
def test_joining_undoes_splitting(language, sentence):
    split, whole = MosesTokenizer(language, True), MosesTokenizer(language, False)
    assert "@-@" in split.tokenize(sentence)
    assert split.joined(split.tokenize(sentence)) == whole.tokenize(sentence)


@pytest.mark.parametrize(
    ("tokens", "joined"),
    [
        ("a @-@ b ##AT##-##AT## c", "a-b-c"),
        ("<unk> ##AT##-##AT## b d", "<unk>-b d"),
        ("@-@ b", "-b"),
        ("a @-@", "a-"),
        ("a @-@ @-@ b", "a--b"),
        ("a@-@b c@-@ @-@d", "a@-@b c@-@ @-@d"),
        ("", ""),
    ],
)
def test_split_hyphens_are_joined(tokens, joined):
    assert MosesTokenizer("en", True).joined(tokens.split()) == joined.split()


@pytest.mark.parametrize("split_hyphens", [False, True])
@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
def test_detokenizing_gives_the_text(language, sentence, split_hyphens):
    tokenizer = MosesTokenizer(language, split_hyphens)
    assert tokenizer.detokenize(tokenizer.tokenize(sentence)) == sentence


def rule_of(rule: Rule, code: str = "en", split_hyphens: bool = False) -> Tokenizer:
    return tokenizer(Language(code=code, name="A language", tokenize=rule), split_hyphens)


@pytest.mark.parametrize(
    ("rule", "code", "line", "tokens"),
    [
        ("moses", "en", "Mr. X's dog", "Mr. X &apos;s dog"),
        ("moses", "fr", "M. X, qu'il", "M. X , qu&apos; il"),
        ("plain", "en", "Mr. X's dog", "Mr . X &apos; s dog"),
        ("plain", "xx", "z.B. 1,5 [a]", "z.B. 1,5 &#91; a &#93;"),
        ("none", "xx", " Mr.\u3000X's  [dog] ", "Mr. X's [dog]"),
        ("characters", "xx", " 我 爱你 。", "我 ▁ 爱 你 ▁ 。"),
        ("characters", "xx", "e\u0301t 각 한 \u0e01\u0e33", "e\u0301 t ▁ 각 ▁ 한 ▁ \u0e01\u0e33"),
        ("characters", "xx", "a & b", "a ▁ & ▁ b"),
    ],
)
def test_lines_become_tokens_by_the_rule_of_their_language(rule, code, line, tokens):
    assert rule_of(rule, code).tokenize(line) == tokens.split()


@pytest.mark.parametrize(
    ("rule", "tokens", "text"),
    [
        ("plain", "well @-@ known &quot; dogs &quot; .", 'well-known "dogs".'),
        ("none", "well ##AT##-##AT## known &quot; dogs &quot; .", 'well-known "dogs".'),
        ("characters", "我 爱 ▁ <unk> 你 。", "我爱 <unk>你。"),
        ("characters", "▁ a ▁ ▁ b ▁", "a b"),
    ],
)
def test_tokens_become_text_by_the_rule_of_their_language(rule, tokens, text):
    assert rule_of(rule, "xx").detokenize(tokens.split()) == text


def test_only_moses_rules_split_hyphens():
    for rule, tokens in {
        "moses": ["a", "@-@", "b"],
        "plain": ["a", "@-@", "b"],
        "none": ["a-b"],
        "characters": ["a", "-", "b"],
    }.items():
        language = Language.model_validate({"code": "en", "name": "x", "tokenize": rule})
        assert tokenizer(language, True).tokenize("a-b") == tokens


CLUSTERS = ["a", "字", *["é", "́", "각", "ᆨ", "\u0600", "\u200d", "👨\u200d👩", "&", "<unk>"]]
WHITE = [" ", "  ", "\t", "\u00a0", "\u2028", "\u3000", "\x1c", "\x85"]


@given(line=st.lists(st.sampled_from(CLUSTERS + WHITE), max_size=12).map("".join) | st.text())
@example(line="a \u0301b")  # a space with an accent is a cluster
@example(line="\u0600 a")  # and so is a sign of Arabic numbers with a space
def test_characters_become_the_line_again(line):
    line = line.replace(SPACE, "")
    rule = rule_of("characters")
    tokens = rule.tokenize(line)
    assert all(token.split() == [token] for token in tokens)
    assert rule.detokenize(tokens) == " ".join(line.split())
    assert tokens.count(SPACE) == max(0, len(line.split()) - 1)
    assert rule.tokenize(rule.detokenize(tokens)) == tokens


def test_a_language_without_rules_is_refused_with_a_list_of_those_that_have_some():
    message = (
        r"languages: there are no rules of Moses for 'xx', only for as, bn, .*, de, .*, zh; "
        r"set its tokenize to plain, characters or none"
    )
    with pytest.raises(InputError, match=message):
        rule_of("moses", "xx")
