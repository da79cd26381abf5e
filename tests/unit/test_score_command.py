"""The command ``attnmt score``: log p of given translations, and their perplexity."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from small_experiment import ENGLISH, GERMAN
from small_project import ROOT, Command

from attnmt.commands import input_lines
from attnmt.config import Params
from attnmt.decoding.pipeline import load_translator
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


@pytest.mark.parametrize("weights", ["demo", "captions-strong"])
def test_numbers_are_those_of_translate_for_its_own_translations(attnmt, weights):
    """An n-best list, in which only known words stand, gets the numbers that it has."""
    folder = ("--weights", str(ROOT / "weights" / weights))
    sentences = {
        "demo": ["Trosto visits a woman every day.", "The old house is small."],
        "captions-strong": ["A man rides his bicycle.", "Two children are playing in the park."],
    }[weights]
    listed = attnmt("translate", *sentences, *folder, "--n-best", "4", "--scores")[1].splitlines()
    lines, texts, scores = zip(*(row.split("\t") for row in listed), strict=True)
    assert len(scores) == 8
    pairs = columns([sentences[int(line)] for line in lines], list(texts))
    status, output, _ = attnmt("score", *folder, stdin=pairs)
    assert status == 0
    assert output.splitlines() == list(scores)


def test_two_files_and_a_tsv_give_the_same(score, monkeypatch):
    numbers, said = score("test.en", "test.de")[1:]
    assert score(stdin=columns(RAW, REFERENCES))[1:] == (numbers, said)
    Path("pairs.tsv").write_bytes(columns(RAW, REFERENCES))
    assert score("pairs.tsv")[1:] == (numbers, said)
    monkeypatch.setattr(input_lines, "CHUNK", 2)
    assert score("test.en", "test.de")[1:] == (numbers, said)
    # A line without words has the score of its empty translation, and is no part of the perplexity.
    longer = columns([*RAW, ""], [*REFERENCES, ""])
    status, output, longer_said = score(stdin=longer)
    assert (status, output) == (0, f"{numbers}0.0000\n")
    assert longer_said == said.replace("5 pairs", "6 pairs")
    assert "some: 1 target; only </s>" in score(stdin=columns(RAW, [*REFERENCES[:4], ""]))[2]


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["test.en"], b"", "test.en:1: not two columns"),
        (["test.en", "short.de"], b"", "test.en has 5, short.de has 1"),
        (["tset.en", "test.de"], b"", "tset.en: no such file"),
        ([], b"a\tb\na b\n", "standard input:2: not two columns"),
        ([], b" \tb\n", "standard input:1: the source has no words, and the target has"),
        ([], b"\t\n", "nothing to score: no source has words"),
        (["--model", ""], b"a\tb\n", "params.yaml: no model or ensemble ''"),
        (["--weights", "w", "--model", ""], b"a\tb\n", "--weights: w has a model of its own"),
    ],
)
def test_what_cannot_be_scored_is_refused(score, arguments, stdin, message):
    Path("short.de").write_text("ein Haus\n")
    status, _, error = score(*arguments, stdin=stdin)
    assert status == 2
    assert message in error
    assert "Traceback" not in error


@pytest.mark.parametrize("command", ["score", "align"])
def test_unknown_words_are_counted(attnmt, command):
    """The demo's model, whose vocabulary is a language's, and not the sixteen words of a test."""
    english, german = "The old house is small.", "Das alte Haus ist klein."
    weights = ("--weights", str(ROOT / "weights/demo"))

    def said(source: str, target: str) -> list[str]:
        return attnmt(command, *weights, stdin=columns([source], [target]))[2].splitlines()

    assert not [line for line in said(english, german) if "unknown" in line]
    notes = [line for line in said(german, english) if "unknown" in line]
    assert [line.partition(" of 6")[0] for line in notes] == [
        "note: unknown words of en: 5",
        "note: unknown words of de: 5",
    ]
