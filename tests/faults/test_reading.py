"""Files that parse but are not what they should be: each is refused with one clear message.

A case is a file, its damage, the stage or the command that reads it, and a part of the message. The
message names the file, and no file is written, changed or left behind.
"""

import re
import shutil
import sys
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch
from damage import (
    Damage,
    array,
    cell,
    content,
    cut,
    damaged,
    line,
    metadata,
    other,
    settings,
    swap,
    tensors,
    value,
    without,
)
from faults_project import Tree, build, main_of, tree

from attnmt import cli
from attnmt.commands import track
from attnmt.errors import InputError
from attnmt.scoring import published as printed
from attnmt.tracking import importing

WORDS, TOKENS, RAW = "data/demo/encoded/words", "data/demo/tokens", "data/demo/raw"
BASE, BEST = "models/demo/base", "local_p_general_feed"
SCORES, DICTIONARY, OUT = "scores/demo/base.csv", "data/demo/dictionary", "translations/demo"
FORCED = f"{OUT}/{BEST}/test.forced.attention.json"
LINKS = f"{OUT}/{BEST}/test.forced.same.links"
NUMBERS, CLAIMS = "reports/demo/scores.csv", "reports/demo/claims.csv"
TRAIN, IDS = ("train", "base"), f"{WORDS}/train.de.ids.npy"
OFFSETS, SUMMARY = f"{WORDS}/train.de.offsets.npy", f"{WORDS}/summary.json"
NAN = float("nan")


class Case(NamedTuple):
    """A damaged file, the command that reads it, and a pattern that the message matches."""

    path: str
    damage: Damage
    command: tuple[str, ...]  # a stage with its arguments, or attnmt with its own
    message: str


def json_of_another_form() -> Iterator[Case]:
    """Yield every JSON file as null, as a list, as a text and cut off."""
    readers = {
        SUMMARY: TRAIN,
        f"{BASE}/metrics.json": ("evaluate", "base"),
        f"{BASE}/provenance.json": ("gather",),
        f"{DICTIONARY}/aligner.json": ("evaluate", "aligner"),
        FORCED: ("report",),
    }
    for path, command in readers.items():
        yield Case(path, content("null"), command, "the content: .* (dict|list)")
        yield Case(path, content("[1]"), command, "(dict|object|list|instance)")
        yield Case(path, cut(9), command, "not JSON")


def parameters() -> Iterator[Case]:
    """Yield values that YAML reads as another type."""
    for old, new, key in (
        ("batch_size: 24", "batch_size: yes", "batch_size: .* valid integer .found 'yes'"),
        ("batch_size: 24", 'batch_size: "64"', "batch_size: .* valid integer .found '64'"),
        ("learning_rate: 1.0", "learning_rate: .inf", "learning_rate: .* finite"),
        ("clip_embeddings: false", "clip_embeddings: 0", "clip_embeddings: .* valid boolean"),
        ("general_feed: 8\n", "general_feed: true\n", "general_feed: .* valid integer"),
        ("train_threads: 1", "train_threads: on", "train_threads: .* valid integer"),
    ):
        yield Case("params.yaml", swap(old, new), ("evaluate", "base"), rf"yaml:\d+: .*{key}")
    yield Case("claims.yaml", swap("sign: less", "sign: more"), ("gather",), r"yaml:\d+: .*sign: ")
    for old, new, key in (
        ("reverse: true", "reverse: 1", "reverse: .* valid boolean"),
        # Members that cannot translate together
        (f"- {BEST}_2", "- back_base_reverse", "differs from the first member in dir"),
        (f"- {BEST}_2", f"- {BEST}_bpe", "is of family 'pieces'"),
    ):
        yield Case("systems.yaml", swap(old, new), ("evaluate", "base"), rf"yaml:\d+: .*{key}")


def text() -> Iterator[Case]:
    """Yield raw text and tokens that do not belong together."""
    dictionary, encode = ("dictionary",), ("encode", "words")
    not_text = lambda b: b + b"\xff\n"  # noqa: E731
    for command in (dictionary, encode):
        yield Case(f"{TOKENS}/train.de", line(1, None), command, "has 3")
        yield Case(f"{TOKENS}/test.de", not_text, command, "de:6: byte 0xff is not UTF")
    yield Case(f"{TOKENS}/train.de", line(2, "  "), encode, "train.de:2: no words in this line")


