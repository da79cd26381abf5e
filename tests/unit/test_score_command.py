"""The command ``attnmt score``: log p of given translations, and their perplexity."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from small_experiment import ENGLISH, GERMAN, SEEDS
from small_project import ROOT, Command

from attnmt.commands import input_lines
from attnmt.commands.pairs import pairs_given
from attnmt.config import Language, Params
from attnmt.decoding.pipeline import load_translator
from attnmt.errors import InputError
from attnmt.text.batches import pad_source
from attnmt.text.vocabulary import BOS, EOS

RAW, REFERENCES = ENGLISH["test"], GERMAN["test"]


@pytest.fixture
def score(
    attnmt: Command, params: Params, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Return a function that runs ``attnmt score`` in the experiment's project."""
    monkeypatch.chdir(folder)
    Path("test.en").write_text("\n".join(RAW))
    Path("test.de").write_text("\n".join(REFERENCES))
    return partial(attnmt, "score")


def columns(sources: list[str], targets: list[str]) -> bytes:
    rows = zip(sources, targets, strict=True)
    return "".join(f"{source}\t{target}\n" for source, target in rows).encode()


@pytest.mark.parametrize("name", ["local_p", "plain", "subwords", "gru"])
def test_numbers_are_those_of_the_model_itself(score, params, folder, name):
    """Compared with cross-entropy by torch over the logits, one sentence at a time."""
    translator = load_translator(params, name, folder)
    (model,), costs, words = translator.models, [], 0
    for source, target in zip(RAW, REFERENCES, strict=True):
        read, wanted = (
            reader.ids(reader.units(line))
            for reader, line in ((translator.source, source), (translator.target, target))
        )
        ids = torch.from_numpy(wanted).long()
        given, next_words = (
            torch.cat(pair) for pair in (([torch.tensor([BOS]), ids]), ([ids, torch.tensor([EOS])]))
        )
        with torch.no_grad():
            h_tilde, _ = model(*pad_source([read], model.config.system.reverse), given[None])
            logits = model.logits(h_tilde[0])
        costs.append(torch.nn.functional.cross_entropy(logits, next_words, reduction="sum").item())
        words += len(next_words)
    status, output, said = score("test.en", "test.de", "--model", name)
    assert status == 0
    assert list(map(float, output.splitlines())) == pytest.approx([-c for c in costs], abs=2e-4)
    perplexity = float(re.search(r"^perplexity (\S+): 5 pairs", said, re.MULTILINE)[1])
    assert perplexity == pytest.approx(np.exp(sum(costs) / words), rel=1e-4)


@pytest.mark.parametrize("weights", ["demo", "multi30k"])
def test_numbers_are_those_of_translate_for_its_own_translations(attnmt, weights):
    """An n-best list, in which only known words stand, gets the numbers that it has."""
    folder = ("--weights", str(ROOT / "weights" / weights))
    sentences = {
        "demo": ["Trosto visits a woman every day.", "The old house is small."],
        "multi30k": ["A man rides his bicycle.", "Two children are playing in the park."],
    }[weights]
    listed = attnmt("translate", *sentences, *folder, "--n-best", "4", "--scores")[1].splitlines()
    lines, texts, scores = zip(*(row.split("\t") for row in listed), strict=True)
    assert len(scores) == 8
    pairs = columns([sentences[int(line)] for line in lines], list(texts))
    status, output, _ = attnmt("score", *folder, stdin=pairs)
    assert status == 0
    assert output.splitlines() == list(scores)


