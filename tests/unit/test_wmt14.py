"""The experiment wmt14 on small archives that are laid out like the official ones."""

import hashlib
import json
from typing import Any

import pytest
import yaml
from packed_files import tar
from small_project import ROOT, Project

EXPERIMENT = ROOT / "experiments/wmt14/params.yaml"
RAW = {  # what the corpus stage makes of the archives below
    "train.en": "Common Crawl.\n\nA well-known house.\nEurope \u2028is old.\nIn the news.\n",
    "train.de": "Allgemeines Kriechen.\nleer\nEin Haus.\nEuropa ist alt.\nIn den Nachrichten.\n",
    "newstest2013.en": "One.\nTwo.\n",
    "newstest2013.de": "Eins.\nZwei.\n",
    "newstest2014.en": "Standard & Poor's.\nA second one.\n",
    "newstest2014.de": "Standard & Poor's.\nEin „zweiter“.\n",
    "newstest2015.en": "Only one.\n",
    "newstest2015.de": "Nur einer.\n",
    "rwth.en": "We believe that it 's good .\nYes .\n",
    "rwth.de": "Wir glauben , daß es „gut“ ist .\nJa .\n",
    "rwth.links": "0-0 1-1 2?2 2-3 4?6 5-5 6-7\n0-0 1-1\n",
}


def sgm(kind: str, *texts: str) -> bytes:
    segments = "".join(f'<seg id="{i}">{text}</seg>\n' for i, text in enumerate(texts, start=1))
    document = f'<doc docid="bbc.1" origlang="en">\n<p>\n{segments}</p>\n</doc>'
    return f'<{kind} setid="newstest" srclang="any">\n{document}\n</{kind}>\n'.encode()


def lines(*texts: str) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


MEMBERS = {
    "training-parallel-commoncrawl.tgz": {
        "commoncrawl.cs-en.en": b"another language",
        "commoncrawl.de-en.de": lines("Allgemeines Kriechen.\r", "leer", "Ein Haus."),
        "commoncrawl.de-en.en": lines("Common Crawl.", "", "A well-known house."),
        "commoncrawl.de-en.annotation": b"x",
    },
    "training-parallel-europarl-v7.tgz": {
        "training/europarl-v7.de-en.de": lines("Europa ist alt."),
        "training/europarl-v7.de-en.en": lines("Europe \u2028is old."),
    },
    "training-parallel-nc-v9.tgz": {
        "training/news-commentary-v9.de-en.de": lines("In den Nachrichten."),
        "training/news-commentary-v9.de-en.en": lines("In the news."),
    },
    "dev.tgz": {
        "dev/newstest2013-src.en.sgm": b"not read",
        "dev/newstest2013.de": lines("Eins.", "Zwei."),
        "dev/newstest2013.en": lines("One.", "Two."),
    },
    "test-filtered.tgz": {
        "test/newstest2014-deen-src.en.sgm": sgm(
            "srcset", "Standard &amp; Poor's.", "A second\none."
        ),
        "test/newstest2014-deen-ref.de.sgm": sgm("refset", "Standard & Poor's.", "Ein „zweiter“."),
    },
    "test.tgz": {
        "test/newstest2015-ende-src.en.sgm": sgm("srcset", "Only one."),
        "test/newstest2015-ende-ref.de.sgm": sgm("refset", " Nur einer. "),
    },
    "DeEnGoldAlignment.tar.gz": {
        "DeEn/de": "Wir glauben , daß es „gut“ ist .\nJa .\n\n".encode("cp1252"),
        "DeEn/en": b"We believe that it 's good .\nYes .\n\n",
        "DeEn/alignmentDeEn": b"SENT: 0\nS 0 0\n",
        "DeEn/alignmentDeEn.talp": b"1-1 2-2 3p3 4-3 7p5 6-6 8-7\n1-1 2-2\n\n",
    },
}


@pytest.fixture
def wmt14(project) -> Project:
    """Return a project with the experiment's text sections, and a mirror with small files."""
    files = {name: tar(members) for name, members in MEMBERS.items()}
    params: dict[str, Any] = json.loads(json.dumps(yaml.safe_load(EXPERIMENT.read_text())))
    for sides in params["corpus"]["sources"]["official"]["files"].values():
        for file in (file for side in sides.values() for file in side):
            content = files[file["url"].rsplit("/", 1)[1]]
            file["digest"] = f"sha256:{hashlib.sha256(content).hexdigest()}"
            file["bytes"] = len(content)
    for name, content in files.items():
        (project.mirror / name).write_bytes(content)
    project.params |= {section: params[section] for section in ("sets", "corpus", "tokenize")}
    return project


def test_the_official_archives_give_the_expected_text(wmt14):
    wmt14.succeed("corpus")
    assert {path.name: path.read_text() for path in wmt14.raw.iterdir()} == RAW
    wmt14.succeed("tokens")  # which checks that RWTH's links lie inside its tokens
    assert (wmt14.tokens / "rwth.de").read_text() == RAW["rwth.de"]
    assert (wmt14.tokens / "rwth.en").read_text() == RAW["rwth.en"].replace("'", "&apos;")
    assert (wmt14.tokens / "train.en").read_text().split("\n")[1] == "A well @-@ known house ."


def test_the_terms_of_the_gold_links_must_be_accepted(wmt14):
    """The error comes before any download, and names the file, the key and where the terms are."""
    wmt14.params["corpus"]["accept"] = []
    wmt14.mirror = ""
    error = wmt14.fail("corpus")
    assert "params.yaml:" in error
    assert ": corpus.accept: " in error
    assert "https://www-i6.informatik.rwth-aachen.de/goldAlignment/" in error