def ids() -> Iterator[Case]:
    """Yield ids that are not those of the vocabulary."""
    for name, change, message in (
        (IDS, lambda a: a.astype(np.int64), "int64 of shape .* where a flat array of int32"),
        (IDS, lambda a: a[:-1], "ids where train.de.offsets.npy expects"),
        (
            IDS,
            lambda a: np.where(a == a.max(), 16, a).astype(a.dtype),
            "from . to 16, but vocab.de",
        ),
        (IDS, lambda a: np.where(a == a.max(), -1, a).astype(a.dtype), "ids from -1 to"),
        (IDS, lambda a: a[::-1], "vocab.* and .*npy are not those of summary.json"),
        (OFFSETS, lambda a: a.astype(np.int32), "int32 of shape .* where a flat array of int64"),
        (OFFSETS, lambda a: a + 1, "offsets must rise from 0"),
        (OFFSETS, lambda a: np.delete(a, 1), "3 lines where summary.json has 4"),
        (OFFSETS, lambda a: np.concatenate([a[:2], a[1:2], a[3:]]), "sentence 2 has no words"),
    ):
        yield Case(name, array(change), TRAIN, message)
    yield Case(IDS, cut(8), TRAIN, "damaged")
    yield Case(OFFSETS, content(""), TRAIN, "damaged")
    for damage, message in (
        (line(16, None), "15 entries where summary.json has 16"),
        (line(16, "two words"), "de:16: 'two words' is not a word"),
        (line(16, "anders"), "not those of summary.json"),
    ):
        yield Case(f"{WORDS}/vocab.de", damage, TRAIN, message)
    for damage, message in (
        (without("digest"), "digest: this key is missing"),
        (value("digest", "0" * 64), "not those of summary.json"),
        (value("sets.train.lines", 5), "4 lines where summary.json has 5"),
        (without("sets.dev"), "sets: no set 'dev'"),
        (value("languages", ["en", "fr"]), r"languages \['en', 'fr'\], but also \['en', 'de'\]"),
        (without("vocabulary.de"), r"languages \['en', 'de'\], but also \['en'\]"),
        (without("sets.dev.text.en"), r"languages \['en', 'de'\], but also \['de'\]"),
    ):
        yield Case(SUMMARY, damage, TRAIN, message)


def models() -> Iterator[Case]:
    """Yield weights that are not the model's, and damaged files that a translation also reads."""
    weights, best = f"{BASE}/weights.safetensors", f"models/demo/{BEST}_2/weights.safetensors"
    command = ("translate", "base")

    def first(change: object) -> Damage:
        def damage(weights: dict[str, torch.Tensor]) -> None:
            key = sorted(weights)[0]
            weights[key] = change(weights[key])

        return tensors(damage)

    for damage, message in (
        (first(lambda t: t * NAN), "tensor .* holds a number that is not finite"),
        (first(lambda t: t.double()), r"is torch.float64 .* not torch.float32"),
        (first(lambda t: t[:-1].clone()), r"tensor .* is torch.float32 \[.*\], not"),
        (tensors(lambda t: t.popitem()), "tensor .* is missing"),
        (tensors(lambda t: t.update(more=torch.zeros(1))), "tensor 'more' does not belong to this"),
        (cut(40), "damaged"),
        (content(""), "damaged"),
        (metadata(None), "not a model of this program, or damaged"),
        (metadata({"config": "null"}), "the content: "),
        (metadata({"config": "{}"}), "experiment: this key is missing"),
        (settings("source_words", 15), "tensor .* is torch.float32"),
        (settings("dataset_digest", "0" * 64), "the encoded data changed after this training"),
        (settings("seed", 2), "seed: trained with other settings than params.yaml has for base"),
        (settings("training.epochs", 9), "training: trained with other settings"),
        (other("models/demo/base_reverse/weights.safetensors"), "belongs to model 'base_reverse'"),
    ):
        yield Case(weights, damage, command, message)
    third = other(f"models/demo/{BEST}_3/weights.safetensors")
    yield Case(best, third, ("translate", "ensemble"), "belongs to model '.*feed_3'")
    for damage, message in (
        (line(1, "House\tHaus\t1.000000"), "tsv:1: 3 fields"),
        (line(1, "House\tHaus\t1.000000\tmany"), "tsv:1: .* a count"),
        (line(1, "House\tHaus\tnan\t2"), "tsv:1: 'nan' is not a share"),
        (line(1, "House\tHaus\t7.5\t2"), "tsv:1: '7.5' is not a share"),
        (line(1, "House\tHaus\t1.000000\t0"), "tsv:1: .*'0' is not a count"),
        (line(1, "House\t\t1.000000\t2"), "tsv:1: 'House' and '' are not two words"),
    ):
        yield Case(f"{DICTIONARY}/en-de.tsv", damage, command, message)
    yield Case(f"{WORDS}/test.en.tok", line(5, None), command, "4 lines where summary.json has 5")
    yield Case(f"{WORDS}/test.en.tok", line(4, ""), command, "tok:4: no words in this line")
    yield Case(SUMMARY, value("pieces", 0), command, "pieces: .* valid boolean")


