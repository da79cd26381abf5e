"""The order, ties, size and files of vocabularies."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnmt.errors import InputError
from attnmt.text.vocabulary import BOS, EOS, SPECIAL, UNK, Vocabulary, build_vocabulary

LINES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8), max_size=8)


@given(lines=LINES, size=st.integers(4, 12))
def test_words_are_ordered_by_count_then_by_first_occurrence(lines, size):
    text = [word for line in lines for word in line]
    expected = sorted(set(text), key=lambda word: (-text.count(word), text.index(word)))
    vocabulary = build_vocabulary(Counter(chain(*lines)), size)
    assert vocabulary.words == [*SPECIAL, *expected[: size - 3]]
    for line in lines:
        known = [word if word in vocabulary.words else "<unk>" for word in line]
        assert vocabulary.decode(vocabulary.encode(line)) == known


def test_text_cannot_forge_special_words():
    vocabulary = build_vocabulary(Counter(["a", "</s>", "<unk>", "</s>"]), 10)
    assert vocabulary.words == [*SPECIAL, "a"]
    assert [vocabulary.words[i] for i in (UNK, BOS, EOS)] == ["<unk>", "<s>", "</s>"]
    assert vocabulary.encode(["<s>", "</s>", "<unk>", "a"]) == [UNK, UNK, UNK, 3]


def test_a_file_is_read_back_as_it_was_written(tmp_path):
    build_vocabulary(Counter("äbb"), 5).save(tmp_path / "v")
    assert (tmp_path / "v").read_bytes() == "<unk>\n<s>\n</s>\nb\nä\n".encode()
    assert Vocabulary.load(tmp_path / "v").encode(["b", "ä", "x"]) == [3, 4, UNK]


@pytest.mark.parametrize("content", [b"a\nb\n", b"<unk>\n<s>\n</s>\na\nb\na\n"])
def test_a_damaged_file_is_named(write, content):
    with pytest.raises(InputError, match="v: no vocabulary, which starts with <unk>, <s>, </s>"):
        Vocabulary.load(write("v", content))
