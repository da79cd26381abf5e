"""``attnmt new``: an experiment of one's own text, from files to parameters."""

import gzip
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from attnmt import cli
from attnmt.commands import new as command
from attnmt.config import LocalCorpus, Params, load_params
from attnmt.config.generated import models_yaml
from attnmt.corpora.overlap import find_overlap
from attnmt.corpora.own_text import write_divided
from attnmt.corpora.raw_text import write_local
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines, write_lines
from attnmt.layout import Layout
from attnmt.planning.proposal import propose_language

ROOT = Path(__file__).parents[2]
Attnmt = Callable[..., tuple[int, str, str]]
FRENCH = [f"L'homme numéro {n} n'est pas là ." for n in range(60)]
ENGLISH = [f"Man number {n} isn't there." for n in range(60)]


@pytest.fixture
def attnmt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Attnmt:
    """Return a function that runs ``attnmt new`` in a project with some text beside it."""
    project = tmp_path / "project"
    for name in ("systems.yaml", "claims.yaml", "dvc.yaml", "params.yaml"):
        project.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, project / name)
    monkeypatch.chdir(project)
    monkeypatch.setattr(command, "_cost", lambda params, measure: "Cost: nothing.")
    for name, lines in {
        "corpus": slice(0, 40),
        "dev": slice(40, 50),
        "test": slice(50, 60),
    }.items():
        write_lines(Path(f"../{name}.fr"), FRENCH[lines])
        write_lines(Path(f"../{name}.en"), ENGLISH[lines])

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["attnmt", "new", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


def three_sets(train: str = "corpus") -> list[str]:
    sets = {"train": train, "dev": "dev", "test": "test"}
    return [
        part
        for key, name in sets.items()
        for part in (f"--{key}", f"../{name}.fr", f"../{name}.en")
    ]


def params_of(name: str) -> Params:
    return load_params(Path("experiments", name, "params.yaml"))


def test_an_experiment_is_ready_to_run(attnmt: Attnmt, tmp_path: Path) -> None:
    status, out, err = attnmt("my-study", *three_sets())
    assert (status, err) == (0, "")
    folder, params = Path("experiments/my-study"), params_of("my-study")
    assert (params.languages.source.name, params.languages.target.name) == ("French", "English")
    assert params.languages.source.tokenize == params.languages.target.tokenize == "moses"
    assert params.languages.title("backward") == "English-French"
    assert {*params.models} == {*command.PROPOSED}
    assert (folder / "models.yaml").read_text() == models_yaml(params)
    assert yaml.safe_load((folder / "models.yaml").read_text())["local_text"] == f"{folder}/text"
    assert (folder / "dvc.yaml").read_bytes() == Path("dvc.yaml").read_bytes()
    assert (folder / "text/train.fr").resolve() == (tmp_path / "corpus.fr").resolve()
    assert "snakemake -j2 --config experiment=my-study" in out
    raw = tmp_path / "raw"
    raw.mkdir()
    write_local(Layout("my-study").local_text, params.languages, params.sets, raw)
    assert read_lines(raw / "train.fr") == FRENCH[:40]
    assert read_lines(raw / "test.en") == ENGLISH[50:]


def test_references_links_and_a_second_test_come_along(attnmt: Attnmt) -> None:
    write_lines(Path("../other.txt"), [f"There is no man {n}." for n in range(10)])
    write_lines(Path("../gold"), ["0-0 1?1"] * 10)
    more = ["--reference", "../other.txt", "--links", "../gold"]
    more += ["--second-test", "../dev.fr", "../dev.en", "--copy"]
    status, _, err = attnmt("own", *three_sets(), *more)
    assert status == 0, err
    text = {path.name for path in Path("experiments/own/text").iterdir()}
    sides = {
        f"{name}.{code}" for name in ("train", "dev", "test", "test2") for code in ("fr", "en")
    }
    assert text == {*sides, "test.en.2", "test.links"}
    assert not any(path.is_symlink() for path in Path("experiments/own/text").iterdir())
    assert params_of("own").sets.tests == ["test", "test2"]


def test_compressed_files_and_codes_of_ones_own(attnmt: Attnmt) -> None:
    for code in ("fr", "en"):
        with gzip.open(f"../corpus.{code}.gz", "wb") as stream:
            stream.write(Path(f"../corpus.{code}").read_bytes())
    train = ["--train", "../corpus.fr.gz", "../corpus.en.gz", "--hold-out", "5"]
    status, _, err = attnmt("own", *train, "--languages", "xx", "yy", "--systems", "all")
    assert status == 0, err
    params = params_of("own")
    assert [side.tokenize for side in (params.languages.source, params.languages.target)] == [
        "plain"
    ] * 2
    assert params.languages.title("forward") == "xx-yy"
    raw = sum(Path(f"../corpus.{code}").stat().st_size for code in ("fr", "en"))
    assert isinstance(params.corpus, LocalCorpus)
    assert params.corpus.expected is not None
    assert params.corpus.expected.raw_bytes == raw
    assert len(params.models) == 27
    assert list(params.families) == ["luong", "luong_bpe", "course"]
    text = Layout("own").local_text
    sizes = {name: len(read_lines(text / f"{name}.xx")) for name in ("train", "dev", "test")}
    assert sizes == {"train": 30, "dev": 5, "test": 5}


def test_sentences_of_the_test_that_training_has_are_named(attnmt: Attnmt) -> None:
    write_lines(Path("../test.fr"), [*FRENCH[50:58], FRENCH[7], FRENCH[8]])
    write_lines(Path("../test.en"), [*ENGLISH[50:58], ENGLISH[7], "Another translation."])
    status, _, err = attnmt("own", *three_sets())
    assert status == 0
    assert err == (
        "warning: 2 of the 10 source sentences of test are in the training text, 1 with the same "
        "translation; the first is line 9 (line 8 of the training text). Such lines make the scores "
        "too high.\n"
    )


def replaced(old: str, new: str) -> list[str]:
    return [new if part == old else part for part in three_sets()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["my study", *three_sets()], "name: 'my study' cannot be a folder's name here"),
        (["demo", *three_sets()], "experiments/demo: this experiment exists already"),
        (["own", *three_sets()[:3]], "--dev: no files; give them, or take pairs out of"),
        (["own", *three_sets(), "--hold-out", "3"], "--hold-out: --dev is given, too"),
        (
            ["own", *three_sets()[:3], "--hold-out", "11"],
            "--hold-out: dev and test would take 22 of only 40 pairs",
        ),
        (["own", *replaced("../corpus.en", "../dev.en")], "dev.en has 10"),
        (["own", *replaced("../corpus.en", "../none.en")], "../none.en: no such file"),
        (["own", *replaced("../corpus.en", "..")], "..: "),
        (["own", *replaced("../corpus.en", "../corpus.fr")], "both have the code 'fr'"),
        (
            ["own", *replaced("../corpus.en", "../latin.en")],
            "../latin.en:2: byte 0xe9 is not UTF-8",
        ),
        (
            ["own", *replaced("../dev.en", "../blank.en")],
            "../blank.en:3: blank line in a set that is",
        ),
        (
            ["own", *three_sets(), "--systems", "base,bas"],
            "has no system 'bas'; did you mean 'base'?",
        ),
        (
            ["own", *three_sets(), "--tokenize", "mosses", "none"],
            "no rule 'mosses'; did you mean 'moses'",
        ),
        (
            ["own", *three_sets(), "--languages", "f r", "en"],
            "'f r' cannot be the code of a language",
        ),
        (
            ["own", *three_sets(), "--languages", "links", "en"],
            "'links' cannot be the code of a language",
        ),
        (["own", *three_sets(), "--reference", "../corpus.en"], "corpus.en has 40"),
        (["own", *three_sets(), "--links", "../dev.en"], "dev.en:1: 'Man' is not a link"),
        (["own", *three_sets()[:3], "--hold-out", "3", "--links", "x"], "they belong to --test"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(
    attnmt: Attnmt, arguments: list[str], message: str
) -> None:
    Path("../latin.en").write_bytes(b"a\n\xe9\n" + b"b\n" * 38)
    write_lines(Path("../blank.en"), ["a", "b", " ", *"cdefghi"])
    status, out, err = attnmt(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert not Path("experiments/own").exists()


def test_an_experiment_is_not_written_over(attnmt: Attnmt) -> None:
    assert attnmt("own", *three_sets())[0] == 0
    before = Path("experiments/own/params.yaml").read_text()
    status, _, err = attnmt("own", *three_sets(), "--systems", "base")
    assert status == 2
    assert "this experiment exists already" in err
    assert Path("experiments/own/params.yaml").read_text() == before


@pytest.mark.parametrize(
    ("code", "line", "rule", "name"),
    [
        ("de", "Das ist ein Haus.", "moses", "German"),
        ("qqq", "kla fon bra", "plain", "qqq"),
        ("zh", "我喜欢喝茶和吃水果。", "characters", "Chinese"),
        ("ja", "私はお茶が好きです。", "characters", "ja"),
    ],
)
def test_the_rule_suits_the_text(code: str, line: str, rule: str, name: str) -> None:
    language = propose_language(code, [line])
    assert (language.tokenize, language.name) == (rule, name)


Lines = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(train=Lines, test=Lines, data=st.data())
def test_overlap_is_that_of_a_plain_comparison(
    tmp_path_factory: pytest.TempPathFactory, train: list[str], test: list[str], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("overlap")
    sides = {}
    for name, sources in (("train", train), ("test", test)):
        size = len(sources)
        targets = data.draw(st.lists(st.sampled_from("xy"), min_size=size, max_size=size))
        sides[name] = list(zip(sources, targets, strict=True))
        write_lines(folder / f"{name}.a", sources)
        write_lines(folder / f"{name}.b", targets)
    files = {name: (folder / f"{name}.a", folder / f"{name}.b") for name in sides}
    overlap = find_overlap(files["train"], files["test"])
    rows = list(enumerate(sides["test"], start=1))
    assert overlap.sources == {
        n: train.index(source) + 1 for n, (source, _) in rows if source in train
    }
    assert overlap.pairs == [n for n, row in rows if row in sides["train"]]
    assert overlap.lines == len(test)


def test_divided_text_has_no_source_twice(tmp_path: Path) -> None:
    sources = [f"s{n % 30}" for n in range(60)]
    train = (tmp_path / "x.a", tmp_path / "x.b")
    write_lines(train[0], [*sources, "", "t"])
    write_lines(train[1], [*map(str, range(60)), "blank", " "])
    parts = {}
    for attempt in ("one", "two"):
        folder = tmp_path / attempt
        folder.mkdir()
        write_divided(train, ("a", "b"), 5, 62, folder)
        parts[attempt] = {path.name: path.read_text() for path in folder.iterdir()}
    assert parts["one"] == parts["two"]
    sets = {name: read_lines(tmp_path / f"one/{name}.a") for name in ("train", "dev", "test")}
    assert (len(sets["dev"]), len(sets["test"])) == (5, 5)
    assert not {*sets["dev"]} & {*sets["test"]}
    assert not {*sets["train"]} & {*sets["dev"], *sets["test"]}
    assert len(sets["train"]) == 62 - 2 * 10
    with pytest.raises(InputError, match="only 30 different source sentences"):
        write_divided(train, ("a", "b"), 16, 640, tmp_path)