def commands() -> Iterator[Case]:
    """Yield damage to files that attnmt reads."""
    translate, plan, track = (
        ("attnmt", *rest) for rest in (["translate", "A."], ["plan"], ["track"])
    )
    metrics, provenance = f"{BASE}/metrics.json", f"{BASE}/provenance.json"
    yield Case(metrics, value("dev_perplexity", NAN), translate, "dev_perplexity: .* finite")
    codes, named = "data/demo/encoded/pieces/codes", (*translate, "--model", f"{BEST}_bpe")
    yield Case(codes, line(2, "one"), named, "codes:2: 'one' is not two pieces")
    yield Case(codes, line(3, "a b c"), named, "codes:3: 'a b c' is not two pieces")
    yield Case(codes, line(1, "version 0.2"), named, "codes:1: .* is not a version")
    for path, damage, message in (
        (provenance, value("seconds", NAN), "seconds: .* finite"),
        (provenance, without("target_words_per_second"), "this key is missing"),
        (provenance, value("target_words_per_second", 0), "greater than 0"),
        (SUMMARY, without("vocabulary"), "vocabulary: this key is missing"),
        (SUMMARY, value("sets.train.text.en.tokens", None), "en.tokens: "),
    ):
        yield Case(path, damage, plan, message)
    for path, damage, message in (
        (provenance, value("started", "yesterday"), "started: "),
        (provenance, without("fingerprint"), "fingerprint: this key is missing"),
        (metrics, value("perplexity.test", NAN), "perplexity.test: .* finite"),
        (f"{BASE}/history.csv", cut(3), "csv:3: the history is cut off"),
        (NUMBERS, cell(4, "p", "2"), "csv:4: p: .* less than or equal to 1"),
    ):
        yield Case(path, damage, track, message)


def scored() -> Iterator[Case]:
    """Yield damage to files that evaluate reads."""
    metrics, command, links = f"{BASE}/metrics.json", ("evaluate", "base"), ("evaluate", BEST)
    for damage, message in (
        (value("perplexity.test", NAN), "perplexity.test: .* finite"),
        (value("perplexity.test", -1.0), "perplexity.test: .* greater than 0"),
        (value("perplexity", {}), "this training measured no perplexity on 'test'"),
        (value("dataset_digest", "0" * 64), "changed after this training"),
        (value("best_step", 21), "best_step 21 comes after the last"),
    ):
        yield Case(metrics, damage, command, message)
    yield Case(f"{OUT}/base/test.out", line(5, None), command, "4 lines, but")
    yield Case(f"{OUT}/{BEST}/test.replaced", line(2, "Ein"), links, "replaced:2: 1 words, but")
    yield Case(f"{WORDS}/vocab.de", line(9, None), links, "15 entries where summary.json has 16")
    yield Case(f"{RAW}/test.de", line(5, None), command, "4 lines, but")
    for damage, message in (
        (line(2, "0-0 0-99"), "links:2: link 0-99 lies outside"),
        (line(2, "0-0 x"), "links:2: 'x' is not a link"),
        (line(5, None), "4 lines where the text has 5"),
    ):
        yield Case(LINKS, damage, links, message)
    for damage, message in (
        (value("chosen", "before"), "chosen: "),
        (value("unknown_words", -1), "unknown_words: "),
        (value("hits", {"next": 1}), "hits must have a number for"),
        (value("aer", {"next": 0.5}), "aer must have a number for"),
        (value("aer.same", NAN), "aer.same: .* finite"),
        (value("decided_by", "gold links"), "decided_by: .* 'unknown words' or 'aligner'"),
    ):
        yield Case(f"{OUT}/{BEST}/reading.json", damage, links, message)
    translate, silver = ("translate", BEST), f"{DICTIONARY}/dev.links"
    yield Case(silver, line(1, "0-0 0-99"), translate, "dev.links:1: link 0-99 lies outside")
    yield Case(silver, content("0-0\n0-0\n"), translate, "links: 2 lines where the text has 1; run")
    gold = f"{TOKENS}/test.links"
    yield Case(gold, line(1, "0-0 0?99"), links, "links:1: link 0-99 lies outside")
    yield Case(gold, line(1, "0-0 -1"), links, "links:1: '-1' is not a link")
    yield Case(gold, line(1, None), links, "4 lines where the text has 5")


