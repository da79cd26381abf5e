"""The samples of attention that the stage translate writes."""

import json
from pathlib import Path

import numpy as np
import pytest
from small_experiment import make_experiment
from small_project import load_stage

from attnmt.decoding.forced_decoding import force
from attnmt.decoding.pipeline import load_translator
from attnmt.files.text_file import read_lines
from attnmt.text.pieces import join_pieces


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    """Translate with three systems of a small experiment; return the folder of the translations."""
    folder = tmp_path_factory.mktemp("experiment")
    make_experiment(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("ensemble", "subwords", "plain"):
            load_stage("translate").main(Path("params.yaml"), name)
    return folder / "translations/demo"


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["ensemble", "subwords"])
@pytest.mark.parametrize("kind", ["attention", "forced.attention"])
def test_samples_name_their_units(translated, name, kind):
    samples = read(translated / name / f"test.{kind}.json")
    assert [sample["line"] for sample in samples] == [0, 1, 3]
    family = {"ensemble": "words", "subwords": "pieces"}[name]
    encoded = translated.parents[1] / "data/demo/encoded" / family
    sources, references = (read_lines(encoded / f"test.{side}.tok") for side in ("en", "de"))
    translations = read_lines(translated / name / "test.out", may_be_blank=True)
    for sample in samples:
        line, target = sample["line"], sample["target"]
        assert sample["source"] == sources[line].split()
        assert target[-1] == "</s>"
        assert np.shape(sample["weights"]) == (len(target), len(sample["source"]))
        if kind == "attention":
            words = join_pieces(target[:-1]) if name == "subwords" else target[:-1]
            assert words == translations[line].split()
        else:
            assert target[:-1] == references[line].split()


def test_samples_hold_the_weights_of_the_translations(translated):
    project = translated.parents[1]
    params = make_experiment(project.parent / "again")  # the same, to the byte
    text = load_translator(params, "ensemble", project)
    translations = text.translate_set("test")
    sources = text.data.text("test", "en")
    for sample in read(translated / "ensemble/test.attention.json"):
        line = sample["line"]
        ids = np.array(translations[line][0].ids, dtype=np.int32)
        (forced,) = force(text.models, [sources[line]], [ids])
        np.testing.assert_allclose(sample["weights"], forced.weights, atol=1e-4)