def test_two_files_two_sentences_and_columns_give_the_same(score, monkeypatch):
    numbers, said = score("test.en", "test.de")[1:]
    assert score(stdin=columns(RAW, REFERENCES))[1:] == (numbers, said)
    monkeypatch.setattr(input_lines, "CHUNK", 2)
    assert score("test.en", "test.de")[1:] == (numbers, said)
    assert score(RAW[0], REFERENCES[0])[1] == f"{numbers.splitlines()[0]}\n"
    # A line without words has the score of its empty translation, and is no part of the perplexity.
    longer = columns([*RAW, ""], [*REFERENCES, ""])
    status, output, longer_said = score(stdin=longer)
    assert (status, output) == (0, f"{numbers}0.0000\n")
    assert longer_said == said.replace("5 pairs", "6 pairs")
    assert "some: 1 target; only </s>" in score(stdin=columns(RAW, [*REFERENCES[:4], ""]))[2]


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["test.en"], b"", "TARGET: missing; give both sides, or two columns on"),
        (["test.en", "A house."], b"", "test.en has 5, text has 1; get a complete copy"),
        (["tset.en", "test.de"], b"", "tset.en: no such file; correct the name. If it is a sent"),
        (["tset", "test.de"], b"", "tset: no such file"),  # beside a file
        (["tset.en", "tset.de"], b"", "tset.en: no such file"),
        (["house", "tset.de.gz"], b"", "tset.de.gz: no such file"),
        (["text/tset", "Haus"], b"", "text/tset: no such file"),
        (["my text/tset.en", "Ein Haus."], b"", "my text/tset.en: no such file"),
        (["my text", "Mein Text."], b"", "my text: this is a folder; name a file"),
        ([], b"a\tb\na b\n", "standard input:2: 1 column; write a source, a tab and its"),
        ([], b" \tb\n", "standard input:1: the source has no words, and the target has"),
        ([], b"\t\n", "nothing to score: no source has words"),
        (
            ["--max-characters", "5"],
            b"a\tb\nabcdef\tb\n",
            "standard input:2: 6 characters, and a line",
        ),
        (["--model", ""], b"a\tb\n", "params.yaml: no model or ensemble ''"),
        (["--weights", "w", "--model", ""], b"a\tb\n", "--weights: w has a model of its own"),
    ],
)
def test_what_cannot_be_scored_is_refused(score, arguments, stdin, message):
    Path("my text").mkdir(exist_ok=True)
    status, _, error = score(*arguments, stdin=stdin)
    assert status == 2
    assert message in error
    assert "Traceback" not in error


def test_an_ensemble_scores_as_one(score, params, folder):
    assert len(SEEDS) > 1
    expected = load_translator(params, "ensemble", folder).force_set("test").scores
    output = score("test.en", "test.de", "--model", "ensemble")[1]
    assert list(map(float, output.splitlines())) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Gardens!", "Gärten!"),
        ("Gardens", "Die Gärten."),
        ("and/or", "und / oder"),
        ("Gardens", ""),
    ],
)
def test_a_sentence_needs_no_space(score, source, target):
    assert score(source, target)[:2] == score(stdin=columns([source], [target]))[:2]


def test_characters_with_a_slash_are_a_sentence_and_a_mistyped_file_is_none():
    thai = Language(code="th", name="Thai", tokenize="characters")
    chinese = Language(code="zh", name="Chinese", tokenize="characters")
    given = pairs_given("และ/หรือ", "和/或", 100, (thai, chinese))
    assert [(pair.source.text, pair.target.text) for pair in given.items] == [("และ/หรือ", "和/或")]
    with pytest.raises(InputError, match=r"^tset\.th: no such file"):
        pairs_given("tset.th", "tset.zh", 100, (thai, chinese))


@pytest.mark.parametrize("command", ["score", "align"])
def test_unknown_words_are_counted_and_exchanged_files_asked_about(attnmt, score, command):
    """The demo's model, whose vocabulary is a language's, and not the sixteen words of a test."""
    pair, weights = (
        ("The old house is small.", "Das alte Haus ist klein."),
        str(ROOT / "weights/demo"),
    )
    asked = "warning: most of both sides is unknown; are source and target exchanged?"
    assert "unknown" not in attnmt(command, *pair, "--weights", weights)[2]
    said = attnmt(command, *pair[::-1], "--weights", weights)[2].splitlines()
    assert said[:3] == [
        "note: unknown words of en: 5 of 6",
        "note: unknown words of de: 5 of 6",
        asked,
    ]
    said = attnmt(command, pair[0], "The old house is small.", "--weights", weights)[2]
    assert "note: unknown words of de: 5 of 6" in said
    assert asked not in said