def gathered() -> Iterator[Case]:
    """Yield damage to files that gather reads."""
    command, again = ("gather",), "run evaluate of base again"
    for damage, message in (
        (content(""), "csv:1: the columns must be source, kind, "),
        (line(1, "model,value"), "csv:1: the columns must be source, kind, "),
        (line(3, "ours,training"), f"csv:3: 2 cells in 30 columns; {again}"),
        (cut(9), "csv:18: unexpected end of data"),  # its last cell is a note in quotes
        (cell(2, "metric", ""), "csv:2: metric: .* valid string"),
        (cell(3, "value", "nan"), "csv:3: value: .* finite"),
        (cell(3, "value", "high"), f"csv:3: value: .* valid number.*; {again}"),
        (cell(3, "lines", "5.5"), "csv:3: lines: .* valid integer"),
        (cell(3, "beam", "x"), "csv:3: beam: .* valid integer"),
        (cell(3, "sd", "-1"), "csv:3: sd: .* greater than or equal to 0"),
        (cell(3, "replacement", "never"), "csv:3: replacement: .* 'before' or 'after'"),
        (cell(3, "model", "base_reverse"), "csv:3: model: 'base_reverse', but 'base' in the"),
        (cell(3, "seed", "2"), "csv:3: seed: 2, but 1 in the parameters"),
        (cell(3, "direction", "backward"), "csv:3: direction: 'backward', but 'forward' in the"),
        (cell(3, "family", "pieces"), "csv:3: family: 'pieces', but 'words' in the parameters"),
        (other(f"scores/demo/{BEST}.csv"), f"csv:2: model: '{BEST}', but 'base' in the parameters"),
        (lambda b: b.splitlines(keepends=True)[0], "no bleu on 'test'; run the stages that lead"),
        (cell(3, "reference", "0"), "bleu on test is measured against the references"),
        (swap("ours", '"ours'), "csv:.*: ',' expected after"),  # the next quote opens that note
    ):
        yield Case(SCORES, damage, command, message)
    no_links = lambda b: b.replace(b",aer,", b",ter,")  # noqa: E731
    yield Case(f"scores/demo/{BEST}.csv", no_links, command, "no aer on 'test'; run the stages")
    seed = cell(2, "seed", "1")  # an ensemble has none
    yield Case("scores/demo/ensemble.csv", seed, command, "csv:2: seed: 1, but None in the")
    aligner = f"{DICTIONARY}/aligner.json"
    measure, diagonal = ("evaluate", "aligner"), ("evaluate", "diagonal")
    yield Case(aligner, without("system"), measure, "system: this key is missing")
    yield Case(aligner, value("pairs", 0), measure, "pairs: .* greater than or equal to 1")
    yield Case(f"{DICTIONARY}/test.links", line(1, "0-0 99-99"), measure, "link 99-99 lies outside")
    yield Case(f"{DICTIONARY}/test.links", line(1, None), measure, "4 lines where the text has 5")
    yield Case(f"{TOKENS}/test.links", line(1, "0-0 99-99"), diagonal, "link 99-99 lies outside")
    counts = f"scores/demo/{BEST}.npz"
    yield Case(
        counts, content(""), command, r"npz: no file of counts, or damaged.*; run evaluate of"
    )
    provenance = f"{BASE}/provenance.json"
    for damage, message in (
        (without("seconds"), "seconds: this key is missing"),
        (value("seconds", NAN), "seconds: .* finite"),
        (value("commits", []), "commits: .* at least 1 item"),
        (value("started", "yesterday"), "started: "),
        (value("fingerprint", "../../x"), "fingerprint: "),
        (other("models/demo/base_reverse/provenance.json"), "belongs to model 'base_reverse'"),
    ):
        yield Case(provenance, damage, command, message)
    yield Case(f"{BASE}/metrics.json", value("steps", "20"), command, "steps: .* valid integer")


