"""The experiments on WMT'14's archives, on small archives that are laid out like them."""

import csv
import hashlib
import json
import re
import shutil
from typing import Any

import pytest
import torch
import yaml
from demo_text import demo_lines
from packed_files import tar
from small_project import ROOT, Project

from attnmt.scoring.score_table import BASELINES

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


def rehearsed(project: Project, experiment: str, **changed: dict[str, bytes]) -> dict[str, Any]:
    """Put small archives into a project's mirror; return an experiment's parameters for them."""
    text = (ROOT / f"experiments/{experiment}/params.yaml").read_text()
    params: dict[str, Any] = json.loads(json.dumps(yaml.safe_load(text)))
    files = {name: tar(members) for name, members in (MEMBERS | changed).items()}
    corpus = params["corpus"]
    source = corpus["sources"]["official"] if corpus["kind"] == "choice" else corpus
    for sides in source["files"].values():
        for file in (file for side in sides.values() for file in side):
            name = file["url"].rsplit("/", 1)[1]
            file["digest"] = f"sha256:{hashlib.sha256(files[name]).hexdigest()}"
            file["bytes"] = len(files[name])
            (project.mirror / name).write_bytes(files[name])
    return params


@pytest.fixture
def wmt14(project) -> Project:
    """Return a project with the experiment's text sections, and a mirror with small files."""
    params = rehearsed(project, "wmt14")
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


TRAIN = {
    "wmt14-news": ("training-parallel-nc-v9.tgz", "training/news-commentary-v9.de-en"),
    "europarl": ("training-parallel-europarl-v7.tgz", "training/europarl-v7.de-en"),
}
SETS = ("train", "dev", "test")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("experiment", "table", "paper"),
    [("wmt14-news", "table1", "11.3"), ("europarl", "table_gru", "19.97")],
)
def test_a_rehearsal_from_archives_to_tables(project, experiment, table, paper):
    archive, member = TRAIN[experiment]
    sides = {f"{member}.{code}": lines(*demo_lines(code, 200)) for code in ("en", "de")}
    project.params = rehearsed(project, experiment, **{archive: sides}) | {"experiment": "tiny"}
    for family in project.params["families"].values():
        family["encoding"]["vocabulary"] = 50
        family["shape"] |= {"layers": 1, "size": 4}
        family["training"] |= {"epochs": 1, "halve_after": 1, "evaluate_every": 50}
    systems = project.params["systems"] = project.params["systems"][:2]
    project.params["overrides"] = {}
    project.params["decoding"] |= {"beam": 2, "candidates": 2}
    project.params["evaluation"]["bootstrap_samples"] = 100
    project.succeed("corpus")
    project.succeed("tokens")
    (family,) = project.params["families"]
    if not torch.cuda.is_available():  # said before any data is read, which is not there yet
        place = f"params.yaml:.*: families.{family}.training.precision: .* tf32.* fp32"
        assert re.search(place, project.fail("train", systems[0]))
    project.params["families"][family]["training"]["precision"] = "fp32"
    project.succeed("encode", family)
    project.succeed("dictionary")
    for system in systems:
        project.succeed("train", system)
        project.succeed("translate", system)
    for name in (*systems, *BASELINES):
        project.succeed("evaluate", name)
    shutil.copy(ROOT / "claims.yaml", project.folder)
    project.succeed("gather")
    project.succeed("report")
    with (project.folder / f"reports/tiny/tables/{table}.csv").open(newline="") as stream:
        shown = next(csv.DictReader(stream))
    assert paper in shown.values()


def test_pairs_are_held_out_by_share_and_seed(project):
    text = lines(*(f"s{n % 80}" for n in range(100)))
    archive, member = TRAIN["europarl"]
    sides = {f"{member}.{code}": text for code in ("en", "de")}
    params = rehearsed(project, "europarl", **{archive: sides})
    project.params |= {section: params[section] for section in ("sets", "corpus", "tokenize")}

    def divided(seed: int) -> dict[str, list[str]]:
        project.params["corpus"]["hold_out"]["seed"] = seed
        project.succeed("corpus")
        sides = [
            {name: (project.raw / f"{name}.{code}").read_text().split() for name in SETS}
            for code in ("en", "de")
        ]
        assert sides[0] == sides[1]
        return sides[0]

    sets = divided(1)
    assert {name: len({*text}) for name, text in sets.items()} == {"train": 72, "dev": 4, "test": 4}
    assert not {*sets["train"]} & {*sets["dev"], *sets["test"]}
    assert divided(1) == sets != divided(2)
    project.params["corpus"]["hold_out"]["share"] = 0.01
    assert "corpus.hold_out" in project.fail("corpus")
