"""From the ids of a search to words and their links, for a family of words and one of pieces."""

from pathlib import Path
from typing import get_args

import pytest
from other_languages import languages
from small_project import load_stage

from attnmt.config import Encoding, LinkStep, ModelShape, Sets, System
from attnmt.decoding.batched import translate
from attnmt.decoding.forced import force
from attnmt.decoding.search import Search
from attnmt.decoding.text_translator import TextTranslator
from attnmt.model.translator import ModelConfig, Translator
from attnmt.text.dictionary import Dictionary
from attnmt.text.encode import encode_sets
from attnmt.text.encoded import EncodedSets
from attnmt.text.pieces import join_pieces, words_of_pieces

ENGLISH = ["the old house is older", "a house is a house", "the houses are oldest", "old houses"]
GERMAN = ["das alte Haus ist älter", "ein Haus ist ein Haus", "die Häuser sind alt", "alte Häuser"]
LANGUAGES = languages("en English", "de German")
SETS = Sets(train="train", dev="dev", tests=["test"], aligned=["test"])
ENCODINGS = {
    "words": Encoding(vocabulary=9),
    "pieces": Encoding.model_validate({"vocabulary": 60, "pieces": {"merges": 8, "threshold": 1}}),
}


@pytest.fixture(params=ENCODINGS)
def data(request: pytest.FixtureRequest, tmp_path: Path) -> EncodedSets:
    tokens, folder = tmp_path / "tokens", tmp_path / "encoded"
    tokens.mkdir()
    folder.mkdir()
    for name in SETS.all():
        (tokens / f"{name}.en").write_text("\n".join(ENGLISH) + "\n")
        (tokens / f"{name}.de").write_text("\n".join(GERMAN) + "\n")
    encode_sets(tokens, folder, LANGUAGES, SETS, ENCODINGS[request.param])
    return EncodedSets(folder)


ATTENTION = System(attention="global", score="dot", reverse=True)
FAULTY = ATTENTION.model_copy(update={"faults": ["unmasked_padding"]})


def translator(data: EncodedSets, best: int = 1, system: System = ATTENTION) -> TextTranslator:
    shape = ModelShape(layers=1, size=6, window_D=2, location_slots=9, init=1.0)
    sizes = [len(data.vocabulary(language)) for language in ("en", "de")]
    model = Translator(ModelConfig(system, shape, *sizes))
    model.initialize(4)  # with this seed it sometimes says <unk>
    dictionary = Dictionary({"old": "alt", "house": "Haus"})
    sides, options = LANGUAGES.sides("forward"), Search(4, 20, best=best)
    return TextTranslator([model.eval()], sides, data, dictionary, options, batch_size=3)


def test_translations_are_words_with_links_of_words(data: EncodedSets) -> None:
    text = translator(data)
    vocabulary, units = data.vocabulary("de"), data.units("test", "en")
    ids = [data.text("test", "en")[i] for i in range(len(ENGLISH))]
    candidates = translate(text.models, ids, text.options, 2)
    linked_unknown = 0
    for line, translations in enumerate(text.translate_set("test")):
        best, candidate = translations[0], candidates[line][0]
        pieces = vocabulary.decode(candidate.words)
        assert best.words == (join_pieces(pieces) if data.pieces else pieces)
        # A word of the translation is linked to each word that one of its pieces looked at.
        source = words_of_pieces(units[line]) if data.pieces else range(99)
        target = words_of_pieces(pieces) if data.pieces else range(99)
        expected = {(source[i], target[j]) for j, i in enumerate(candidate.links)}
        assert best.links == sorted(expected, key=lambda link: link if data.pieces else link[::-1])
        assert all(i < len(ENGLISH[line].split()) for i, _ in best.links)
        assert best.score == pytest.approx(candidate.score, abs=1e-4)
        for j, (word, replaced) in enumerate(zip(best.words, best.replaced, strict=True)):
            if word != "<unk>":
                assert replaced == word
                continue
            linked_unknown += 1
            first = next(i for i, k in best.links if k == j)
            original = ENGLISH[line].split()[first]
            assert replaced == {"old": "alt", "house": "Haus"}.get(original, original)
    assert data.pieces or linked_unknown


