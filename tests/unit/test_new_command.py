"""``attnmt new``: an experiment of one's own text, from files to parameters."""

import gzip
import os
import random
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml
from small_project import ROOT, Command

from attnmt.commands import new as command
from attnmt.config import Languages, Params, SearchRules, load_params
from attnmt.config.generated import trainings_yaml
from attnmt.corpora.own_text import write_divided
from attnmt.corpora.raw_text import write_local
from attnmt.decoding.rules import limits
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines, write_lines
from attnmt.layout import Layout
from attnmt.planning.proposal import params_text, propose, propose_language
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
        (("zh-Hans", "zh-Hant"), ("zh_Hans", "zh_Hant")),
        (("qqq", "no"), ("qqq", "no")),  # of no language; YAML would not read no as text
        (("fr", "123"), ("fr", "123")),
    ],
)
def test_codes_may_be_given(new, given, codes):
    assert made(new, *SETS, "--languages", *given).languages.codes == codes


def test_all_lines_are_looked_at(new):
    """The first lines may be others than the rest."""
    lines = [*["heading"] * 1100, *["我们去了北京。"] * 1500]
    write_lines(Path("../corpus.fr"), lines)
    write_lines(Path("../corpus.en"), [f"{n}, a house." for n in range(len(lines))])
    assert made(new, *SETS).languages.source.tokenize == "characters"


def test_compressed_files_are_divided(new):
    for code in ("fr", "en"):
        with gzip.open(f"../corpus.{code}.gz", "wb") as stream:
            stream.write(Path(f"../corpus.{code}").read_bytes())
    train = ["--train", "../corpus.fr.gz", "../corpus.en.gz", "--hold-out", "5"]
    made(new, *train)
    text = text_of("own")
    sizes = {name: text[f"{name}.fr"].count("\n") for name in ("train", "dev", "test")}
    assert sizes == {"train": 30, "dev": 5, "test": 5}


def test_what_cannot_be_finished_leaves_no_folder(new, monkeypatch):
    def fails(params: Params) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "write_trainings", fails)
    monkeypatch.setattr(os, "_exit", sys.exit)  # this process goes on
    assert new("own", *SETS)[:2] == (130, "")
    assert not Path("experiments/own").exists()


