"""The command ``attnmt align``: links of sentence pairs of one's own."""

import html
from functools import partial
from pathlib import Path

import pytest
from small_experiment import ENGLISH, GERMAN
from small_project import ROOT, Command

from attnmt.config import Params
from attnmt.corpora.links import Links, flipped, format_links
from attnmt.decoding.pipeline import load_translator
from attnmt.files.text_file import read_lines, write_lines
from attnmt.layout import Layout


@pytest.fixture
def attnmt(
    attnmt: Command, params: Params, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Return a function that runs ``attnmt align`` on the tokens of the experiment's test set."""
    monkeypatch.chdir(folder)
    sides = ("test.en", "test.de")
    for side in sides:  # what align escapes, tokens have escaped already
        tokens = read_lines(Layout(params.experiment).tokens / side)
        write_lines(Path(side), map(html.unescape, tokens))
    return partial(attnmt, "align", *sides, "--tokenized")


def links_of(params: Params, name: str) -> list[Links]:
    """Return the links of the set by the model itself, from the experiment's source to its target."""
    links = load_translator(params, name).force_decode_set("test").links
    return [flipped(line) for line in links] if name == "german" else links


@pytest.mark.parametrize("name", ["local_p", "subwords", "german", "ensemble"])
def test_links_are_those_of_the_set_itself(attnmt, params, name):
    status, out, _ = attnmt("--model", name)
    assert (status, out.split("\n")[:-1]) == (0, [*map(format_links, links_of(params, name))])


def test_links_count_the_words_that_are_given_also_if_the_first_are_not_read(attnmt, params):
    status, out, err = attnmt("-m", "gru")
    sides = [
        [len(line.split()) for line in read_lines(Path(f"test.{code}"))] for code in ("en", "de")
    ]
    moved = [
        [(i + max(0, source - 5), j + max(0, target - 5)) for i, j in line]
        for line, source, target in zip(links_of(params, "gru"), *sides, strict=True)
    ]
    assert (status, out.split("\n")[:-1]) == (0, [*map(format_links, moved)])
    for side in sides:
        assert f" {sum(max(0, count - 5) for count in side)} first words " in err


@pytest.mark.parametrize("name", ["local_p", "german", "subwords"])
def test_plain_text_is_linked_as_the_set_is_whose_text_it_is(attnmt, params, name):
    """The tokens that the links count follow them."""
    align, raw = attnmt.func, [Path("raw.en"), Path("raw.de")]
    for path, text in zip(raw, (ENGLISH, GERMAN), strict=True):
        write_lines(path, text["test"])
    links = map(format_links, links_of(params, name))
    tokens = (read_lines(Layout("demo").tokens / f"test.{code}") for code in ("en", "de"))
    expected = ["\t".join(row) for row in zip(links, *tokens, strict=True)]
    status, out, _ = align("align", *map(str, raw), "-m", name)
    assert (status, out.splitlines()) == (0, expected)


def test_packed_weights_link_words(attnmt):
    weights = ("--weights", str(ROOT / "weights/demo"))
    Path("pairs.tsv").write_text("He can read.\tEr kann lesen.\n")
    pairs = str(Path("pairs.tsv").resolve())
    status, out, err = attnmt.func("align", pairs, *weights)
    assert (status, err) == (0, "")
    assert out.endswith("\tHe can read .\tEr kann lesen .\n")


def test_a_model_without_attention_is_refused(attnmt):
    status, out, err = attnmt("-m", "plain")
    assert (status, out) == (2, "")
    assert "--model: plain has no attention" in err
