"""The dictionaries that are counted from links, and the stage that writes them."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from small_project import Project

from attnmt.data.lexicon import Lexicon, count_links, write_lexicon
from attnmt.data.links import read_links
from attnmt.data.parallel import spread_pairs
from attnmt.errors import InputError
from attnmt.metrics.aer import aer

ENGLISH = "a dog\na cat\nthe dog\nthe cat\n"
GERMAN = "ein Hund\neine Katze\nder Hund\ndie Katze\n"


@pytest.fixture
def tokens(project: Project) -> Project:
    """Return a small project with tokens; its test set has words and links that no other set has."""
    project.params["sets"]["tests"] = ["dev2"]
    project.params["corpus"]["sizes"]["dev2"] = 1
    project.tokens.mkdir(parents=True)
    for name, text in {
        "train.en": ENGLISH * 3,
        "train.de": GERMAN * 3,
        "test.en": "a bird\n" * 4 + "the dog\n",
        "test.de": "ein Vogel\n" * 4 + "Hund der\n",
        "test.links": "0-0 1-1\n" * 4 + "0-1 1?0\n",
    }.items():
        (project.tokens / name).write_text(text)
    return project


def test_count_links() -> None:
    pairs = [(["a", "b"], ["A", "B"]), (["b"], ["B"]), (["a"], [])]
    assert count_links(pairs, [[(0, 1), (1, 1)], [(0, 0)], []]) == {("a", "B"): 1, ("b", "B"): 2}
    with pytest.raises(ValueError, match="shorter"):
        count_links(pairs, [[]])


def test_file(tmp_path: Path) -> None:
    links = Counter({("a", "X"): 6, ("a", "Y"): 3, ("a", "Z"): 1, ("ä", "Z"): 2, ("Z", "b"): 2})
    links["Z", "a"] = 2
    write_lexicon(tmp_path / "l", links, min_count=2)
    assert (tmp_path / "l").read_text() == (
        "Z\ta\t0.500000\t2\nZ\tb\t0.500000\t2\n"
        "a\tX\t0.600000\t6\na\tY\t0.300000\t3\nä\tZ\t1.000000\t2\n"
    )
    lexicon = Lexicon.load(tmp_path / "l")
    assert len(lexicon) == 3
    assert [lexicon.best(word) for word in ("a", "Z", "ä", "b")] == ["X", "a", "Z", None]


def test_lower_case_counts_words_together(tmp_path: Path) -> None:
    links = {("See", "lake"): 3, ("see", "Lake"): 2, ("see", "sea"): 3, ("SEE", "sea"): 1}
    write_lexicon(tmp_path / "l", links, min_count=1)
    assert Lexicon.load(tmp_path / "l").best("See") == "lake"
    lexicon = Lexicon.load(tmp_path / "l", lowercase=True)
    assert (lexicon.best("see"), lexicon.best("See"), len(lexicon)) == ("lake", None, 1)


def test_bad_file(tmp_path: Path) -> None:
    (tmp_path / "l").write_text("a\tX\t1.0\t2\na X\n")
    with pytest.raises(InputError, match="l:2: 1 fields separated by tabs, not 4 with a count"):
        Lexicon.load(tmp_path / "l")


@pytest.mark.parametrize("most", [1, 3, 7, 10, 99])
def test_pairs_are_spread_evenly(tmp_path: Path, most: int) -> None:
    (tmp_path / "e").write_text("".join(f"e {k}\n" for k in range(10)))
    (tmp_path / "f").write_text("".join(f"f {k}\n" for k in range(10)))
    pairs = list(spread_pairs(tmp_path / "e", tmp_path / "f", most))
    assert len(pairs) == min(most, 10)
    assert all(e[1] == f[1] for e, f in pairs)
    assert pairs[-1][0] == ["e", "9"]
    steps = {int(b[0][1]) - int(a[0][1]) for a, b in pairwise(pairs)}
    assert not steps or max(steps) - min(steps) <= 1


def test_stage(tokens: Project) -> None:
    printed = tokens.succeed("lexicon")
    assert printed.startswith("24 links of 6 pairs of words; Thot ")
    en_de, de_en = (Lexicon.load(tokens.lexicon / f"{k}.tsv") for k in ("en-de", "de-en"))
    assert [en_de.best(word) for word in ("cat", "dog")] == ["Katze", "Hund"]
    assert [de_en.best(word) for word in ("Katze", "die", "eine")] == ["cat", "the", "a"]
    result = json.loads((tokens.lexicon / "aligner.json").read_text())
    own, gold = (read_links(k / "test.links") for k in (tokens.lexicon, tokens.tokens))
    assert [line.sure for line in own[:4]] == [[(0, 0), (1, 1)]] * 4
    assert result.pop("system").startswith("Thot ")
    rate = aer([g.sure for g in own], [g.sure for g in gold], [g.possible for g in gold])
    assert result == {"set": "test", "lines": 5, "aer": rate, "sure": 9, "possible": 10}


def test_the_aligned_set_is_learned_from_but_not_counted(tokens: Project) -> None:
    tokens.params["lexicon"]["min_count"] = 1
    tokens.succeed("lexicon")
    assert Lexicon.load(tokens.lexicon / "en-de.tsv").best("bird") is None
    assert read_links(tokens.lexicon / "test.links")[0].sure == [(0, 0), (1, 1)]


def test_stage_is_deterministic(tokens: Project) -> None:
    tokens.succeed("lexicon")
    first = tokens.outputs()
    tokens.succeed("lexicon")
    assert tokens.outputs() == first


def test_a_part_of_the_training_text(tokens: Project) -> None:
    tokens.params["lexicon"] |= {"max_pairs": 6, "min_count": 1}
    assert tokens.succeed("lexicon").startswith("12 links")


def test_no_gold_links(tokens: Project) -> None:
    (tokens.tokens / "test.links").unlink()
    assert "no gold links" in tokens.succeed("lexicon")
    result = json.loads((tokens.lexicon / "aligner.json").read_text())
    assert (result["aer"], result["sure"], result["possible"]) == (None, 0, 0)
    assert len(read_links(tokens.lexicon / "test.links")) == 5


def test_gold_links_of_another_text(tokens: Project) -> None:
    (tokens.tokens / "test.links").write_text("0-0\n")
    message = tokens.fail("lexicon")
    assert "test.links: 1 lines where the text has 5; run the tokenise stage again" in message


def test_tokenise_has_not_run(project: Project) -> None:
    assert "tokens/test.en: no such file" in project.fail("lexicon")


def test_nothing_is_frequent_enough(tokens: Project) -> None:
    tokens.params["lexicon"]["min_count"] = 100
    tokens.succeed("lexicon")
    assert len(Lexicon.load(tokens.lexicon / "en-de.tsv")) == 0
