"""``attnmt new``: an experiment of one's own text, from files to parameters."""

import gzip
import os
import random
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from small_project import ROOT, Command

from attnmt.commands import new as command
from attnmt.config import Languages, Params, SearchRules, load_params
from attnmt.config.generated import models_yaml
from attnmt.corpora.own_text import find_overlap, write_divided
from attnmt.corpora.raw_text import write_local
from attnmt.decoding.rules import limits
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines, write_lines
from attnmt.layout import Layout
from attnmt.planning import proposal
from attnmt.planning.proposal import params_text, propose, propose_language
from attnmt.planning.text_size import EXPECTED, TextSize, training_sizes
from attnmt.text.encode import encode_sets
from attnmt.text.tokens import tokenize_sets
from attnmt.text.vocabulary import SPECIAL

FRENCH = [f"L'homme numéro {n} n'est pas là." for n in range(60)]
ENGLISH = [f"Man number {n} isn't there." for n in range(60)]
TRAIN = ["--train", "../corpus.fr", "../corpus.en"]
COST = command._cost
SETS = [*TRAIN, "--dev", "../dev.fr", "../dev.en", "--test", "../test.fr", "../test.en"]


@pytest.fixture
def new(attnmt: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs ``attnmt new`` in a project with some text beside it."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("systems.yaml", "claims.yaml", "dvc.yaml", "params.yaml"):
        shutil.copy(ROOT / name, project / name)
    monkeypatch.chdir(project)
    monkeypatch.setattr(command, "_cost", lambda params, measure: "Cost: nothing.")
    for name, lines in {"corpus": (0, 40), "dev": (40, 50), "test": (50, 60)}.items():
        write_lines(Path(f"../{name}.fr"), FRENCH[slice(*lines)])
        write_lines(Path(f"../{name}.en"), ENGLISH[slice(*lines)])
    return lambda *arguments: attnmt("new", *arguments)


def params_of(name: str) -> Params:
    return load_params(Path("experiments", name, "params.yaml"))


def made(new: Command, *arguments: str) -> Params:
    """Make the experiment ``own``; return its parameters."""
    status, _, err = new("own", *arguments)
    assert status == 0, err
    return params_of("own")


def test_an_experiment_is_ready_to_run(new, tmp_path):
    status, out, err = new("my-study", *SETS)
    assert (status, err) == (0, "")
    folder, params = Path("experiments/my-study"), params_of("my-study")
    assert (params.languages.source.name, params.languages.target.name) == ("French", "English")
    assert (params.languages.source.tokenize, params.languages.target.tokenize) == (
        "words",
        "moses",
    )
    assert params.languages.title("backward") == "English-French"
    assert {*params.models} == {*command.PROPOSED}
    assert (folder / "models.yaml").read_text() == models_yaml(params)
    assert yaml.safe_load((folder / "models.yaml").read_text())["local_text"] == f"{folder}/text"
    assert (folder / "dvc.yaml").read_bytes() == Path("dvc.yaml").read_bytes()
    assert (folder / "text/train.fr").resolve() == (tmp_path / "corpus.fr").resolve()
    assert "snakemake -j2 --config experiment=my-study" in out
    assert params.families["luong"].shape.window_D == 2
    assert "window_D 2: a local window has 5 words, so local attention is global for 0% of" in out
    raw = tmp_path / "raw"
    raw.mkdir()
    write_local(Layout("my-study").local_text, params.languages, params.sets, raw)
    assert read_lines(raw / "train.fr") == FRENCH[:40]
    assert read_lines(raw / "test.en") == ENGLISH[50:]


def test_references_and_links_come_along(new):
    write_lines(Path("../other.txt"), [f"There is no man {n}." for n in range(10)])
    write_lines(Path("../gold"), LINKS["ours"])
    made(new, *SETS, "--reference", "../other.txt", "--links", "../gold")
    text = {path.name for path in Path("experiments/own/text").iterdir()}
    sides = {f"{name}.{code}" for name in ("train", "dev", "test") for code in ("fr", "en")}
    assert text == {*sides, "test.en.2", "test.links"}


def text_of(name: str) -> dict[str, str]:
    """Return what the files in the experiment's folder hold."""
    return {path.name: path.read_text() for path in (Layout(name).local_text).iterdir()}


def test_sgm_and_tsv_become_plain_copies(new):
    for code, texts in (
        ("fr", ["Un.", "Deux &amp; trois."]),
        ("en", ["One.", "Two &amp; three."]),
        ("other", ["1.", ""]),
    ):
        segments = "".join(f'<seg id="{n}">{text}</seg>' for n, text in enumerate(texts))
        Path(f"../t.{code}.sgm").write_text(f'<doc docid="d" sysid="{code}">{segments}</doc>')
    rows = zip(FRENCH[:40], ENGLISH[:40], strict=True)
    write_lines(Path("../t.tsv"), map("\t".join, rows))
    made(
        new,
        *("--train", "../t.tsv", "../t.tsv", "--languages", "fr", "en"),
        *("--dev", "../dev.fr", "../dev.en", "--test", "../t.fr.sgm", "../t.en.sgm"),
        *("--reference", "../t.other.sgm"),
    )
    text = text_of("own")
    assert text["test.fr"] == "Un.\nDeux & trois.\n"
    assert text["test.en"] == "One.\nTwo & three.\n"
    assert text["test.en.2"] == "1.\n\n"
    assert text["train.en"].splitlines() == ENGLISH[:40]
    links = {path.name for path in Layout("own").local_text.iterdir() if path.is_symlink()}
    assert links == {"dev.fr", "dev.en"}


# Of "L'homme numéro 50 n'est pas là ." our tokens are L' homme numéro 50 n' est pas là .
LINKS = {
    "ours": ["0-0 1?0 8-5"] * 10,
    "between spaces": ["0-0 1?0 5-4"] * 10,
}


def test_links_of_other_tokens_get_a_set_of_their_own(new, tmp_path):
    """It is not tokenized again, and as such a set must not be scored, it is no test set."""
    write_lines(Path("../gold"), LINKS["between spaces"])
    status, _, err = new("own", *SETS, "--links", "../gold")
    assert status == 0, err
    assert "../gold: the links count the words between spaces and not our tokens" in err
    params = params_of("own")
    assert params.sets.tests == ["test"]
    assert (params.sets.aligned, params.tokenize.tokenized) == (["gold"], ["gold"])
    text = text_of("own")
    assert text["gold.fr"] == text["test.fr"]
    assert "test.links" not in text
    for folder in ("raw", "tokens"):
        (tmp_path / folder).mkdir()
    write_local(Layout("own").local_text, params.languages, params.sets, tmp_path / "raw")
    tokenize_sets(
        tmp_path / "raw", tmp_path / "tokens", params.languages, params.sets, params.tokenize
    )
    assert read_lines(tmp_path / "tokens/gold.links") == LINKS["between spaces"]
    assert read_lines(tmp_path / "tokens/gold.fr")[0] == "L'homme numéro 50 n'est pas là."


def test_links_count_the_words_that_both_sides_have(new):
    """Our tokens of one side may be as many as somebody else's, and not those of the other side."""
    write_lines(Path("../test.fr"), [f"Je ne sais {n} ." for n in range(10)])
    write_lines(Path("../test.en"), [f"I don't know {n} ." for n in range(10)])
    write_lines(Path("../gold"), ["0-0 2-2 3-3 4-4"] * 10)
    params = made(new, *SETS, "--links", "../gold")
    assert (params.sets.aligned, params.tokenize.tokenized) == (["gold"], ["gold"])


@pytest.mark.parametrize(
    ("name", "line", "options", "expected"),
    [
        ("gold", "0-0 1?0 8-5", [], "0-0 1?0 8-5"),
        ("gold", "0-0 1?1", [], "0-0 1?1"),  # fits both
        ("gold", "0-0 0?1 5-8", ["--flip"], "0-0 1?0 8-5"),
        ("gold.talp", "1-1 1p2 6-9", ["--flip"], "0-0 1?0 8-5"),
    ],
)
def test_links_of_our_tokens_are_those_of_the_set(new, name, line, options, expected):
    """They are linked to if they are written as ours, and else written anew."""
    write_lines(Path("..", name), [line] * 10)
    params = made(new, *SETS, "--links", f"../{name}", *options)
    assert (params.sets.aligned, params.tokenize.tokenized) == (["test"], [])
    assert text_of("own")["test.links"].splitlines() == [expected] * 10
    assert (Layout("own").local_text / "test.links").is_symlink() == (line == expected)


@pytest.mark.parametrize(
    ("given", "codes", "names"),
    [
        (("fra", "en_US"), ("fr", "en"), ("French", "English")),
        (("fr-CA", "en-GB"), ("fr", "en"), ("French", "English")),
        (
            ("zh-Hans", "zh-Hant"),
            ("zh_Hans", "zh_Hant"),
            ("Chinese (zh_Hans)", "Chinese (zh_Hant)"),
        ),
    ],
)
def test_other_codes_of_a_language_become_the_usual_one(new, given, codes, names):
    params = made(new, *SETS, "--languages", *given)
    sides = (params.languages.source, params.languages.target)
    assert params.languages.codes == codes
    assert tuple(side.name for side in sides) == names


def test_a_code_that_nobody_knows_is_said(new):
    status, _, err = new("own", *SETS, "--languages", "qqq", "en")
    assert status == 0
    assert "note: no language is known by the code 'qqq', so only the text decides" in err
    assert "'en'" not in err


def test_what_an_earlier_experiment_left_is_named(new):
    made(new, *SETS)
    shutil.rmtree("experiments/own")
    for folder in ("data/own/encoded", "models/own", "reports/own"):
        Path(folder).mkdir(parents=True)
    status, _, err = new("own", *SETS)
    assert status == 2
    left = "data/own, models/own, reports/own: of an earlier experiment of this name; choose"
    assert left in err


def test_all_lines_and_sets_are_looked_at(new):
    """The first lines may be others than the rest, and a test set may have another form."""
    lines = [*["heading"] * 1100, *["我们去了北京。"] * 1500]
    write_lines(Path("../corpus.fr"), lines)
    write_lines(Path("../corpus.en"), [f"{n}, a house." for n in range(len(lines))])
    write_lines(Path("../dev.en"), ["a house , a dog ."] * 10)
    status, _, err = new("own", *SETS)
    assert status == 0
    assert params_of("own").languages.source.tokenize == "characters"
    assert "../dev.en is tokenized, and the training text is not; give all sets in one form" in err
    assert err.count("tokenized") == 1
    for kind, code, line in (("srcset", "fr", "那里。"), ("refset", "en", "a house , a dog .")):
        segments = "".join(f'<seg id="{n}">{line}</seg>' for n in range(10))
        text = f'<{kind} setid="x"><doc docid="d" sysid="x">{segments}</doc></{kind}>'
        Path(f"../t.{code}.sgm").write_text(text)
    err = new("other", *SETS[:6], "--test", "../t.fr.sgm", "../t.en.sgm")[2]
    assert "note: ../t.en.sgm is tokenized, and the training text is not" in err


def test_pairs_are_compared_in_one_form(tmp_path):
    train, dev = ((tmp_path / f"{name}.fr", tmp_path / f"{name}.en") for name in ("train", "dev"))
    write_lines(train[0], [f"e\u0301te\u0301 {n}" for n in range(10)] + ["\u200b", "\ufeff"])
    write_lines(dev[0], [f"\u00e9t\u00e9  {n}\u200b" for n in range(10)] + ["a", "b"])
    for file in (train[1], dev[1]):
        write_lines(file, map(str, range(12)))
    assert len(find_overlap(train, dev)) == 10
    write_divided(train, ("fr", "en"), 5, tmp_path)
    assert not {"\u200b", "\ufeff"} & {
        *read_lines(tmp_path / "dev.fr"),
        *read_lines(tmp_path / "test.fr"),
    }
    write_lines(train[0], ["a", "b"])
    write_lines(train[1], ["a", "b"])
    with pytest.raises(InputError, match="--hold-out: no pair is left to train on"):
        write_divided(train, ("fr", "en"), 1, tmp_path)


def test_compressed_files_and_codes_of_ones_own(new):
    for code in ("fr", "en"):
        with gzip.open(f"../corpus.{code}.gz", "wb") as stream:
            stream.write(Path(f"../corpus.{code}").read_bytes())
    train = ["--train", "../corpus.fr.gz", "../corpus.en.gz", "--hold-out", "5"]
    params = made(new, *train, "--languages", "xx", "yy", "--systems", "all")
    assert params.languages.source.tokenize == params.languages.target.tokenize == "words"
    assert params.languages.title("forward") == "xx-yy"
    assert len(params.models) == 27
    assert list(params.families) == ["luong", "luong_bpe", "course"]
    text = Layout("own").local_text
    sizes = {name: len(read_lines(text / f"{name}.xx")) for name in ("train", "dev", "test")}
    assert sizes == {"train": 30, "dev": 5, "test": 5}


def test_each_test_adds_a_set(new):
    params = made(new, *SETS, "--test=../dev.fr", "../dev.en", "--reference", "../test.en")
    assert params.sets.tests == ["test", "test2"]
    text = Layout("own").local_text
    assert read_lines(text / "test.fr") == FRENCH[50:]
    assert read_lines(text / "test2.fr") == FRENCH[40:50]
    assert (text / "test.en.2").exists()


@pytest.mark.parametrize("code", ["no", "123"])
def test_a_code_that_yaml_would_not_read_as_text_stays_text(new, code):
    assert made(new, *SETS, "--languages", "fr", code).languages.target.code == code


@pytest.mark.parametrize("ending", [InputError("no"), KeyboardInterrupt()])
def test_what_cannot_be_finished_leaves_no_folder(new, monkeypatch, ending):
    def fails(params: Params) -> bool:
        raise ending

    monkeypatch.setattr(command, "write_models", fails)
    monkeypatch.setattr(os, "_exit", sys.exit)  # this process goes on
    status, out, _ = new("own", *SETS)
    assert (status, out) == (2 if isinstance(ending, InputError) else 130, "")
    assert not Path("experiments/own").exists()


def test_an_experiment_stays_if_ctrl_c_ends_the_measurement(new, monkeypatch):
    def stopped(params: Params, names: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_cost", COST)
    monkeypatch.setattr("attnmt.planning.measure.measure_speeds", stopped)
    monkeypatch.setattr(os, "_exit", sys.exit)  # if it ended, this process would go on
    status, out, err = new("own", *SETS)
    assert (status, params_of("own").experiment) == (0, "own")
    assert err == (
        "Measuring the speed of this machine; this takes 20 seconds. Ctrl-C leaves it out.\n"
    )
    assert "Proposed: 1 layer" in out
    assert (
        "\nCost: not measured, as Ctrl-C came; attnmt plan --experiment own --measure estimates it.\n"
    ) in out
    assert "\nNext:\n" in out


def test_the_parameters_end_with_a_line_feed(new):
    made(new, *SETS)
    text = Path("experiments/own/params.yaml").read_text()
    assert text.endswith("other_code: restart\n")


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


def stages_sizes(params: Params) -> tuple[dict[str, Any], dict[str, TextSize]]:
    """Run the corpus, tokens and encode stages; return what they say of the training text."""
    layout = Layout("own")
    for folder in (layout.raw, layout.tokens, *map(layout.encoded, params.families)):
        folder.mkdir(parents=True)
    write_local(layout.local_text, params.languages, params.sets, layout.raw)
    counts = tokenize_sets(
        layout.raw, layout.tokens, params.languages, params.sets, params.tokenize
    )
    for name, family in params.families.items():
        folder = layout.encoded(name)
        encode_sets(layout.tokens, folder, params.languages, params.sets, family.encoding)
    return counts["sets"]["train"], training_sizes(params, params.models)


EACH_FAMILY = "base,base_reverse,local_p_general_feed_bpe,gru_multiplicative"


def test_what_is_said_before_the_stages_is_what_they_count(new):
    write_uneven(3000)
    status, out, err = new("own", *TRAIN, "--hold-out", "200", "--systems", EACH_FAMILY)
    assert (status, err) == (0, "")
    params = params_of("own")
    before = training_sizes(params, params.models)
    train, after = stages_sizes(params)
    assert set(before) == {"luong", "luong_bpe", "course"}
    assert (before["luong"].pairs, before["luong"].words) == (
        after["luong"].pairs,
        after["luong"].words,
    )
    assert before["luong"].estimate == EXPECTED
    pairs, dropped = train["lines"], train["dropped"]
    tokens = [train["text"][code]["tokens"] for code in ("fr", "en")]
    raw = len(read_lines(Layout("own").local_text / "train.fr"))
    shared, left_out = 2600 - raw, 2600 - pairs
    assert min(dropped["long"], dropped["empty"], shared) > 10
    assert raw == pairs + dropped["long"] + dropped["empty"]
    first, second = out.splitlines()[:2]
    assert first == (
        f"experiments/own: {pairs:,} training pairs, 200 each for dev and test; French (words, "
        f"{tokens[0]:,} tokens), English (moses, {tokens[1]:,} tokens)"
    )
    assert second == (
        f"Left out: {left_out} of 2,600 training pairs ({left_out / 2600:.1%}): {dropped['long']} "
        f"longer than 50 tokens, {dropped['empty']} with an empty side, {shared} with a source that "
        f"dev or test has"
    )
    recipe = params.families["luong"].training
    assert recipe.evaluate_every == round(pairs / recipe.batch_size)


def test_what_is_said_of_a_long_text_is_nearly_what_the_stages_count(new, monkeypatch):
    monkeypatch.setattr(proposal, "SAMPLE", 1000)
    write_uneven(5000)
    status, out, _ = new("own", *SETS)
    assert status == 0
    params = params_of("own")
    before = training_sizes(params, params.models)["luong"]
    train, after = stages_sizes(params)
    assert f"experiments/own: about {before.pairs:,} training pairs" in out
    assert "Left out: about" in out
    assert before.pairs == pytest.approx(train["lines"], rel=0.03)
    assert before.words == pytest.approx(after["luong"].words, rel=0.05)


@pytest.mark.parametrize("line", ["a " * 60, " "])
def test_if_much_is_left_out_it_says_what_helps(new, line):
    for count, warned in ((10, False), (11, True)):
        write_lines(Path("../corpus.fr"), [*FRENCH[:40], *[line] * count])
        write_lines(Path("../corpus.en"), [*ENGLISH[:40], *["b"] * count])
        _, _, err = new(f"own{count}", *SETS)
        assert ("warning: 22% of the training pairs are left out; put one" in err) == warned


def test_a_text_of_a_few_sentences_is_not_for_holding_out(new):
    write_lines(Path("../corpus.fr"), FRENCH[:10] * 10)
    write_lines(Path("../corpus.en"), ENGLISH[:10] * 10)
    status, out, err = new("own", *TRAIN, "--hold-out", "2")
    assert status == 0
    assert "Left out: 36 of 96 training pairs (37.5%): 36 with a source that dev or test has" in out
    assert "or hold out fewer pairs" in err


def test_overlap_is_that_of_a_plain_comparison(tmp_path):
    chance, rows = random.Random(1), {}
    for name, sources in {"train": "bcdefgh", "test": "abcdefgh"}.items():
        rows[name] = [(chance.choice(sources), chance.choice("vwxyz")) for _ in range(40)]
        for at, code in enumerate("ab"):
            write_lines(tmp_path / f"{name}.{code}", (f"{row[at]} " for row in rows[name]))
    files = ((tmp_path / f"{name}.a", tmp_path / f"{name}.b") for name in rows)
    train = [source for source, _ in rows["train"]]
    expected = [
        (number, train.index(row[0]) + 1, row in rows["train"])
        for number, row in enumerate(rows["test"], start=1)
        if row[0] in train
    ]
    assert find_overlap(*files) == expected
    assert {pair for *_, pair in expected} == {True, False}


def test_sentences_of_the_test_that_training_has_are_named(new):
    write_lines(Path("../test.fr"), [*FRENCH[50:58], FRENCH[7], FRENCH[8]])
    write_lines(Path("../test.en"), [*ENGLISH[50:58], ENGLISH[7], "Another translation."])
    status, _, err = new("own", *SETS)
    assert status == 0
    assert err == (
        "warning: 2 of the 10 source sentences of test are in the training text, 1 with the same "
        "translation; the first is line 9 (line 8 of the training text). Such lines make the scores "
        "too high.\n"
    )


def replaced(old: str, new: str) -> list[str]:
    return [new if part == old else part for part in SETS]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            ([name, *SETS], f"NAME: {name!r} cannot be an experiment's name; begin with a letter")
            for name in (
                "my study",
                "1e5",
                "nan",
                "no",
                "null",
                "2015-01-01",
                "@work",
                "[x",
                "study-",
            )
        ),
        (["demo", *SETS], "experiments/demo: this experiment exists already"),
        (["own", *TRAIN], "or take pairs out of the training text with --hold-out 4\n"),
        (["own", *SETS[:6]], "--test: no files; give them\n"),  # --hold-out would be refused
        (["own", "--train", "../few.fr", "../few.en"], "--dev: no files; give them\n"),
        (["own", "--train", "../many.fr", "../many.en"], "training text with --hold-out 1000\n"),
        (["own", "--train", "../x.sgm", "../x.sgm", "--languages", "fr", "en"], "--dev: no files"),
        (
            ["own", *replaced("../corpus.fr", "../same")],
            "../same: its name has no suffix that says its language, as corpus.fr has; give the codes",
        ),
        (
            ["own", "--train", "../fr.txt", "../en.txt", *SETS[3:]],
            "../fr.txt and ../en.txt: .txt is no language's code; give the codes of the two "
            "languages, as in --languages fr en\n",
        ),
        (
            ["own", "--train", "../t.tsv", "../t.tsv", *SETS[3:]],
            "../t.tsv: .tsv is no language's code; give the codes",
        ),
        (["own", *SETS, "--dev", "../test.fr", "../test.en"], "--dev: given twice; give"),
        (["own", *SETS, "--test", "../dev.fr"], "--test: needs two files, SOURCE TARGET"),
        (["own", *SETS, "--hold-out", "3"], "--hold-out: --dev is given, too"),
        (["own", *TRAIN, "--hold-out", "11"], "of only 40; hold out at most 10"),
        (
            ["own", "--train", "../pipe.fr", "../corpus.en", *SETS[3:]],
            "pipe.fr: a pipe can be read",
        ),
        (["own", *replaced("../corpus.en", "../dev.en")], "dev.en has 10"),
        (["own", *replaced("../corpus.en", "../corpus.fr")], "corpus.fr: 'fr' is the source, too"),
        (["own", *replaced("../dev.en", "../blank.en")], "blank.en:3: blank line in a set that"),
        (["own", *SETS, "--systems", "base,bas"], "has no system 'bas'; did you mean"),
        (["own", *SETS, "--systems", "base,ensemble"], "ensemble needs global_location_feed, "),
        (
            ["own", "--train", "../train.src", "../train.tgt", *SETS[3:]],
            "../train.src and ../train.tgt: their suffixes name no languages; give the codes",
        ),
        (["own", *SETS, "--languages", "f r", "en"], "--languages: 'f r' is no code; a code has"),
        (
            ["own", *TRAIN, "--dev", "../dev.en", "../dev.fr", *SETS[6:]],
            "../dev.en: its name says that it is in 'en', and the text of 'fr' is expected here",
        ),
        (["own", *SETS, "--reference", "../corpus.en"], "corpus.en has 40"),
        (
            ["own", *replaced("../corpus.fr", "../long.fr")],
            "--train: no training pair is left: 40 are",
        ),
        (["own", *SETS, "--links", "../dev.en"], "dev.en:1: 'Man' is not a link"),
        (
            ["own", *SETS, "--links", "../far"],
            "far:2: link 11-0 lies outside the pair's 11 and 7 tokens",
        ),
        (["own", *SETS, "--links", "../columns"], 'columns:1: "L\'" is not a link'),
        (["own", *SETS, "--links", "../flipped"], "flipped:1: link 5-10 lies outside"),
        (
            ["own", "--train", "../same", "../same", *SETS[3:], "--languages", "fr", "en"],
            "same: 40 of 40 lines are the same in",
        ),
        (
            ["own", *replaced("../test.en", "../x.sgm")],
            "test.fr: not .sgm",
        ),
        (["own", *TRAIN, "--hold-out", "3", "--links", "x"], "--links: it belongs to --test"),
        (["own", *SETS, "--flip"], "--flip: it exchanges the sides of --links, which is not given"),
        (["own", *replaced("../test.en", "../x.xml")], "../x.xml: not lines of UTF-8 but XML"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(new, arguments, message):
    write_lines(Path("../blank.en"), ["a", "b", " ", *"cdefghi"])
    if not Path("../pipe.fr").exists():
        os.mkfifo("../pipe.fr")
    write_lines(Path("../far"), ["0-0", "11-0", *["8-5"] * 8])
    write_lines(Path("../columns"), ["0-0\tL'\tMan"] * 10)
    for name, count in {"few": 9, "many": 10_000}.items():
        write_lines(Path(f"../{name}.fr"), ["a"] * count)
    write_lines(Path("../t.tsv"), ["a\tb"])
    write_lines(Path("../x.xml"), ["<?xml version='1.0'?>", "<dataset>"])
    write_lines(Path("../flipped"), ["0-0 5-10"] * 10)
    write_lines(Path("../x.sgm"), ["<srcset setid='x'>"])
    write_lines(Path("../same"), FRENCH[:40])
    write_lines(Path("../long.fr"), ["a " * 51] * 40)
    status, out, err = new(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert not list(Path().glob("experiments/*"))


@pytest.mark.parametrize("pairs", [60, 2000, 50_000])
def test_vocabulary_and_dictionary_fit_together(tmp_path, pairs):
    """<unk> is trained where a word is rare, and words outside the vocabulary may have a translation."""
    chance, counts = random.Random(pairs), {}
    files = (tmp_path / "x.fr", tmp_path / "x.en")
    for file, words in zip(files, (900, 400), strict=True):
        weights = [1 / (rank + 1) for rank in range(words)]
        lines = [chance.choices(range(words), weights, k=5) for _ in range(pairs)]
        write_lines(file, (" ".join(f"w{word}" for word in line) for line in lines))
        counts[file] = sorted(Counter(word for line in lines for word in line).values())[::-1]
    sides = (propose_language(code, ["a b c"]) for code in ("fr", "en"))
    pair = Languages(**dict(zip(("source", "target"), sides, strict=True)))
    proposal = propose(pair, files)
    known = proposal.vocabulary - len(SPECIAL)
    for file in files:
        inside, outside = counts[file][:known], counts[file][known:]
        assert inside[-1] > 1
        assert all(count <= 1 or count >= proposal.min_count for count in outside[:1])
        assert outside or min(counts[file]) > 1  # each word is repeated, so none is rare
    assert proposal.epochs == {60: 40, 2000: 40, 50_000: 10}[pairs]
    assert proposal.min_count == {60: 1, 2000: 1, 50_000: 3}[pairs]


def test_characters_do_not_limit_the_vocabulary_of_words(tmp_path):
    files = (tmp_path / "x.th", tmp_path / "x.en")
    write_lines(files[0], [*("กขคงจฉ"[n % 3 :] * 2 for n in range(399)), "กขคงจฉซ"])  # one is rare
    write_lines(files[1], [f"w{n % 200} w{(n * 7) % 200}" for n in range(400)])
    sides = [propose_language("th", ["ไทย"]), propose_language("en", ["a b"])]
    proposal = propose(Languages(source=sides[0], target=sides[1]), files)
    assert sides[0].tokenize == "characters"
    assert proposal.vocabulary == len(SPECIAL) + 194  # 97% of the words, and not the six letters
    assert proposal.unknown == pytest.approx({"th": 0, "en": 6 / 200})


def test_words_do_not_limit_the_vocabulary_of_characters(tmp_path):
    """A closed list of a few words has fewer than the other side has characters."""
    letters = [chr(0x4E00 + n) for n in range(60)]
    files = (tmp_path / "x.hi", tmp_path / "x.zh")
    write_lines(files[0], [f"{'w' * (n % 40 + 1)} {'v' * (n % 3 + 1)}" for n in range(400)])
    write_lines(files[1], ["".join(letters[(n + k) % 60] for k in range(8)) for n in range(400)])
    sides = [propose_language("hi", ["a b"]), propose_language("zh", ["我的"])]
    proposal = propose(Languages(source=sides[0], target=sides[1]), files)
    assert sides[1].tokenize == "characters"
    assert proposal.vocabulary == len(SPECIAL) + 58  # 97% of 60 letters that are all as frequent
    assert proposal.unknown["zh"] == pytest.approx(0.03)
    lines = read_lines(files[0])
    write_lines(files[0], [*lines[:-1], "once"])  # a rare word does not limit them, either
    again = propose(Languages(source=sides[0], target=sides[1]), files)
    assert again.vocabulary == proposal.vocabulary


def test_a_search_gets_the_lengths_that_the_text_needs(tmp_path):
    """Each token of one side has six of the other. No pair but one in a thousand is outside."""
    files = (tmp_path / "x.ar", tmp_path / "x.th")
    lines = [["w" * (1 + n * k % 50) for k in range(1, 5 + n % 3)] for n in range(2000)]
    write_lines(files[0], map(" ".join, lines))
    write_lines(files[1], ("กขคงจฉ" * len(line) for line in lines))
    sides = [propose_language("ar", ["a b"]), propose_language("th", ["ไทย"])]
    pair = Languages(source=sides[0], target=sides[1])
    other = sides[0].model_copy(update={"code": "fa"})
    alike = propose(Languages(source=sides[0], target=other), (files[0], files[0]))
    assert alike.ratios == {}
    assert propose(pair, files).ratios == {"max_ratio": 5.3}  # 37 / 7 with </s>
    assert propose(pair, files, ["backward"]).ratios == {"min_ratio": 0.16}  # 4 / 25
    both = propose(pair, files, ["forward", "backward"])
    assert both.ratios == {"min_ratio": 0.16, "max_ratio": 5.3}
    text = params_text("x", both, ["test"], ["base"], ["luong"], None, lines=250)
    assert "length_group: 41}" in text  # six groups
    assert "samples: 12, min_ratio: 0.16, max_ratio: 5.3}" in text
    rules = SearchRules(**both.ratios)
    for line in lines:
        S, T = len(line), 6 * len(line)
        assert limits(rules, S).least <= T < limits(rules, S).most
        assert limits(rules, T).least <= S < limits(rules, T).most
        assert limits(SearchRules(), S).most < T


def test_divided_text_has_no_source_twice(tmp_path):
    sources = [f"s{n % 30}" for n in range(60)]
    train = (tmp_path / "x.a", tmp_path / "x.b")
    write_lines(train[0], [*sources, "", "t"])
    write_lines(train[1], [*map(str, range(60)), "blank", " "])
    parts = {}
    for attempt in ("one", "two"):
        folder = tmp_path / attempt
        folder.mkdir()
        # Each of the ten sources that are drawn is there twice.
        assert write_divided(train, ("a", "b"), 5, folder) == 10
        parts[attempt] = {path.name: path.read_text() for path in folder.iterdir()}
    assert parts["one"] == parts["two"]
    sets = {name: read_lines(tmp_path / f"one/{name}.a") for name in ("train", "dev", "test")}
    assert (len(sets["dev"]), len(sets["test"])) == (5, 5)
    assert not {*sets["dev"]} & {*sets["test"]}
    assert not {*sets["train"]} & {*sets["dev"], *sets["test"]}
    assert len(sets["train"]) == 62 - 2 * 10
    with pytest.raises(InputError, match="only 30 different source sentences"):
        write_divided(train, ("a", "b"), 16, tmp_path)
