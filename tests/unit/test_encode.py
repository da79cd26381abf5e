"""The encode stage, as a command."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from small_project import Project

from attnmt.text.encoded import EncodedText
from attnmt.text.pieces import join_pieces
from attnmt.text.vocabulary import Vocabulary

SETS = ("dev", "test", "train")


@pytest.fixture
def tokens(project) -> Project:
    """Return a small project with tokens, as the tokens stage would write them."""
    project.tokens.mkdir(parents=True)
    for name in SETS:
        (project.tokens / f"{name}.en").write_text("A house , a dog .\n")
        (project.tokens / f"{name}.de").write_text("Ein Haus , ein Hund .\n")
    return project


def write(project: Project, name: str, text: str) -> None:
    (project.tokens / name).write_text(text)


def encode(project: Project, **encoding: Any) -> Path:
    """Run the stage for a family with this encoding; return its folder."""
    project.params["families"]["luong"]["encoding"] = {"vocabulary": 1000} | encoding
    project.succeed("encode", "luong")
    return project.encoded / "luong"


def summary(folder: Path) -> Any:
    return json.loads((folder / "summary.json").read_text())


def test_the_stage_writes_text_vocabularies_ids_and_a_summary(tokens):
    write(tokens, "dev.en", "A dog , a mouse &apos;s house .\n")
    write(tokens, "test.links", "0-0 1?1 5-5\n")  # links are read from the tokens alone
    output = tokens.succeed("encode", "luong")
    folder = tokens.encoded / "luong"
    ends = [f"{k}.{end}" for k in ("de", "en") for end in ("ids.npy", "offsets.npy", "tok")]
    names = [f"{name}.{end}" for name in SETS for end in ends]
    names += ["vocab.de", "vocab.en", "summary.json"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    vocabulary = Vocabulary.load(folder / "vocab.en")
    assert vocabulary.words == ["<unk>", "<s>", "</s>", "A", "house", ",", "a", "dog", "."]
    ids = EncodedText.open(folder, "dev", "en")[0]
    assert vocabulary.decode(ids) == ["A", "dog", ",", "a", "<unk>", "<unk>", "house", "."]
    summed = summary(folder)
    assert summed["languages"] == ["en", "de"]
    assert summed["vocabulary"] == {"en": 9, "de": 9}
    assert summed["pieces"] is False
    assert summed["sets"]["train"]["lines"] == 1
    digest = hashlib.sha256((folder / "dev.en.tok").read_bytes()).hexdigest()
    assert summed["sets"]["dev"]["text"]["en"] == {"tokens": 8, "unknown": 0.25, "sha256": digest}
    assert output.startswith("en 9 entries; de 9 entries\n")
    assert "dev: 1 pairs; en 8 words, 25.00% unknown; de 6 words, 0.00% unknown\n" in output


def test_text_is_lower_cased_and_pieces_learned_as_the_family_asks(tokens):
    write(tokens, "train.de", "Ein HAUS , ÜBER İstanbul ΣΑΣ &amp; .\n")
    write(tokens, "train.en", "QQ qq qq XY xy xy\n")
    encoding = {"lowercase": True, "length": 3, "pieces": {"merges": 9, "threshold": 1}}
    folder = encode(tokens, **encoding)
    assert (folder / "train.en.tok").read_text() == "xy xy xy\n"
    assert "q q</w>" not in (folder / "codes").read_text()
    folder = encode(tokens, lowercase=True)
    lowered = "ein haus , über i̇stanbul σας &amp; ."
    assert (folder / "train.de.tok").read_text() == f"{lowered}\n"
    assert Vocabulary.load(folder / "vocab.de").words[3:] == lowered.split()


def test_a_long_sentence_loses_its_first_words(tokens):
    write(tokens, "test.en", "a b c d e\nf\n")
    write(tokens, "test.de", "1 2 3 4\n5 6 7 8\n")
    folder = encode(tokens, length=3)
    assert (folder / "test.en.tok").read_text() == "c d e\nf\n"
    assert (folder / "test.de.tok").read_text() == "2 3 4\n6 7 8\n"
    assert EncodedText.open(folder, "test", "de").lengths.tolist() == [3, 3]


TRAIN_EN = "the motor lower motor the lower\nmotors a lowest motor\n"
TRAIN_DE = "der motor die motoren der motor\nein motor unten\n"


def test_words_are_cut_into_pieces(tokens):
    write(tokens, "train.en", TRAIN_EN)
    write(tokens, "train.de", TRAIN_DE)
    write(tokens, "test.en", "the x@@y motorist &apos;s @-@ @@\n")
    folder = encode(tokens, pieces={"merges": 6, "threshold": 1})
    codes = (folder / "codes").read_text().splitlines()
    assert codes[1] == "t o"  # from the 8 motors of both languages together
    for name in SETS:
        for language in ("en", "de"):
            cut = [
                join_pieces(line.split())
                for line in (folder / f"{name}.{language}.tok").read_text().splitlines()
            ]
            words = (tokens.tokens / f"{name}.{language}").read_text().splitlines()
            assert cut == [line.split() for line in words]
    assert "motor" in (folder / "train.en.tok").read_text().split()
    summed = summary(folder)
    assert summed["pieces"] is True
    assert summed["sets"]["train"]["text"]["en"]["unknown"] == 0
    pieces = (folder / "train.en.tok").read_text().split()
    assert set(Vocabulary.load(folder / "vocab.en").words[3:]) == set(pieces)


def test_the_digest_changes_with_the_ids(tokens):
    folder = encode(tokens, pieces={"merges": 20, "threshold": 2})
    first, digest = tokens.outputs(), summary(folder)["digest"]
    tokens.succeed("encode", "luong")
    assert tokens.outputs() == first
    write(tokens, "dev.de", "Ein Hund , ein Haus .\n")
    tokens.succeed("encode", "luong")
    assert summary(folder)["digest"] != digest


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"dev.de": "a b</w>c\n"}, "tokens/dev.de:1: the text holds '</w>'"),
    ],
)
def test_bad_input_is_named(tokens, files, message):
    tokens.params["families"]["luong"]["encoding"]["pieces"] = {"merges": 10, "threshold": 2}
    for name, text in files.items():
        write(tokens, name, text)
    assert message in tokens.fail("encode", "luong")
