"""Which step links words: by unknown words, then by the aligner's links, and else by nothing."""

import shutil
from typing import get_args

import pytest

from attnmt.config import LinkStep
from attnmt.corpora.links import Links
from attnmt.decoding.pipeline import TranslationPipeline, load_translator
from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.scoring.aer import aer
from attnmt.scoring.chosen_step import choose_reading, silver_links

STEPS: tuple[LinkStep, ...] = get_args(LinkStep)
NO_SILVER: list[Links] = [[]] * 5  # of the sentences of the small experiment's test set


def without_words(text: TranslationPipeline) -> TranslationPipeline:
    """Give every source word a translation that is never right, so that the hits are a tie."""
    sources = text.data.units("test", text.source.code)
    text.dictionary = {word: "-" for words in sources for word in words}
    return text


def test_the_step_that_brings_back_more_words_is_chosen(params, folder):
    """This is checked by brute force with dictionaries that favor one step or the other."""
    text = load_translator(params, "local_p", folder)
    sources, references = (text.data.units("test", side) for side in ("en", "de"))
    forced, known = text.force_decode_set("test").links, text.data.vocabulary("de")
    places = [(n, j) for n, words in enumerate(references) for j in range(len(words))]
    unknown = [(n, j) for n, j in places if references[n][j] not in known]
    assert len(unknown) > 9

    def linked(step: LinkStep, n: int, j: int) -> str:
        return sources[n][next(i for i, k in forced[step][n] if k == j)]

    chosen = set()
    for step, other in (STEPS, STEPS[::-1]):
        # Each word's translation is the unknown word that this step links it to first.
        words = {linked(step, n, j): references[n][j] for n, j in reversed(unknown)}
        text.dictionary = words
        reading = choose_reading(text, "test", forced[other])  # the aligner says the opposite
        hits = dict.fromkeys(STEPS, 0)
        for of in hits:
            for n, j in unknown:
                word = linked(of, n, j)
                hits[of] += words.get(word, word) == references[n][j]
        assert (reading.hits, reading.unknown_words) == (hits, len(unknown))
        assert (reading.set, reading.authors, reading.aer[other]) == ("test", "next", 0)
        assert hits[step] > hits[other]
        assert (reading.chosen, reading.decided_by) == (step, "unknown words")
        chosen.add(reading.chosen)
    assert chosen == {"same", "next"}


@pytest.mark.parametrize("name", ["german", "gru", "ensemble"])
def test_on_a_tie_the_aligners_links_decide_and_else_nothing(params, folder, name):
    text = without_words(load_translator(params, name, folder))
    forced = text.force_decode_set("test").links
    for step in STEPS:
        reading = choose_reading(text, "test", forced[step])
        assert set(reading.hits.values()) == {0}
        expected = {of: aer(forced[of], forced[step], forced[step]) for of in STEPS}
        assert reading.aer == pytest.approx(expected, abs=1e-6)
        if forced["same"] == forced["next"]:  # attention without a query is the same at all steps
            assert name == "gru"
            assert (reading.chosen, reading.decided_by) == (reading.authors, None)
        else:
            assert (reading.chosen, reading.decided_by) == (step, "aligner")
    reading = choose_reading(text, "test", NO_SILVER)  # the aligner linked nothing
    assert (reading.chosen, reading.decided_by) == (reading.authors, None)


@pytest.mark.parametrize("name", ["local_p", "german", "gru"])  # german reads the target side
def test_silver_links_are_of_the_words_that_a_system_reads(
    params, folder, tmp_path, monkeypatch, name
):
    """The development set has five tokens on either side; gold links are never looked at."""
    shutil.copytree(folder / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    layout = Layout("demo")
    write_lines(layout.dictionary / "dev.links", ["0-0 3-4 4-3"])
    write_lines(layout.tokens / "dev.links", ["0-1"])
    assert silver_links(params, name) == [[(0, 0), (3, 4), (4, 3)]]
    write_lines(layout.dictionary / "dev.links", ["0-1 3-3"])
    turned = [[(1, 0), (3, 3)]] if name == "german" else [[(0, 1), (3, 3)]]
    assert silver_links(params, name) == turned
    shorter = params.families["short"].encoding.model_copy(update={"length": 2})
    short = params.families["short"].model_copy(update={"encoding": shorter})
    cut = params.model_copy(update={"families": params.families | {"short": short}})
    assert silver_links(cut, name) == ([[(0, 0)]] if name == "gru" else turned)
    write_lines(layout.dictionary / "dev.links", [""])
    assert silver_links(params, name) == [[]]
    (layout.dictionary / "dev.links").unlink()
    with pytest.raises(InputError, match=r"dictionary/dev\.links: no such file; run the dict"):
        silver_links(params, name)
