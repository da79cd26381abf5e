"""``attnmt new``: an experiment of one's own text, from files to parameters."""

import gzip
import random
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
import yaml
from small_project import ROOT, Command

from attnmt.commands import new as command
from attnmt.config import Languages, Params, load_params
from attnmt.config.generated import trainings_yaml
from attnmt.corpora.own_text import write_divided
from attnmt.corpora.raw_text import write_local
from attnmt.files.text_file import read_lines, write_lines
from attnmt.layout import Layout
from attnmt.planning.proposal import propose, propose_language
from attnmt.planning.text_size import training_sizes
from attnmt.text.encode import encode_sets
from attnmt.text.tokens import tokenize_sets
from attnmt.text.vocabulary import SPECIAL

FRENCH = [f"L'homme numéro {n} n'est pas là." for n in range(60)]
ENGLISH = [f"Man number {n} isn't there." for n in range(60)]
TRAIN = ["--train", "../corpus.fr", "../corpus.en"]
SETS = [*TRAIN, "--dev", "../dev.fr", "../dev.en", "--test", "../test.fr", "../test.en"]


@pytest.fixture
def new(attnmt: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs ``attnmt new`` in a project with some text beside it."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("systems.yaml", "claims.yaml", "dvc.yaml", "params.yaml"):
        shutil.copy(ROOT / name, project / name)
    monkeypatch.chdir(project)
    for name, lines in {"corpus": (0, 40), "dev": (40, 50), "test": (50, 60)}.items():
        write_lines(Path(f"../{name}.fr"), FRENCH[slice(*lines)])
        write_lines(Path(f"../{name}.en"), ENGLISH[slice(*lines)])
    return lambda *arguments: attnmt("new", *arguments)


def made(new: Command, *arguments: str) -> Params:
    """Make the experiment ``own``; return its parameters."""
    status, _, err = new("own", *arguments)
    assert status == 0, err
    return load_params(Path("experiments/own/params.yaml"))


def text_of(name: str) -> dict[str, str]:
    """Return what the files in the experiment's folder hold."""
    return {path.name: path.read_text() for path in Layout(name).local_text.iterdir()}


def test_an_experiment_is_ready_to_run(new, tmp_path):
    params, folder = made(new, *SETS), Path("experiments/own")
    source, target = params.languages.source, params.languages.target
    assert [(s.code, s.name, s.tokenize) for s in (source, target)] == [
        ("fr", "French", "words"),
        ("en", "English", "moses"),
    ]
    assert {*params.trainings} == {*command.PROPOSED}
    assert (folder / "trainings.yaml").read_text() == trainings_yaml(params)
    assert yaml.safe_load((folder / "trainings.yaml").read_text())["local_text"] == f"{folder}/text"
    assert (folder / "dvc.yaml").read_bytes() == Path("dvc.yaml").read_bytes()
    assert (folder / "text/train.fr").resolve() == (tmp_path / "corpus.fr").resolve()
    raw = tmp_path / "raw"
    raw.mkdir()
    write_local(Layout("own").local_text, params.languages, params.sets, raw)
    assert read_lines(raw / "train.fr") == FRENCH[:40]
    assert read_lines(raw / "test.en") == ENGLISH[50:]


def test_markup_becomes_plain_copies(new):
    for kind, code, texts in (
        ("srcset", "fr", ["Un.", "Deux &amp; trois."]),
        ("refset", "en", ["One.", "Two &amp; three."]),
    ):
        segments = "".join(f'<seg id="{n}">{text}</seg>' for n, text in enumerate(texts))
        set_of = f'<{kind} setid="x"><doc docid="d" sysid="{code}">{segments}</doc></{kind}>'
        Path(f"../t.{code}.sgm").write_text(set_of)
    made(new, *SETS[:6], "--test", "../t.fr.sgm", "../t.en.sgm")
    text, links = text_of("own"), Layout("own").local_text
    assert text["test.fr"] == "Un.\nDeux & trois.\n"
    assert text["test.en"] == "One.\nTwo & three.\n"
    assert not (links / "test.fr").is_symlink()
    assert (links / "dev.fr").is_symlink()


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        (("fra", "en_US"), ("fr", "en")),
        (("qqq", "no"), ("qqq", "no")),  # of no language; YAML would not read no as text
    ],
)
def test_codes_may_be_given(new, given, codes):
    assert made(new, *SETS, "--languages", *given).languages.codes == codes


