"""Which step links words: by unknown words, then by the aligner's links, and else by nothing."""

import json
import shutil
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from made_scores import READING
from small_experiment import ENGLISH, GERMAN
from small_project import ROOT, load_stage

from attnmt.config import LinkStep, load_params
from attnmt.corpora.links import Links, flipped, format_links
from attnmt.decoding.link_step import NOTHING_CHOSE, Reading, load_reading
from attnmt.decoding.pipeline import TranslationPipeline, load_translator
from attnmt.errors import InputError
from attnmt.files.text_file import write_json, write_lines
from attnmt.layout import Layout
from attnmt.scoring.aer import aer
from attnmt.scoring.chosen_step import choose_reading, silver_links
from attnmt.text.dictionary import Dictionary

STEPS: tuple[LinkStep, ...] = get_args(LinkStep)
NO_SILVER: list[Links] = [[]] * 5  # of the sentences of the small experiment's test set
OLD = {key: value for key, value in READING.items() if key not in ("aer", "decided_by")}


def without_words(text: TranslationPipeline) -> TranslationPipeline:
    """Give every source word a translation that is never right, so that the hits are a tie."""
    sources = text.data.units("test", text.source.code)
    text.dictionary = Dictionary({word: "-" for words in sources for word in words})
    return text


def test_the_step_that_brings_back_more_words_is_chosen(params, folder):
    """This is checked by brute force with dictionaries that favor one step or the other."""
    text = load_translator(params, "local_p", folder)
    sources, references = (text.data.units("test", side) for side in ("en", "de"))
    forced, known = text.force_set("test").links, text.data.vocabulary("de")
    places = [(n, j) for n, words in enumerate(references) for j in range(len(words))]
    unknown = [(n, j) for n, j in places if references[n][j] not in known]
    assert len(unknown) > 9

    def linked(step: LinkStep, n: int, j: int) -> str:
        return sources[n][next(i for i, k in forced[step][n] if k == j)]

    chosen = set()
    for step, other in (STEPS, STEPS[::-1]):
        # Each word's translation is the unknown word that this step links it to first.
        words = {linked(step, n, j): references[n][j] for n, j in reversed(unknown)}
        text.dictionary = Dictionary(words)
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
        links = reading.of_links()
        assert (links.chosen, links.decided_by) == (other, "aligner")
        assert f"the {other} step, which the outside aligner's links of test chose" in links.why
        chosen.add(reading.chosen)
    assert chosen == {"same", "next"}


@pytest.mark.parametrize("name", ["local_p", "german", "subwords", "gru", "ensemble"])
def test_on_a_tie_the_aligners_links_decide_and_else_nothing(params, folder, name):
    text = without_words(load_translator(params, name, folder))
    forced = text.force_set("test").links
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
            assert reading.of_links() == reading
            assert f"the {step} step, which the outside aligner's links of test" in reading.why
    reading = choose_reading(text, "test", NO_SILVER)  # the aligner linked nothing
    assert (reading.chosen, reading.decided_by) == (reading.authors, None)
    assert reading.of_links().why == (
        f"the {reading.authors} step, which is the authors' step: {NOTHING_CHOSE}"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("local_p", [(0, 0), (3, 4), (4, 3)]),
        ("german", [(0, 0), (3, 4), (4, 3)]),  # it reads German, so its links are turned around
        ("subwords", [(0, 0), (3, 4), (4, 3)]),
        ("gru", [(0, 0), (3, 4), (4, 3)]),
    ],
)
def test_silver_links_are_of_the_words_that_a_system_reads(
    params, folder, tmp_path, monkeypatch, name, expected
):
    """The development set has five tokens on either side; gold links are never looked at."""
    shutil.copytree(folder / "data", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    layout = Layout("demo")
    write_lines(layout.dictionary / "dev.links", ["0-0 3-4 4-3"])
    write_lines(layout.tokens / "dev.links", ["0-1"])
    assert silver_links(params, name) == [expected]
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


@pytest.mark.parametrize("name", ["subwords", "german"])
def test_the_stage_chooses_by_the_links_of_a_set_that_is_also_aligned(
    params, folder, tmp_path, monkeypatch, name
):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    values = yaml.safe_load(Path("params.yaml").read_text())
    values["sets"] |= {"dev": "test", "tests": ["dev"], "aligned": ["test"]}
    Path("params.yaml").write_text(yaml.safe_dump(values))
    layout, (source, _) = Layout("demo"), params.sides(name)
    forced = load_translator(load_params("params.yaml"), name).force_set("test").links
    dictionary = layout.dictionary_file(*params.sides(name))
    words = {word for line in ENGLISH["test"] + GERMAN["test"] for word in line.split()}
    write_lines(dictionary, [f"{word}\t-\t1.000000\t1" for word in sorted(words)])
    for step in STEPS:
        lines = [flipped(links) if source == "de" else links for links in forced[step]]
        write_lines(layout.dictionary / "test.links", map(format_links, lines))
        shutil.rmtree(layout.translations(name))
        load_stage("translate").main(Path("params.yaml"), name)
        reading = load_reading(params, name)
        assert (reading.chosen, reading.decided_by, reading.aer[step]) == (step, "aligner", 0)


def written(path: Path, **changes: Any) -> Reading:
    """Write a reading of today's form, changed, and read it."""
    values = OLD | {"aer": {"same": 0.5, "next": 0.25}, "decided_by": "unknown words"} | changes
    write_json(path, {key: value for key, value in values.items() if value != "missing"})
    return Reading.model_validate(json.loads(path.read_text()))


TIE = {"hits": {"same": 4, "next": 4}, "chosen": "next", "decided_by": "aligner"}
EQUAL = TIE | {"aer": {"same": 0.5, "next": 0.5}, "chosen": "same", "decided_by": None}


@pytest.mark.parametrize(
    ("changes", "decided_by"), [({}, "unknown words"), (TIE, "aligner"), (EQUAL, None)]
)
def test_a_file_says_what_decided_and_comes_back_whole(tmp_path, changes, decided_by):
    reading = written(tmp_path / "reading.json", **changes)
    assert reading.decided_by == decided_by
    assert Reading.model_validate(reading.model_dump()) == reading
    assert json.loads((tmp_path / "reading.json").read_text()) == reading.model_dump()


def test_files_of_older_code_are_read(tmp_path):
    """They name neither error rates nor what decided, which could only be the hits."""
    old = {"aer": "missing", "decided_by": "missing"}
    words = written(tmp_path / "a", **old)
    assert words.decided_by == "unknown words"
    assert (
        words.of_links() == words
    )  # the links of either step were not compared with the aligner's
    tie = written(tmp_path / "b", hits={"same": 4, "next": 4}, chosen="same", **old)
    assert (tie.decided_by, tie.aer) == (None, None)
    for path in sorted((ROOT / "weights").glob("*/translations/*/*/reading.json")):
        assert Reading.model_validate(json.loads(path.read_text())).decided_by == "unknown words"
