"""The preprocess stage, as a command."""

import hashlib
import json
from typing import Any

import pytest
from conftest import Project

from attnmt.data.encoded import EncodedText
from attnmt.data.vocabulary import Vocabulary


def summary(project: Project) -> Any:
    return json.loads((project.prepared / "summary.json").read_text())


def test_files(raw: Project) -> None:
    raw.succeed("preprocess")
    per_set = ["de.ids.npy", "de.offsets.npy", "de.tok", "en.ids.npy", "en.offsets.npy", "en.tok"]
    expected = [f"{name}.{end}" for name in ("dev", "test", "train") for end in per_set]
    names = sorted(path.name for path in raw.prepared.iterdir())
    assert names == sorted([*expected, "vocab.de", "vocab.en", "summary.json"])


def test_tokens_vocabulary_and_ids_agree(raw: Project) -> None:
    raw.write_raw(dev_en="A dog, a mouse's house.\n")
    raw.succeed("preprocess")
    tokens = (raw.prepared / "dev.en.tok").read_text().split()
    assert tokens == ["A", "dog", ",", "a", "mouse", "&apos;s", "house", "."]
    vocabulary = Vocabulary.load(raw.prepared / "vocab.en")
    assert vocabulary.words == ["<unk>", "<s>", "</s>", "A", "house", ",", "a", "dog", "."]
    ids = EncodedText.open(raw.prepared, "dev", "en")[0]
    assert vocabulary.decode(ids) == ["A", "dog", ",", "a", "<unk>", "<unk>", "house", "."]


def test_summary(raw: Project) -> None:
    raw.write_raw(dev_en="A dog, a mouse's house.\n")
    output = raw.succeed("preprocess")
    found = summary(raw)
    assert found["vocabulary"] == {"en": 9, "de": 9}
    assert found["sets"]["train"]["lines"] == 1
    tok = (raw.prepared / "dev.en.tok").read_bytes()
    expected = {"tokens": 8, "unknown": 0.25, "sha256": hashlib.sha256(tok).hexdigest()}
    assert found["sets"]["dev"]["en"] == expected
    assert "dev: 1 pairs; en 8 words, 25.00% unknown; de 6 words, 0.00% unknown\n" in output


def test_vocabulary_is_cut(raw: Project) -> None:
    raw.params["preprocess"]["vocabulary"] = 5
    raw.write_raw(train_en="b c b d c c\n")
    raw.succeed("preprocess")
    assert Vocabulary.load(raw.prepared / "vocab.en").words[3:] == ["c", "b"]
    assert summary(raw)["sets"]["train"]["en"]["unknown"] == pytest.approx(1 / 6)


def test_only_training_pairs_are_filtered(raw: Project) -> None:
    raw.params["preprocess"]["max_length"] = 4
    raw.write_raw(train_en="a b c d\na b c d e\na\n\na\n", train_de="1\n2\n3 3 3 3 3\n4\n \n")
    output = raw.succeed("preprocess")
    assert (raw.prepared / "train.de.tok").read_text() == "1\n"
    assert summary(raw)["sets"]["train"]["dropped"] == {"empty": 2, "long": 2}
    assert summary(raw)["sets"]["dev"]["lines"] == 1  # of six words
    assert "train: 1 pairs, 2 empty dropped, 2 long dropped;" in output


def test_text_that_is_tokenised_stays(raw: Project) -> None:
    raw.params["preprocess"] |= {"tokenise": False, "split_hyphens": True}
    raw.write_raw(train_en=" a  well ##AT##-##AT## known\u00a0x, &apos;s\n")
    raw.succeed("preprocess")
    text = (raw.prepared / "train.en.tok").read_text()
    assert text == "a well ##AT##-##AT## known x, &apos;s\n"


def test_split_hyphens(raw: Project) -> None:
    raw.params["preprocess"]["split_hyphens"] = True
    raw.write_raw(test_en="A well-known dog\n")
    raw.succeed("preprocess")
    assert (raw.prepared / "test.en.tok").read_text() == "A well @-@ known dog\n"


def test_digest_follows_the_ids(raw: Project) -> None:
    raw.succeed("preprocess")
    first = (raw.prepared / "summary.json").read_bytes()
    raw.succeed("preprocess")
    assert (raw.prepared / "summary.json").read_bytes() == first
    raw.write_raw(dev_de="Ein Hund, ein Haus.\n")
    raw.succeed("preprocess")
    assert summary(raw)["digest"] != json.loads(first)["digest"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"train_en": "a\nb\n"}, "raw/train.en has 2, data/tiny/raw/train.de has 1"),
        ({"train_en": "\n \n", "train_de": "a\nb\n"}, "raw/train.en: the file is empty"),
        ({"train_en": "a\n\n", "train_de": "\na\n"}, "no training pair is left"),
        ({"dev_en": "\nA\n", "dev_de": "Ein\nzwei\n"}, "raw/dev.en:1: no words in this line"),
        ({"dev_de": "\x01\n"}, "raw/dev.de:1: no words in this line"),
        ({"test_links": "0-0\n0-0\n"}, "raw/test.links has 2"),
        ({"test_links": "0-0 1~1\n"}, "raw/test.links:1: '1~1' is not a link"),
        ({"test_links": "0-0 6-1\n"}, "raw/test.links:1: link 6-1 lies outside the pair's 6 and 6"),
        ({"train_links": "0-0 1?6\n"}, "raw/train.links:1: link 1-6 lies outside"),
    ],
)
def test_bad_input(raw: Project, files: dict[str, str], message: str) -> None:
    raw.params["preprocess"]["max_length"] = 20
    raw.write_raw(**files)
    assert message in raw.fail("preprocess")


def test_held_out_sets_are_judged_before_the_training_text_is_tokenised(raw: Project) -> None:
    raw.write_raw(train_en="a\n", train_de="b\n", train_links="9-9\n", test_links="0-0 1~1\n")
    assert "raw/test.links:1: '1~1' is not a link" in raw.fail("preprocess")


def test_good_links(raw: Project) -> None:
    raw.write_raw(
        test_links="0-0 1?1 5-5\n", train_links="\n0-0\n", train_en="\na b\n", train_de="x\ny\n"
    )
    raw.succeed("preprocess")


def test_corpus_stage_has_not_run(project: Project) -> None:
    assert "data/tiny/raw/test.en: no such file" in project.fail("preprocess")
