"""Which step links words: the development set chooses it by the outside aligner's links."""

import json
import shutil
from pathlib import Path

import pytest
from small_project import load_stage

from attnmt.corpora.links import format_links
from attnmt.decoding.attention_offset import choose_offset, silver_links
from attnmt.decoding.pipeline import load_translator
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines, write_lines
from attnmt.layout import Layout
from attnmt.text.aer import aer

LAYOUT = Layout("demo")


@pytest.fixture
def project(folder, tmp_path, monkeypatch):
    """Go to a copy of the experiment, which a test may change."""
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["local_p", "german", "subwords", "gru", "ensemble"])
def test_the_offset_whose_links_are_nearer_to_the_aligners_is_chosen(params, folder, name):
    links = load_translator(params, name, folder).links_by_offset("test")
    for offset in (0, 1):
        chosen = choose_offset(links, links[offset])
        rates = [aer(one, links[offset], links[offset]) for one in links]
        assert chosen.dev_aer == pytest.approx(rates, abs=1e-6)
        # Attention without a query is the same at all steps, so nothing chooses.
        assert chosen.attention_offset == (0 if name == "gru" else offset)
        assert (links[0] == links[1]) == (name == "gru")
    nothing = choose_offset(links, [[]] * 5)
    assert (nothing.attention_offset, nothing.dev_aer) == (0, [1, 1])


@pytest.mark.parametrize("offset", [0, 1])
def test_one_offset_links_words_and_replaces_them(params, project, offset):
    translator = load_translator(params, "subwords")
    silver = translator.links_by_offset("dev")
    assert silver[0] != silver[1]
    write_lines(LAYOUT.dictionary / "dev.links", map(format_links, silver[offset]))
    load_stage("translate").main(Path("params.yaml"), "subwords")
    assert json.loads(LAYOUT.offset("subwords").read_text())["attention_offset"] == offset
    written = {
        end: read_lines(LAYOUT.translations("subwords") / f"test.{end}", may_be_blank=True)
        for end in ("forced.links", "links", "replaced")
    }
    forced = translator.links_by_offset("test")
    assert written["forced.links"] == [*map(format_links, forced[offset])]
    assert written["forced.links"] != [*map(format_links, forced[1 - offset])]
    translator.read_at(offset)
    best = [translations[0] for translations in translator.translate_set("test")]
    assert written["links"] == [format_links(one.links) for one in best]
    assert written["replaced"] == [" ".join(one.replaced) for one in best]
    # What is loaded later reads at the same step.
    assert load_translator(params, "subwords").options == translator.options


@pytest.mark.parametrize("name", ["local_p", "german", "gru"])  # german reads the target side
def test_silver_links_are_of_the_words_that_a_system_reads(params, project, name):
    """The development set has five tokens on either side; gold links are never looked at."""
    write_lines(LAYOUT.dictionary / "dev.links", ["0-0 3-4 4-3"])
    write_lines(LAYOUT.tokens / "dev.links", ["0-1"])
    assert silver_links(params, name) == [[(0, 0), (3, 4), (4, 3)]]
    write_lines(LAYOUT.dictionary / "dev.links", ["0-1 3-3"])
    turned = [[(1, 0), (3, 3)]] if name == "german" else [[(0, 1), (3, 3)]]
    assert silver_links(params, name) == turned
    (LAYOUT.dictionary / "dev.links").unlink()
    with pytest.raises(InputError, match=r"dictionary/dev\.links: no such file"):
        silver_links(params, name)
