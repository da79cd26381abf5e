"""Dictionaries counted from links, and the stage that writes them."""

import json

import pytest
from small_project import Project

from attnmt.corpora.links import read_links
from attnmt.text.dictionary import read_dictionary, write_dictionary

ENGLISH = "a dog\na cat\nthe dog\nthe cat\n"
GERMAN = "ein Hund\neine Katze\nder Hund\ndie Katze\n"


@pytest.fixture
def tokens(project) -> Project:
    """Return a small project with tokens; only its test set has some of the words and links."""
    project.params["sets"]["tests"] = ["dev2"]
    project.tokens.mkdir(parents=True)
    for name, text in {
        "train.en": ENGLISH * 3,
        "train.de": GERMAN * 3,
        "dev.en": "the cat\n\na cat\n",
        "dev.de": "die Katze\nVogel\nKatze eine\n",
        "test.en": "a bird\n" * 4 + "the dog\n",
        "test.de": "ein Vogel\n" * 4 + "Hund der\n",
        "test.links": "0-0 1-1\n" * 4 + "0-1 1?0\n",
    }.items():
        (project.tokens / name).write_text(text)
    return project


def test_a_dictionary_is_written_in_order_and_read_back(tmp_path):
    links = {("a", "Y"): 6, ("a", "X"): 3, ("a", "Z"): 1, ("ä", "Z"): 2, ("Z", "b"): 2}
    for name, side in (("l", 0), ("back", 1)):
        write_dictionary(tmp_path / name, {**links, ("Z", "a"): 2}, 2, side=side)
    assert (tmp_path / "l").read_text() == (
        "Z\ta\t0.500000\t2\nZ\tb\t0.500000\t2\n"
        "a\tY\t0.600000\t6\na\tX\t0.300000\t3\nä\tZ\t1.000000\t2\n"
    )
    assert (tmp_path / "back").read_text() == (
        "X\ta\t1.000000\t3\nY\ta\t1.000000\t6\nZ\tä\t0.666667\t2\n"
        "a\tZ\t1.000000\t2\nb\tZ\t1.000000\t2\n"
    )
    dictionary = read_dictionary(tmp_path / "l")
    assert (len(dictionary), list(dictionary)) == (3, ["Z", "a", "ä"])
    assert [dictionary.get(word) for word in ("a", "Z", "ä", "b")] == ["Y", "a", "Z", None]


def test_in_lower_case_equal_words_are_counted_together(tmp_path):
    links = {("See", "lake"): 3, ("see", "Lake"): 2, ("see", "sea"): 3, ("SEE", "sea"): 1}
    write_dictionary(tmp_path / "l", links, 1, side=0)
    assert read_dictionary(tmp_path / "l")["See"] == "lake"
    dictionary = read_dictionary(tmp_path / "l", lowercase=True)
    assert (dictionary.get("see"), dictionary.get("See"), len(dictionary)) == ("lake", None, 1)


def test_the_stage_writes_dictionaries_and_links(tokens):
    """One aligned set has gold links, the other none."""
    tokens.params["sets"]["aligned"] = ["test", "dev2"]
    (tokens.tokens / "dev2.en").write_text("a dog\n")
    (tokens.tokens / "dev2.de").write_text("Hund ein\n")
    printed = tokens.succeed("dictionary")
    assert printed.startswith("24 links of 6 pairs of words by Thot ")
    en_de, de_en = (read_dictionary(tokens.dictionary / f"{k}.tsv") for k in ("en-de", "de-en"))
    assert [en_de.get(word) for word in ("cat", "dog")] == ["Katze", "Hund"]
    assert [de_en.get(word) for word in ("Katze", "die", "eine")] == ["cat", "the", "a"]
    assert en_de.get("bird") is None  # links of the aligned set are not counted
    result = json.loads((tokens.dictionary / "aligner.json").read_text())
    computed = read_links(tokens.dictionary / "test.links")
    assert [line.sure for line in computed[:4]] == [[(0, 0), (1, 1)]] * 4
    assert result.pop("system").startswith("Thot ")
    assert result == {"pairs": 12, "parts": 1, "min_count": 1}
    assert read_links(tokens.dictionary / "dev2.links")[0].sure == [(0, 1), (1, 0)]
    dev = [line.sure for line in read_links(tokens.dictionary / "dev.links")]
    assert dev == [[(0, 0), (1, 1)], [], [(0, 1), (1, 0)]]
    first = tokens.outputs()
    tokens.succeed("dictionary")
    assert tokens.outputs() == first


def test_all_parts_of_a_text_that_is_aligned_in_parts_are_counted(tokens):
    """A word counts that occurs three times, twice beyond the pairs that are aligned at once."""
    common, rare = "a b c\n", "a b rare\n"
    lines = [common] * 20 + [rare] * 3 + [common] * 7
    for language, text in (("en", "".join(lines)), ("de", "".join(lines).upper())):
        (tokens.tokens / f"train.{language}").write_text(text)
    tokens.params["dictionary"] |= {"max_pairs": 10, "min_count": 3}
    assert tokens.succeed("dictionary").startswith("90 links of 4 pairs")
    assert json.loads((tokens.dictionary / "aligner.json").read_text())["parts"] == 3
    en_de, de_en = (read_dictionary(tokens.dictionary / f"{k}.tsv") for k in ("en-de", "de-en"))
    assert (en_de.get("rare"), de_en.get("RARE")) == ("RARE", "rare")
    assert sorted(path.name for path in tokens.dictionary.iterdir()) == [
        *("aligner.json", "de-en.tsv", "dev.links", "en-de.tsv", "test.links"),
    ]