def write_uneven(pairs: int) -> None:
    """Write a corpus with repeated, empty and too long sentences. The others get longer."""
    chance = random.Random(pairs)
    words = [
        "".join(chance.choices("abdeiklmnorst", k=chance.randint(1, 9))) for _ in range(pairs // 4)
    ]
    lines = []
    for number in range(pairs):
        kind = chance.random()
        lengths = [chance.randint(3, 10 + 20 * number // pairs), 55, 0]
        length = lengths[0 if kind < 0.85 else 1 if kind < 0.93 else 2]
        lines.append([*chance.choices(words, k=length), "Ende."] if length else [""])
        if kind > 0.98:
            lines[number] = lines[number // 2]
    write_lines(Path("../corpus.fr"), map(" ".join, lines))
    write_lines(Path("../corpus.en"), (" ".join(line[::-1]) for line in lines))


@pytest.mark.parametrize(("sample", "rel"), [(20_000, 0), (500, 0.06)])
def test_what_is_said_before_the_stages_is_what_they_count(new, monkeypatch, sample, rel):
    """It is nearly so of a long text, of which only some lines are looked at."""
    monkeypatch.setattr("attnmt.planning.proposal.SAMPLE", sample)
    write_uneven(2000)
    status, out, _ = new("own", *TRAIN, "--hold-out", "100", "--systems", "base,base_reverse")
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
    assert before.pairs == pytest.approx(after.pairs, rel=rel)
    assert before.words == pytest.approx(after.words, rel=rel)
    settings = params.families["luong"].training
    assert settings.evaluate_every == round(before.pairs / settings.batch_size)
    if not rel:
        dropped, shared = train["dropped"], 1800 - text_of("own")["train.fr"].count("\n")
        numbers = [train["lines"], 1800 - train["lines"], dropped["long"], 50, dropped["empty"]]
        first = out.partition("\n")[0].replace(",", "")
        assert [int(n) for n in re.findall(r"\d+", first)] == [*numbers, shared]


def replaced(old: str, new: str) -> list[str]:
    return [new if part == old else part for part in SETS]


NAMES = ("my study", "1e5", "nan", "no", "null", "2015-01-01", "@work", "[x", "study-")


@pytest.mark.parametrize(
    ("arguments", "place", "word"),
    [
        *(([name, *SETS], f"NAME: {name!r}", "letter") for name in NAMES),
        (["demo", *SETS], "experiments/demo", "has this name"),
        (["own", *TRAIN], "--dev", "--hold-out"),
        (["own", *SETS[:6]], "--test", "no files"),
        (["own", *SETS, "--hold-out", "3"], "--hold-out", "--dev"),
        (["own", *TRAIN, "--hold-out", "11"], "--hold-out", "at most 10"),
        (["own", *replaced("../corpus.fr", "../same")], "../same", "--languages"),
        (["own", *replaced("../corpus.fr", "../train.src")], "../train.src", "--languages"),
        (["own", *SETS, "--languages", "f r", "en"], "--languages", "match pattern"),
        (["own", *replaced("../corpus.en", "../corpus.fr")], "corpus.fr", "'fr' is the source"),
        (["own", *replaced("../dev.fr", "../dev.en")], "../dev.en", "'fr' is expected"),
        (["own", *replaced("../corpus.en", "../dev.en")], "dev.en", "has 10"),
        (["own", *replaced("../dev.en", "../blank.en")], "blank.en:3", "blank"),
        (["own", *replaced("../corpus.fr", "../long.fr")], "--train", "no training pair"),
        (["own", *replaced("../test.en", "../x.sgm")], "../x.sgm", "no <seg>"),
        (["own", *SETS, "--systems", "base,bas"], "--systems", "did you mean 'base'"),
        (["own", *SETS, "--systems", "base,ensemble"], "--systems", "global_location_feed"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(new, arguments, place, word):
    write_lines(Path("../blank.en"), ["a", "b", " ", *"cdefghi"])
    write_lines(Path("../x.sgm"), ["<srcset setid='x'>"])
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


@pytest.mark.parametrize(
    ("pairs", "epochs", "min_count"), [(60, 40, 1), (12_000, 10, 1), (40_000, 10, 2)]
)
def test_the_vocabulary_has_the_words_that_each_side_repeats(tmp_path, pairs, epochs, min_count):
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
    assert (proposal.epochs, proposal.size.min_count) == (epochs, min_count)


THAI = "กขคงจฉ"


def test_characters_do_not_limit_the_vocabulary_of_words(tmp_path):
    files = (tmp_path / "x.th", tmp_path / "x.en")
    write_lines(files[0], [*(THAI[n % 3 :] * 2 for n in range(399)), f"{THAI}ซ"])  # one is rare
    write_lines(files[1], [f"w{n % 200} w{(n * 7) % 200}" for n in range(400)])
    proposal = propose(languages("th", "en", texts=("ไทย", "a b")), files)
    assert proposal.vocabulary == len(SPECIAL) + 200
    assert proposal.unknown == {"th": 0, "en": 0}


def test_a_search_gets_the_lengths_that_the_text_needs(tmp_path):
    """Each token of one side has six of the other. No pair but one in a thousand is outside."""
    files = (tmp_path / "x.ar", tmp_path / "x.th")
    lines = [["w" * (1 + n * k % 50) for k in range(1, 5 + n % 3)] for n in range(2000)]
    write_lines(files[0], map(" ".join, lines))
    write_lines(files[1], (THAI * len(line) for line in lines))
    pair = languages("ar", "th", texts=("a b", "ไทย"))
    assert propose(languages("ar", "fa"), (files[0], files[0])).ratios == {}
    assert propose(pair, files).ratios == {"max_ratio": 5.3}  # 37 / 7 with </s>
    assert propose(pair, files, ["backward"]).ratios == {"min_ratio": 0.16}  # 4 / 25
    both = propose(pair, files, ["forward", "backward"])
    assert both.ratios == {"min_ratio": 0.16, "max_ratio": 5.3}
    text = params_text("x", both, ["base"], ["luong"], lines=250)
    values = yaml.safe_load(text)
    assert values["evaluation"]["length_group"] == 41  # six groups
    assert {key: values["decoding"][key] for key in both.ratios} == both.ratios
    rules = SearchRules(**both.ratios)
    for line in lines:
        S, T = len(line), 6 * len(line)
        assert limits(rules, S).least <= T < limits(rules, S).most
        assert limits(rules, T).least <= S < limits(rules, T).most
        assert limits(SearchRules(), S).most < T


def test_divided_text_has_no_source_twice(tmp_path):
    sources = [f"s{n % 30}" for n in range(60)]
    train = (tmp_path / "x.a", tmp_path / "x.b")
    write_lines(train[0], [*sources, "", "t", "\u200b"])
    write_lines(train[1], [*map(str, range(60)), "blank", " ", "blank"])
    parts = {}
    for attempt in ("one", "two"):
        folder = tmp_path / attempt
        folder.mkdir()
        # Each of the ten sources that are drawn is there twice.
        assert write_divided(train, ("a", "b"), 5, folder) == 10
        parts[attempt] = {path.name: path.read_text() for path in folder.iterdir()}
    assert parts["one"] == parts["two"]
    sets = {name: read_lines(tmp_path / f"one/{name}.a") for name in ("train", "dev", "test")}
    assert [len(lines) for lines in sets.values()] == [63 - 2 * 10, 5, 5]
    assert not {*sets["dev"]} & {*sets["test"]}
    assert not {*sets["train"]} & {*sets["dev"], *sets["test"]}
    for count, rows in ((16, [f"s{n}" for n in range(31)]), (1, ["a", "b"])):
        for file in train:
            write_lines(file, rows)
        with pytest.raises(InputError, match="--hold-out: "):
            write_divided(train, ("a", "b"), count, tmp_path)