def test_compressed_files_are_divided(new):
    for code in ("fr", "en"):
        with gzip.open(f"../corpus.{code}.gz", "wb") as stream:
            stream.write(Path(f"../corpus.{code}").read_bytes())
    train = ["--train", "../corpus.fr.gz", "../corpus.en.gz", "--hold-out", "5"]
    made(new, *train)
    text = text_of("own")
    sizes = {name: text[f"{name}.fr"].count("\n") for name in ("train", "dev", "test")}
    assert sizes == {"train": 30, "dev": 5, "test": 5}


def replaced(old: str, new: str) -> list[str]:
    return [new if part == old else part for part in SETS]


@pytest.mark.parametrize(
    ("arguments", "place", "word"),
    [
        (["1e5", *SETS], "NAME: '1e5'", "letter"),
        (["demo", *SETS], "experiments/demo", "has this name"),
        (["own", *TRAIN], "--dev", "--hold-out"),
        (["own", *SETS[:6]], "--test", "no files"),
        (["own", *SETS, "--hold-out", "3"], "--hold-out", "--dev"),
        (["own", *TRAIN, "--hold-out", "11"], "--hold-out", "at most 10"),
        (["own", *replaced("../corpus.fr", "../same")], "../same", "--languages"),
        (["own", *replaced("../dev.fr", "../dev.en")], "../dev.en", "'fr' is expected"),
        (["own", *replaced("../corpus.en", "../dev.en")], "dev.en", "has 10"),
        (["own", *replaced("../dev.en", "../blank.en")], "blank.en:3", "blank"),
        (["own", *replaced("../corpus.fr", "../long.fr")], "--train", "no training pair"),
        (["own", *SETS, "--systems", "base,ensemble"], "--systems", "global_location_feed"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(new, arguments, place, word):
    write_lines(Path("../blank.en"), ["a", "b", " ", *"cdefghi"])
    write_lines(Path("../long.fr"), ["a " * 51] * 40)
    status, out, err = new(*arguments)
    assert (status, out) == (2, "")
    assert place in err
    assert word in err
    assert "Traceback" not in err
    assert not list(Path().glob("experiments/*"))


def languages(*codes: str, texts: tuple[str, str] = ("a b", "a b")) -> Languages:
    source, target = (propose_language(code, [t]) for code, t in zip(codes, texts, strict=True))
    return Languages(source=source, target=target)


@pytest.mark.parametrize(("pairs", "epochs"), [(60, 40), (12_000, 10), (40_000, 10)])
def test_the_vocabulary_has_the_words_that_each_side_repeats(tmp_path, pairs, epochs):
    """So <unk> is trained where a word is rare."""
    chance, repeated = random.Random(pairs), []
    files = (tmp_path / "x.de", tmp_path / "x.en")
    for file, words in zip(files, (900, 400), strict=True):
        weights = [1 / (rank + 1) for rank in range(words)]
        lines = [chance.choices(range(words), weights, k=5) for _ in range(pairs)]
        write_lines(file, (" ".join(f"w{word}" for word in line) for line in lines))
        counts = Counter(word for line in lines for word in line).values()
        repeated.append((sum(count > 1 for count in counts), len(counts)))
    limits = [more for more, every in repeated if more < every]
    proposal = propose(languages("de", "en"), files)
    assert proposal.vocabulary - len(SPECIAL) == min([max(every for _, every in repeated), *limits])
    assert proposal.epochs == epochs


def test_what_is_said_before_the_stages_is_what_they_count(new):
    """One pair is empty, one is too long. Of five held-out sources ten pairs are in the text."""
    for code, lines in (("fr", FRENCH), ("en", ENGLISH)):
        write_lines(Path(f"../corpus.{code}"), [*lines[:40], "", "a " * 51, *lines[:40]])
    status, out, _ = new("own", *TRAIN, "--hold-out", "5")
    assert status == 0
    params, layout = load_params(Path("experiments/own/params.yaml")), Layout("own")
    before = training_sizes(params, params.trainings)["luong"]
    for folder in (layout.raw, layout.tokens, layout.encoded("luong")):
        folder.mkdir(parents=True)
    args = params.languages, params.sets
    write_local(layout.local_text, *args, layout.raw)
    train = tokenize_sets(layout.raw, layout.tokens, *args, params.tokenize)["sets"]["train"]
    encoding = params.families["luong"].encoding
    encode_sets(layout.tokens, layout.encoded("luong"), *args, encoding)
    after = training_sizes(params, params.trainings)["luong"]
    assert (before.pairs, before.words) == (after.pairs, after.words)
    assert train["lines"] == 60
    numbers = [int(n) for n in re.findall(r"\d+", out.partition("\n")[0])]
    assert numbers[:3] == [60, 72 - train["lines"], train["dropped"]["long"]]


def test_a_search_gets_the_lengths_that_the_text_needs(tmp_path):
    """Each token of one side has six of the other."""
    files = (tmp_path / "x.ar", tmp_path / "x.th")
    lines = ["w " * (1 + n % 9) for n in range(2000)]
    write_lines(files[0], lines)
    write_lines(files[1], ("กขคงจฉ" * len(line.split()) for line in lines))
    pair = languages("ar", "th", texts=("a b", "ไทย"))
    assert propose(languages("ar", "fa"), (files[0], files[0])).ratios == {}
    (least,) = propose(pair, files, ["backward"]).ratios.items()
    (most,) = propose(pair, files).ratios.items()
    assert least == ("min_ratio", pytest.approx(1 / 6, abs=0.05))
    assert most == ("max_ratio", pytest.approx(5.5, abs=0.5))


def test_subwords_are_proposed_where_there_is_something_to_merge(tmp_path):
    """Words that are alike on one side are whole, and those that are not fall into letters."""
    chance, files = random.Random(1), (tmp_path / "x.de", tmp_path / "x.en")
    write_lines(files[0], ["wort"] * 500)
    write_lines(files[1], ("".join(chance.choices("abcdefgh", k=6)) for _ in range(500)))
    assert propose(languages("de", "en"), files).ratios == {}
    proposal = propose(languages("de", "en"), files, subwords=True)
    assert proposal.merges > 0
    assert proposal.ratios["max_ratio"] > 2
    pair = languages("th", "lo", texts=("ไทย", "ລາວ"))
    for file in files:
        write_lines(file, ["กขคงจฉ"] * 9)
    assert propose(pair, files, subwords=True).merges == 0


def test_an_ensemble_of_seeds_has_them(new):
    params = made(new, *SETS, "--systems", "bidirectional_bpe,bidirectional_ensemble")
    (ensemble,) = params.ensembles.values()
    assert {*ensemble.members} == {*params.trainings}
    assert len(params.trainings) == 5


def test_sources_of_dev_and_test_in_the_training_text_are_counted(new):
    write_lines(Path("../test.fr"), [*FRENCH[50:58], FRENCH[3], f" {FRENCH[4]}"])
    _, _, err = new("own", *SETS)
    assert "warning: 2 " in err


def test_divided_text_has_no_source_twice(tmp_path):
    train = (tmp_path / "x.a", tmp_path / "x.b")
    write_lines(train[0], [f"s{n % 30}" for n in range(60)])
    write_lines(train[1], map(str, range(60)))
    # Each of the ten sources that are drawn is there twice.
    assert write_divided(train, ("a", "b"), 5, tmp_path) == 10
    sets = {name: read_lines(tmp_path / f"{name}.a") for name in ("train", "dev", "test")}
    assert [len(lines) for lines in sets.values()] == [60 - 2 * 10, 5, 5]
    assert not {*sets["dev"]} & {*sets["test"]}
    assert not {*sets["train"]} & {*sets["dev"], *sets["test"]}
