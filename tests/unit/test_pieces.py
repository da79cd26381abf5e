"""Words to pieces and back."""

import io
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword_nmt.apply_bpe import BPE

from attnmt.errors import InputError
from attnmt.text.pieces import Cutter, join_pieces, learn_codes, word_links, words_of_pieces

# The letters of the marks of pieces and of unknown words, so that random text looks like them
LETTERS = st.text(st.sampled_from("@@@ab<unk>&;ü\\."), min_size=1, max_size=7)
SPELLED = st.sampled_from(
    ["@@", "a@@", "@", "@@@@", "<unk>", "a<unk>", "<unk", "&lt;unk&gt;", "@-@"]
)
WORDS = st.lists(LETTERS | SPELLED, max_size=6)
COUNTS = Counter({"low": 5, "lower": 2, "newest": 6, "widest": 3})


@given(words=WORDS, training=st.lists(LETTERS | SPELLED, max_size=8), threshold=st.integers(0, 5))
def test_pieces_are_joined_to_the_same_words(words, training, threshold):
    counts = COUNTS + Counter(3 * training)
    codes = learn_codes(counts, 30)
    for cutter in (Cutter(codes), Cutter.of_text(codes, counts, threshold)):
        cut_words = cutter.cut(words)
        assert join_pieces(cut_words) == words
        assert "<unk>" not in cut_words
        joined = ["".join(p.removesuffix("@@") for p in cutter.cut([word])) for word in words]
        assert joined == words
        by_word = [n for n, word in enumerate(words) for _ in cutter.cut([word])]
        assert words_of_pieces(cut_words) == by_word


def test_codes_are_those_of_a_case_worked_by_hand():
    # Counts by hand: 9, 9, 7, 6 and 6. Of equally frequent pairs, the alphabetically last comes first
    codes = learn_codes(COUNTS, 5).splitlines()
    assert codes == ["#version: 0.2", "s t</w>", "e st</w>", "l o", "w est</w>", "n e"]


@pytest.mark.parametrize("letters", ["ab", "abcdefg\\.", "aβ中"])
def test_pieces_are_those_of_subword_nmt(letters):
    chance = random.Random(letters)
    for size in (3, 30, 300):
        words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(size)]
        counts = Counter({word: chance.randint(1, 60) for word in words})
        codes = learn_codes(counts, 900)
        pieces = Counter[str]()
        for word, count in counts.items():
            pieces.update(BPE(io.StringIO(codes)).segment_tokens([word]) * count)
        threshold = min(50, max(pieces.values()))
        known = {piece for piece, count in pieces.items() if count >= threshold}
        unseen = ["".join(chance.choices(letters, k=5)) for _ in range(20)]
        expected = BPE(io.StringIO(codes), vocab=known).segment_tokens(words + unseen)
        assert Cutter.of_text(codes, counts, threshold).cut(words + unseen) == expected


@pytest.mark.parametrize("counts", [{}, {"a": 9}, {"ab": 1, "cd": 1}])
def test_text_with_nothing_to_merge_is_refused(counts):
    with pytest.raises(InputError, match=r"encoding\.pieces: .* nothing to merge"):
        learn_codes(Counter(counts), 5)


def test_links_of_words_are_those_of_any_of_their_pieces():
    source, target = ["mo@@", "tor", "s"], ["der", "mo@@", "to@@", "r"]
    assert words_of_pieces(source) == [0, 0, 1]
    links = [(0, 2), (1, 1), (1, 0), (2, 3)]
    assert word_links(links, source, target) == [(0, 0), (0, 1), (1, 1)]
    assert word_links([], source, target) == []