def published() -> Iterator[Case]:
    """Yield damage to published numbers, in a copy of the package's files."""
    for file, command in (("tables.csv", ("gather",)), ("figures.csv", ("report",))):
        path = f"printed/{file}"
        yield Case(path, content(""), command, "csv:1: the columns must be")
        yield Case(path, line(3, "Table 1,newstest2014"), command, "csv:3: 2 cells in")
        yield Case(path, cell(3, "row", ""), command, "csv:3: row: .* valid string")
    ppl, y = cell(6, "ppl", "1O.6"), cell(2, "y", "nan")
    yield Case("printed/tables.csv", ppl, ("gather",), "csv:6: ppl: .* match pattern")
    yield Case("printed/figures.csv", y, ("report",), "csv:2: y: .* finite")


def reported() -> Iterator[Case]:
    """Yield damage to files that report reads."""
    command, history = ("report",), f"{BASE}/history.csv"
    for damage, message in (
        (content(""), "csv:1: no column 'step'"),
        (swap("test_cost", "test2_cost"), "csv:1: no column 'test_cost'"),
        (content("step,target_words,test_cost\n"), "csv:1: the history has no evaluation"),
        (cut(1), "csv:3: the history is cut off"),
        (line(3, "20,1,1.0,100,2.0,1.75,2.25,1"), "csv:3: 8 cells in 7 columns"),
        (line(3, "20,1,1.0,100,2.0,1.75,nan"), "csv:3: test_cost: 'nan' is not a finite number"),
        (line(3, "20,1,1.0,100,2.0,,2.25"), "csv:3: dev_cost: '' is not a finite number"),
        (line(3, "10,1,1.0,100,2.0,1.75,2.25"), "csv:3: step: 10 cannot follow step 10"),
        (line(3, "2.5,1,1.0,100,2.0,1.75,2.25"), "csv:3: step: 2.5 cannot follow"),
    ):
        yield Case(history, damage, command, message)
    for damage, message in (
        (content("[]"), "at least 1 item"),
        (without("0.weights"), "0.weights: this key is missing"),
        (value("0.weights.0.0", NAN), "0.weights.0.0: .* finite"),
        (value("0.weights.0.0", 1.5), "0.weights.0.0: .* less than or equal to 1"),
        (without("0.weights.0"), "the weights are not 12 rows of 12"),
        (value("0.weights.0", [1.0]), "the weights are not"),
        (value("0.target", []), "0.target: "),
        (value("0.line", 5), "line 5 is not one of 5"),
        (value("1.line", 0), "line 0 comes twice"),
    ):
        yield Case(FORCED, damage, command, message)
    own = f"{OUT}/gru_self/test.attention.json"
    yield Case(own, value("2.weights.0.0", NAN), command, "2.weights.0.0: .* finite")
    for path in (NUMBERS, CLAIMS):
        for damage, message in (
            (content(""), "csv:1: the columns must be .*; run the stage gather again"),
            (line(2, "ours,training"), r"csv:2: 2 cells in \d+ columns"),
            (cell(2, "low", "much"), "csv:2: low: .* valid number"),
        ):
            yield Case(path, damage, command, message)
    yield Case(NUMBERS, cell(9, "kind", "score"), command, "csv:9: kind: .* 'training', 'system'")
    yield Case(NUMBERS, cell(9, "p", "2"), command, "csv:9: p: .* less than or equal to 1")
    yield Case(CLAIMS, cell(2, "bound", ""), command, "csv:2: bound: .* valid number")


