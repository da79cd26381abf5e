"""The tokens stage, as a command."""

import hashlib
import json
from typing import Any

import pytest
from small_project import Project


def summary(project: Project) -> Any:
    return json.loads((project.tokens / "summary.json").read_text())["sets"]


def test_the_stage_writes_tokens_links_and_a_summary(raw):
    raw.params["tokenize"]["split_hyphens"] = True
    raw.write_raw(dev_en="A dog, a mouse's <well-known> house.\n", test_links="0-0 1?1 5-5\n")
    output = raw.succeed("tokens")
    names = sorted(path.name for path in raw.tokens.iterdir())
    texts = [f"{name}.{language}" for name in ("dev", "test", "train") for language in ("de", "en")]
    assert names == sorted([*texts, "test.links", "summary.json"])
    assert (raw.tokens / "train.de").read_text() == "Ein Haus , ein Hund .\n"
    assert (raw.tokens / "test.links").read_text() == "0-0 1?1 5-5\n"
    text = (raw.tokens / "dev.en").read_text()
    assert text == "A dog , a mouse &apos;s &lt; well @-@ known &gt; house .\n"
    assert list(summary(raw)) == ["train", "dev", "test"]
    dev = summary(raw)["dev"]
    assert (dev["lines"], dev["dropped"]) == (1, {"empty": 0, "long": 0})
    assert dev["text"]["en"] == {"tokens": 13, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    assert "dev: 1 pairs; en 13 tokens; de 6 tokens\n" in output
    first = raw.outputs()
    raw.succeed("tokens")
    assert raw.outputs() == first


def test_only_training_pairs_are_dropped_and_their_links_with_them(raw):
    raw.params["tokenize"]["max_length"] = 4
    raw.write_raw(
        train_en="\na b c d e\na\n\na b c d\n",
        train_de="1\n2\n3 3 3 3 3\n \n4\n",
        train_links="\n4-0\n0?4\n\n3-0\n",
    )
    output = raw.succeed("tokens")
    assert (raw.tokens / "train.en").read_text() == "a b c d\n"
    assert (raw.tokens / "train.de").read_text() == "4\n"
    assert (raw.tokens / "train.links").read_text() == "3-0\n"
    assert summary(raw)["train"]["dropped"] == {"empty": 2, "long": 2}
    assert (summary(raw)["train"]["lines"], summary(raw)["train"]["text"]["en"]["tokens"]) == (1, 4)
    assert summary(raw)["dev"]["lines"] == 1  # though it has six words
    assert "train: 1 pairs, 2 empty dropped, 2 long dropped;" in output


def test_text_that_is_already_tokenized_stays(raw):
    raw.params["tokenize"]["split_hyphens"] = True
    raw.params["languages"]["source"]["tokenize"] = "none"
    raw.write_raw(train_en=" a  well ##AT##-##AT## known\u00a0x, &apos;s\n")
    raw.succeed("tokens")
    text = (raw.tokens / "train.en").read_text()
    assert text == "a well ##AT##-##AT## known x, &apos;s\n"
    assert (raw.tokens / "train.de").read_text() == "Ein Haus , ein Hund .\n"


def test_a_set_that_is_tokenized_is_escaped_and_otherwise_stays(raw):
    raw.params["sets"] = raw.params["sets"] | {"aligned": ["gold"]}
    raw.params["tokenize"]["tokenized"] = ["gold"]
    raw.write_raw(gold_en="it 's a well-known dog,\n", gold_de="ein Hund\n", gold_links="4-1 0?0\n")
    raw.succeed("tokens")
    assert (raw.tokens / "gold.en").read_text() == "it &apos;s a well-known dog,\n"
    assert (raw.tokens / "train.en").read_text() == "A house , a dog .\n"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"train_en": "a\n\n", "train_de": "\na\n"}, "no training pair is left"),
        ({"dev_en": "\nA\n", "dev_de": "Ein\nzwei\n"}, "raw/dev.en:1: no words in this line"),
        ({"test_links": "0-0 6-1\n"}, "raw/test.links:1: link 6-1 lies outside the pair's 6 and 6"),
    ],
)
def test_bad_input_is_named(raw, files, message):
    raw.params["tokenize"]["max_length"] = 20
    raw.write_raw(**files)
    assert message in raw.fail("tokens")
