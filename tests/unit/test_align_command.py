"""The command ``attnmt align``: links and error rates of sentence pairs of one's own."""

import csv
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
from attnmt.text.aer import aer


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


def rates(printed: str) -> dict[str, dict[str, str]]:
    return {row["system"]: row for row in csv.DictReader(printed.splitlines())}


@pytest.mark.parametrize("name", ["subwords", "german", "ensemble"])
def test_links_are_those_of_the_set_itself(attnmt, params, name):
    status, out, _ = attnmt("--model", name)
    assert (status, out.split("\n")[:-1]) == (0, [*map(format_links, links_of(params, name))])


@pytest.mark.parametrize("flip", [False, True])
def test_rates_are_those_of_the_links(attnmt, params, flip):
    gold = [[(0, 0), (1, 1)]] * 3 + [[(0, 0)], [(1, 2), (0, 0)]]
    write_lines(Path("gold"), (format_links(flipped(line) if flip else line) for line in gold))
    status, out, err = attnmt("-m", "local_p", "--gold", "gold", *["--flip"] * flip)
    assert status == 0, err
    texts = [read_lines(Path(f"test.{language}")) for language in ("en", "de")]
    lengths = [(len(one.split()), len(other.split())) for one, other in zip(*texts, strict=True)]
    nearest = [[(min(at, source - 1), at) for at in range(target)] for source, target in lengths]
    for name, links in {"local_p": links_of(params, "local_p"), "diagonal": nearest}.items():
        aer_, low, high = (float(rates(out)[name][key]) for key in ("aer", "low", "high"))
        assert aer_ == pytest.approx(aer(links, gold, gold), abs=1e-4)
        assert low <= aer_ <= high


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


def test_every_system_with_attention_is_compared_by_its_first_seed(attnmt, params):
    write_lines(Path("gold"), ["0-0"] * 5)
    _, out, _ = attnmt("--gold", "gold")
    assert [*rates(out)] == ["local_p", "german", "subwords", "gru", "ensemble", "diagonal"]


def test_plain_text_is_linked_as_the_set_is_whose_text_it_is(attnmt, params):
    """The tokens that the links count follow them."""
    name = "german"
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "gru", "-m", "local_p"], "--model: without --gold, one model links the words"),
        (["-m", "plain"], "--model: plain has no attention"),
        (["--gold", "short"], "short: 1 lines where the text has 5"),
        (["--flip"], "--flip: is about gold links; give --gold, too"),
        (["--gold", "far"], "link 0-60 lies outside the pair's"),
    ],
)
def test_what_cannot_be_done_is_refused(attnmt, arguments, message):
    write_lines(Path("short"), ["0-0"])
    write_lines(Path("far"), ["0-60", *["0-0"] * 4])
    status, out, err = attnmt(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
