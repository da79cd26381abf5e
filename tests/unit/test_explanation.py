"""What is explained about a translation is what search, forced decoder and dictionary did."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from small_experiment import ENGLISH, GERMAN

from attnmt.config import Params
from attnmt.decoding.explanation import Explanation, explain
from attnmt.decoding.pipeline import Translation, TranslationPipeline, load_translator

RAW, REFERENCES = ENGLISH["test"], GERMAN["test"]
SENTENCE, REFERENCE = RAW[0], REFERENCES[0]


def explained(
    params: Params, folder: Path, name: str
) -> Iterator[tuple[TranslationPipeline, list[str], Explanation, list[Translation]]]:
    """Yield each sentence's units, its explanation, and the translations that it must explain."""
    translator = load_translator(params, name, folder, n_best=3)
    for sentence, translations in zip(RAW, translator.translate(RAW), strict=True):
        units = translator.source.units(sentence)
        yield translator, units, explain(translator, sentence, candidates=3), translations


@pytest.mark.parametrize("name", ["local_p", "plain", "subwords", "gru", "ensemble"])
def test_the_candidates_are_the_translations_with_their_scores(params, folder, name):
    for translator, units, explanation, translations in explained(params, folder, name):
        assert [one.text for one in explanation.candidates] == [t.text for t in translations]
        known = translator.data.vocabulary(translator.source.code)
        read = [(unit.text, unit.known) for unit in explanation.source]
        assert read == [(unit, unit in known) for unit in units]
        for one, translation in zip(explanation.candidates, translations, strict=True):
            # A translation that the search cut off has no </s>, and its score has none either.
            longest = 3 * (len(explanation.source) + 1) // 2
            cut = len(translation.ids) == longest
            assert (one.units[-1].text != "</s>") == cut
            assert one.score == pytest.approx(translation.score, abs=1e-4)
            assert sum(one.log_p) == pytest.approx(one.score)
            rows = len(one.units)
            assert len(one.log_p) == rows
            if explanation.attends:
                assert np.shape(one.weights) == (rows, len(explanation.source))
            assert len(one.spans) == (rows if name in ("local_p", "subwords") else 0)


@pytest.mark.parametrize("name", ["local_p", "subwords"])
def test_each_replacement_is_what_the_translation_has(params, folder, name):
    seen = set()
    for translator, _, explanation, translations in explained(params, folder, name):
        for one, translation in zip(explanation.candidates, translations, strict=True):
            places = [j for j, word in enumerate(translation.words) if word == "<unk>"]
            assert [item.word for item in one.replacements] == places
            for item in one.replacements:
                seen.add(item.by)
                assert item.text == translation.replaced[item.word]
                if item.source is None:
                    assert item.text == "<unk>"
                    continue
                source_word = translation.source[item.source]
                assert item.source_word == source_word
                in_dictionary = translator.dictionary.get(source_word)
                assert item.by == ("dictionary" if in_dictionary else "copy")
                assert item.text == (in_dictionary or source_word)
            if not translator.data.pieces:
                # The cell that is outlined is the largest weight of its row, the row of the word.
                assert [row for row, _ in one.read] == places
                for (row, column), item in zip(one.read, one.replacements, strict=True):
                    assert column == item.source == int(np.argmax(one.weights[row]))
    if name == "local_p":
        assert seen == {"dictionary", "copy"}


@pytest.mark.parametrize("name", ["local_p", "plain", "subwords", "gru"])
def test_a_reference_is_force_decoded(params, folder, name):
    translator = load_translator(params, name, folder)
    forced = translator.force_decode_set("test").scores
    for sentence, reference, score in zip(RAW, REFERENCES, forced, strict=True):
        explained = explain(translator, sentence, reference).reference
        assert explained is not None
        assert explained.score == pytest.approx(score, abs=1e-4)
        assert explained.units[-1].text == "</s>"
        assert explained.text == reference
