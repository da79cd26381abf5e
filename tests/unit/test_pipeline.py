"""From the ids of a search to words and their links, for a family of words and one of pieces."""

from dataclasses import replace

import pytest

from attnmt.config import SearchRules
from attnmt.decoding.batched import search_all
from attnmt.decoding.explanation import explain
from attnmt.decoding.forced_decoding import force
from attnmt.decoding.pipeline import TranslationPipeline, load_translator
from attnmt.text.pieces import words_of_pieces

Units = list[list[str]]


@pytest.fixture(params=["local_p", "subwords"])
def text(params, folder, request) -> TranslationPipeline:
    return load_translator(params, request.param, folder, n_best=3)


def units(text: TranslationPipeline) -> tuple[Units, Units]:
    """Return the units of both sides of the test set."""
    return text.data.units("test", "en"), text.data.units("test", "de")


def word_of(text: TranslationPipeline, sentence: list[str]) -> list[int]:
    """Return the number of the word that each unit belongs to."""
    return words_of_pieces(sentence) if text.data.pieces else list(range(len(sentence)))


def test_translations_are_words_with_links_of_words(text):
    sources, _ = units(text)
    vocabulary = text.data.vocabulary("de")
    ids = [text.data.text("test", "en")[i] for i in range(len(sources))]
    candidates = search_all(text.models, ids, text.options, 2)
    linked_unknown = 0
    for read, translations, found in zip(
        sources, text.translate_set("test"), candidates, strict=True
    ):
        best, candidate = translations[0], found[0]
        written = vocabulary.decode(candidate.words)
        assert (best.source, best.words) == (text.data.words(read), text.data.words(written))
        # A word of the translation is linked to each word that one of its pieces looked at.
        source, target = word_of(text, read), word_of(text, written)
        assert set(best.links) == {(source[i], target[j]) for j, i in enumerate(candidate.links)}
        assert len(set(best.links)) == len(best.links)
        assert best.score == pytest.approx(candidate.score, abs=1e-4)
        for j, (word, replaced) in enumerate(zip(best.words, best.replaced, strict=True)):
            if word != "<unk>":
                assert replaced == word
                continue
            linked_unknown += 1
            original = best.source[next(i for i, k in best.links if k == j)]
            assert replaced == (text.dictionary.get(original) or original)
    assert text.data.pieces or linked_unknown


def test_forced_links_are_of_words_at_either_offset(text):
    forced, pairs = text.force_decode_set("test"), zip(*units(text), strict=True)
    links = text.links_by_offset("test")
    assert forced.links == links[text.options.attention_offset]
    sides = [text.data.text("test", side) for side in ("en", "de")]
    for line, pair in enumerate(pairs):
        (alone,) = force(text.models, *([side[line]] for side in sides))
        assert forced.scores[line] == pytest.approx(alone.score, abs=1e-4)
        source, target = (word_of(text, sentence) for sentence in pair)
        for offset in (0, 1):
            expected = {(source[i], target[j]) for j, i in enumerate(alone.links(offset))}
            assert set(links[offset][line]) == expected


def test_what_the_rules_cut_and_weigh_is_explained_with_the_scores_of_the_search(params, folder):
    rules = SearchRules(min_ratio=0, max_ratio=0.3)  # of six words, so two
    text = load_translator(params, "ensemble", folder)
    text.options = replace(text.options, rules=rules)
    found = text.translate(["The old house is new."], text.options.n_best(3))[0]
    shown = explain(text, "The old house is new.", candidates=3).candidates
    assert [len(one.units) for one in shown] == [2] * 3
    assert [one.score for one in shown] == pytest.approx([one.score for one in found], abs=1e-4)


def test_a_model_without_attention_links_nothing(params, folder):
    text = load_translator(params, "plain", folder)
    assert text.force_decode_set("test").links == []
    for translations in text.translate_set("test"):
        assert translations[0].links == []
        assert translations[0].replaced == translations[0].words
