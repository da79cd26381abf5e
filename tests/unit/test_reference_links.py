"""The links that error rates are measured against: gold or silver, cut as a family reads the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_scores import ROOT, write_data

from attnmt.config import load_params
from attnmt.corpora.links import GoldLinks
from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.scoring.alignment import read_forced
from attnmt.text.reference_links import cut_links, link_kind, reference_links

WORDS = [(3, 3), (6, 2), (1, 4)]  # of each sentence pair, source and target
GOLD = ["0-0 1?2", "5-1 0-0 2?1", "0-3"]
SILVER = ["2-2", "0-0 4-1", "0-0 0-1"]


@pytest.fixture
def params(tmp_path, monkeypatch):
    """Return the demo's parameters, in which one family cuts sentences; write tokens and links."""
    monkeypatch.chdir(tmp_path)
    params = load_params(ROOT / "params.yaml", ROOT)
    sides = [[" ".join(["w"] * count) for count in side] for side in zip(*WORDS, strict=True)]
    write_data(params, "luong", sides[1], GOLD, sources=sides[0])
    write_lines(Layout("demo").dictionary / "test1.links", SILVER)
    family = params.families["luong"]
    short = family.encoding.model_copy(update={"length": 3})
    families = params.families | {"short": family.model_copy(update={"encoding": short})}
    return params.model_copy(update={"families": families})


def test_gold_links_come_first_and_else_the_aligners_are_silver(params):
    kind, links = reference_links(params, "test1")
    assert kind == link_kind(params, "test1") == "gold"
    assert [line.sure for line in links] == [[(0, 0)], [(0, 0), (5, 1)], [(0, 3)]]
    assert [line.possible for line in links][1] == [(0, 0), (2, 1), (5, 1)]
    (Layout("demo").tokens / "test1.links").unlink()
    kind, links = reference_links(params, "test1")
    assert kind == link_kind(params, "test1") == "silver"
    assert [line.sure for line in links] == [[(2, 2)], [(0, 0), (4, 1)], [(0, 0), (0, 1)]]
    assert all(line.sure == line.possible for line in links)


@pytest.mark.parametrize("gold", [True, False])
def test_a_family_that_cuts_sentences_has_the_links_of_what_it_reads(params, gold):
    if not gold:
        (Layout("demo").tokens / "test1.links").unlink()
    whole, cut = (reference_links(params, "test1", family).links for family in ("luong", "short"))
    assert whole == reference_links(params, "test1").links
    expected = [[(0, 0)], [(2, 1)], [(0, 2)]] if gold else [[(2, 2)], [(1, 1)], [(0, 0)]]
    assert [line.sure for line in cut] == expected
    assert [line.possible for line in cut][:2] == (
        [[(0, 0), (1, 2)], [(2, 1)]] if gold else expected[:2]
    )


@st.composite
def linked_pairs(draw):
    """Return links of a sentence pair, and its numbers of words."""
    words = draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    link = st.tuples(st.integers(0, words[0] - 1), st.integers(0, words[1] - 1))
    sure, possible = (sorted(draw(st.sets(link))) for _ in range(2))
    return GoldLinks(sure, sorted({*sure, *possible})), words


@given(pair=linked_pairs(), length=st.integers(1, 8))
def test_cut_links_link_the_same_words(pair, length):
    """Words are named after their places, so that a cut sentence shows which of them are left."""
    links, (source, target) = pair
    sides = [[f"s{k}" for k in range(source)], [f"t{k}" for k in range(target)]]
    kept = [side[-length:] for side in sides]

    def named(part, words):
        return {(words[0][i], words[1][j]) for i, j in part}

    cut = cut_links(links, (source, target), length)
    for before, after in zip(links, cut, strict=True):
        expected = {
            (one, other)
            for one, other in named(before, sides)
            if one in kept[0] and other in kept[1]
        }
        assert named(after, kept) == expected
        assert len(after) == len(expected)


def test_a_backward_systems_links_are_flipped(params):
    """A system links what it reads to what it writes; its links are judged from source to target."""
    layout, names = Layout("demo"), ("global_dot_feed", "back_global_dot_feed")
    forward, backward = (layout.translations(n) / "test1.forced.links" for n in names)
    write_lines(forward, ["2-0", "5-1", "0-3"])  # source word 5 of the second pair, target word 1
    write_lines(backward, ["0-2", "1-5", "3-0"])
    for name in names:
        assert read_forced(params, name, "test1") == [[(2, 0)], [(5, 1)], [(0, 3)]]
    write_lines(backward, ["0-2", "5-1", "3-0"])  # the other way round it lies outside
    with pytest.raises(
        InputError, match=r"forced.links:2: link 5-1 lies outside the pair's 2 and 6"
    ):
        read_forced(params, names[1], "test1")
