"""The tokenizer: escapes, and hyphens that are split and joined."""

import pytest

from attnmt.text.tokenizer import MosesTokenizer

SENTENCES = [
    ("en", "The \"well-known\" man's e-mail [draft] isn't R & D."),
    ("de", "Der 3-4-jährige Ex-Chef (47) sagte: „Nein“, z. B. am 1. Mai."),
]


def test_tokens_are_escaped() -> None:
    tokens = MosesTokenizer("en", False).tokenize("it's [a] | b & c")
    assert tokens == ["it", "&apos;s", "&#91;", "a", "&#93;", "&#124;", "b", "&amp;", "c"]


def test_hyphens_stay_or_are_split() -> None:
    assert MosesTokenizer("en", False).tokenize("well-known facts") == ["well-known", "facts"]
    assert MosesTokenizer("en", True).tokenize("well-known facts") == [
        "well",
        "@-@",
        "known",
        "facts",
    ]


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
def test_joining_undoes_splitting(language: str, sentence: str) -> None:
    split, whole = MosesTokenizer(language, True), MosesTokenizer(language, False)
    assert "@-@" in split.tokenize(sentence)
    assert split.join_hyphens(split.tokenize(sentence)) == whole.tokenize(sentence)


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
def test_split_hyphens_are_joined(tokens: str, joined: str) -> None:
    assert MosesTokenizer.join_hyphens(tokens.split()) == joined.split()


@pytest.mark.parametrize("split_hyphens", [False, True])
@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
def test_detokenizing_gives_the_text(language: str, sentence: str, split_hyphens: bool) -> None:
    tokenizer = MosesTokenizer(language, split_hyphens)
    assert tokenizer.detokenize(tokenizer.tokenize(sentence)) == sentence


def test_the_authors_hyphens_are_detokenized() -> None:
    tokens = ["well", "##AT##-##AT##", "known", "&quot;", "&amp;", "&quot;", "."]
    assert MosesTokenizer("en", True).detokenize(tokens) == 'well-known "&".'


@pytest.mark.parametrize("line", ["", " \t", "\u00a0\u2028", "\x00\x01"])
def test_an_empty_line_gives_no_tokens(line: str) -> None:
    assert MosesTokenizer("de", False).tokenize(line) == []


def test_tokens_hold_no_white_space() -> None:
    tokens = MosesTokenizer("en", False).tokenize("a\u00a0b\u2028c\u0085d\x1ce\u3000f")
    assert all(token.split() == [token] for token in tokens)