def test_forced_links_are_of_words_in_every_reading(data: EncodedSets) -> None:
    text = translator(data)
    forced = text.force_set("test")
    assert list(forced.links) == ["same", "next"]
    sources, targets = (
        [data.text("test", side)[i] for i in range(len(ENGLISH))] for side in ("en", "de")
    )
    for line, (source, target) in enumerate(zip(sources, targets, strict=True)):
        (alone,) = force(text.models, [source], [target])
        assert forced.scores[line] == pytest.approx(alone.score, abs=1e-4)
        units = [data.units("test", side)[line] for side in ("en", "de")]
        word_of = [words_of_pieces(u) if data.pieces else list(range(len(u))) for u in units]
        for step, links in forced.links.items():
            expected = {(word_of[0][i], word_of[1][j]) for j, i in enumerate(alone.links(step))}
            assert set(links[line]) == expected


def test_the_reading_that_brings_back_more_words_is_chosen(data: EncodedSets) -> None:
    """This is checked by brute force with dictionaries that favor one reading, the other, or neither."""
    text = translator(data)
    forced = text.force_set("dev").links
    unknown = [
        (line, j, word)
        for line, words in enumerate(GERMAN)
        for j, word in enumerate(words.split())
        if not data.pieces and word not in data.vocabulary("de")  # every piece is known
    ]
    assert len(unknown) == (0 if data.pieces else 4)

    def linked(step: LinkStep, line: int, j: int) -> str:
        i = next(i for i, k in sorted(forced[step][line], key=lambda link: link[1]) if k == j)
        return ENGLISH[line].split()[i]

    chosen = set()
    for step in get_args(LinkStep):
        # Each word's translation is the unknown word that this reading links it to first.
        words = {linked(step, line, j): word for line, j, word in reversed(unknown)}
        text.dictionary = Dictionary(words)
        reading = text.choose_reading("dev")
        hits = {
            of: sum(words.get(linked(of, line, j)) == word for line, j, word in unknown)
            for of in get_args(LinkStep)
        }
        assert (reading.hits, reading.unknown_words) == (hits, len(unknown))
        assert (reading.set, reading.authors) == ("dev", "next")
        other = "next" if step == "same" else "same"
        assert reading.chosen == (step if hits[step] > hits[other] else "next")
        chosen.add(reading.chosen)
    assert chosen == ({"next"} if data.pieces else {"same", "next"})
    text.dictionary = Dictionary({})
    reading = text.choose_reading("dev")
    assert (reading.hits, reading.chosen) == ({"same": 0, "next": 0}, reading.authors)


def test_a_model_without_attention_links_nothing(data: EncodedSets) -> None:
    text = translator(data, system=System())
    assert text.force_set("test").links == {}
    for translations in text.translate_set("test"):
        assert translations[0].links == []
        assert translations[0].replaced == translations[0].words


def test_a_model_that_attends_to_padding_takes_one_sentence_at_a_time(data: EncodedSets) -> None:
    text = translator(data, system=FAULTY)
    together, sentences = text.translate_set("test"), data.units("test", "en")
    assert together == [text.translate([sentence])[0] for sentence in sentences]
    ids = [data.text("test", "en")[i] for i in range(len(ENGLISH))]
    in_a_batch = translate(text.models, ids, text.options, len(ids))
    scores = [best.score for (best,) in together]
    assert [c[0].score for c in in_a_batch] != pytest.approx(scores, abs=1e-3)


def test_n_best_lists_start_with_the_best_and_are_written_in_order(
    data: EncodedSets, tmp_path: Path
) -> None:
    translations = translator(data, best=3).translate_set("test")
    stage = load_stage("translate")
    stage.write_translations(tmp_path, "test", translations, 3)
    rows = [line.split(" ||| ") for line in (tmp_path / "test.nbest").read_text().splitlines()]
    best = (tmp_path / "test.out").read_text().splitlines()
    for line in range(len(ENGLISH)):
        own = [(words, float(score)) for number, words, score in rows if int(number) == line]
        assert 1 <= len(own) <= 3
        assert own[0][0] == best[line]
        scores = [score for _, score in own]
        assert scores == sorted(scores, reverse=True)
    assert len(rows) > len(ENGLISH)
    stage.write_translations(tmp_path / "one", "test", translations, 1)
    assert not (tmp_path / "one/test.nbest").exists()
