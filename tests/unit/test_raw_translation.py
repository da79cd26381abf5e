"""Raw text to plain translations, against what the stages write for the same text."""

import shutil

import pytest
from made_records import metrics
from small_experiment import ENGLISH, GERMAN

from attnmt.decoding.pipeline import TranslationPipeline, load_translator
from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.layout import Layout
from attnmt.text.tokenizer import MosesTokenizer
from attnmt.training.best_model import best_model

NAMES = ["local_p", "plain", "german", "subwords", "gru", "ensemble"]


@pytest.fixture(scope="module")
def translators(params, folder) -> dict[str, TranslationPipeline]:
    return {name: load_translator(params, name, folder) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_raw_text_is_translated_as_the_stage_translates_its_ids(translators, name):
    translator = translators[name]
    raw = (GERMAN if name == "german" else ENGLISH)["test"]
    assert [translator.source.units(line) for line in raw] == translator.data.units(
        "test", translator.source.code
    )
    translated = translator.translate(raw)
    for ours, expected in zip(translated, translator.translate_set("test"), strict=True):
        assert ours[0]._replace(score=0) == expected[0]._replace(score=0)
        assert ours[0].score == pytest.approx(expected[0].score, abs=1e-4)


def test_unknown_words_are_replaced_and_text_is_plain(translators):
    moses = MosesTokenizer("de", split_hyphens=False)
    unknown = 0
    for best, *_ in translators["ensemble"].translate(ENGLISH["test"]):
        unknown += "<unk>" in best.words
        assert "<unk>" not in best.replaced
        assert best.text == moses.detokenize(best.replaced)
        assert "&" not in best.text.replace(" & ", "")
        assert "@-@" not in best.text
        assert all(i < len(best.source) and j < len(best.words) for i, j in best.links)
    assert unknown


def test_lines_without_words_stay_empty_in_their_place(translators):
    translated = translators["local_p"].translate(["", "The house.", " \t", "Gardens!"])
    assert [bool(one[0].words) for one in translated] == [False, True, False, True]
    assert translated[0] == translated[2]
    assert translated[0][0].text == ""
    assert translators["gru"].translate([]) == []
    assert translators["gru"].translate([""])[0][0].source == []


def test_a_missing_file_is_named_with_what_makes_it(params, folder, tmp_path):
    def refused(name: str) -> str:
        with pytest.raises(InputError) as error:
            load_translator(params, name, tmp_path)
        return str(error.value).removeprefix(f"{tmp_path}/")

    all_of_it = "no such file; to train {0} and all that it needs: dvc repro {1}@{0}"
    summary = "data/demo/encoded/pieces/summary.json: "
    assert refused("subwords") == summary + all_of_it.format("subwords", "translate")
    shutil.copytree(folder / "data", tmp_path / "data")
    weights = "models/demo/local_p/weights.safetensors: "
    assert refused("ensemble") == weights + all_of_it.format("ensemble", "ensemble")
    shutil.copytree(folder / "models", tmp_path / "models")
    offset = "translations/demo/local_p/offset.json: "
    assert refused("local_p") == offset + all_of_it.format("local_p", "translate")
    load_translator(params, "plain", tmp_path)  # without attention there is no offset


def test_the_best_model_has_the_lowest_perplexity_of_all_that_read_the_same_units(
    params, folder, tmp_path
):
    assert best_model(params, folder) == "local_p"
    with pytest.raises(InputError, match="no forward model is trained"):
        best_model(params, tmp_path)
    perplexity = {"plain": 5.0, "local_p_3": 4.0, "german": 2.0, "subwords": 3.0, "gru": 1.0}
    layout = Layout(params.experiment, tmp_path)
    for name, value in perplexity.items():
        write_json(layout.model(name) / "metrics.json", metrics(dev_perplexity=value))
    assert best_model(params, tmp_path) == "local_p_3"
    words = params.families["words"]
    big = words.model_copy(update={"shape": words.shape.model_copy(update={"size": 9})})
    plain = params.trainings["plain"].model_copy(update={"family": "big"})
    changes = {"families": params.families | {"big": big}}
    other = params.model_copy(update=changes | {"trainings": params.trainings | {"plain": plain}})
    write_json(layout.model("plain") / "metrics.json", metrics(dev_perplexity=3.5))
    assert best_model(other, tmp_path) == "plain"
    subwords_first = params.model_copy(update={"systems": ["subwords", "plain"]})
    assert best_model(subwords_first, tmp_path) == "subwords"