FAMILIES = (
    *(json_of_another_form, parameters, text, ids, models),
    *(commands, scored, gathered, published, reported),
)
CASES = [
    pytest.param(case, id=f"{family.__name__}-{number}-{Path(case.path).name}-{case.command[0]}")
    for family in FAMILIES
    for number, case in enumerate(family())
]


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Iterator[tuple[Path, Tree]]:
    """Return the folder of the project, in which all cases run, and the content of its files."""
    folder = tmp_path_factory.mktemp("reading")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("ATTNMT_MIRROR", raising=False)
        # MLflow seems not to be installed, because its import takes seconds.
        patch.setitem(sys.modules, "mlflow", None)
        torch.set_num_threads(1)
        build(folder)
        shutil.copytree(printed.PUBLISHED, folder / "printed")
        patch.setattr(printed, "PUBLISHED", Path("printed"))
        yield folder, tree(folder)


@pytest.fixture(autouse=True)
def tools(monkeypatch) -> None:
    """Pretend that DVC finds a training done and MLflow lacks it; the real calls take seconds."""
    graph = pytest.importorskip(
        "attnmt.workflow.graph", reason="DVC, of the extra 'workflow', is missing"
    )
    numbers = {"threads": 1, "resources": {}, "priority": 0}
    numbers |= dict.fromkeys(("done", "committed"), True)
    lists = {"inputs": [], "outputs": [], "params": {}}
    stage = graph.Stage(name="train@base", description="", command="", **lists, **numbers)
    monkeypatch.setattr(graph, "compare_stages", lambda experiment: [stage])
    done = SimpleNamespace(info=SimpleNamespace(status="FINISHED"))
    runs = chain([None], repeat(done))  # of base
    monkeypatch.setattr(importing, "connect", MagicMock())
    monkeypatch.setattr(track, "connect", MagicMock())
    monkeypatch.setattr(track, "runs_address", lambda *_: None)
    monkeypatch.setattr(
        importing, "find_run", lambda *of: next(runs) if "base" in of[2].values() else done
    )
    monkeypatch.setattr(importing, "open_run", lambda *_: ("run", {}))
    for name in ("log_points", "log_final", "add_scores", "add_report"):
        monkeypatch.setattr(importing, name, lambda *_: False)


@pytest.fixture
def clean(project) -> Iterator[tuple[Path, Tree]]:
    """Return the project, and afterwards restore the files that a failing case has changed."""
    folder, whole = project
    for read in (printed._tables, printed._figures):
        read.cache_clear()
    yield project
    for read in (printed._tables, printed._figures):
        read.cache_clear()
    after = tree(folder)
    for path in after.keys() - whole.keys():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path, before in whole.items():
        if isinstance(before, bytes) and after.get(path) != before:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(before)


def refusal(case: Case, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the stage or the command of a case, which must refuse its input; return the message."""
    if case.command[0] != "attnmt":
        with pytest.raises(InputError) as refused:
            main_of(*case.command)
        return str(refused.value)
    monkeypatch.setattr(sys, "argv", list(case.command))
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr().err
    assert (ended.value.code, "Traceback" in shown) == (2, False), shown
    return shown.removeprefix("error: ")


@pytest.mark.parametrize("case", CASES)
def test_a_damaged_file_is_refused_and_named(case, clean, monkeypatch, capsys):
    folder, whole = clean
    path = Path(case.path)
    with damaged(path, case.damage):
        spoiled = path.read_bytes()
        message = refusal(case, monkeypatch, capsys)
        assert tree(folder) == whole | {folder / path: spoiled}
    # Where two files of a folder disagree, the message may name the other one.
    named = path.parent / "vocab.* and *.npy" if "digest differs" in message else path
    assert str(named.parent) in message
    assert named.name in message
    assert re.search(case.message, message), message
    # Every fault of params.yaml is named, each on its own line.
    assert path.name == "params.yaml" or "\n" not in message.rstrip()
