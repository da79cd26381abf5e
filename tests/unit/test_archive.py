"""Archives of the outputs of trainings, in a small experiment whose files are made up."""

import shutil
from pathlib import Path

import pytest
import yaml
from made_scores import make_scored

from attnmt.commands.check_report import unlike_archives
from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.scoring.numbers import OUTSIDE, read_scores, write_numbers
from attnmt.workflow.archive import archive, restore
from attnmt.workflow.lock import dvc_digest, read_lock

LAYOUT, LOCK = Layout("demo"), Path("dvc.lock")
SMALL = ("config.json", "history.csv", "metrics.json", "provenance.json")


@pytest.fixture(scope="module")
def first(tmp_path_factory) -> tuple[Path, Params]:
    """Return the folder of a scored experiment with a dvc.lock, and its parameters."""
    folder = tmp_path_factory.mktemp("scored")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        params = make_scored()
        stages = {"gather": {"cmd": "gather", "outs": []}}
        for name in params.models:
            model = LAYOUT.model(name)
            weights = {"path": f"{model}/weights.safetensors", "md5": "0" * 32}
            stages[f"train@{name}"] = entry(*(model / file for file in SMALL))
            stages[f"train@{name}"]["outs"].append(weights)
            stages[f"translate@{name}"] = entry(LAYOUT.translations(name))
            stages[f"evaluate@{name}"] = entry(LAYOUT.scores(name), LAYOUT.counts(name))
        for name in params.ensembles:
            stages[f"ensemble@{name}"] = entry(LAYOUT.translations(name))
            evaluated = entry(LAYOUT.scores(name), LAYOUT.counts(name))
            stages[f"evaluate_ensemble@{name}"] = evaluated
        for name in OUTSIDE:  # what is no model has no seed, and stays out of the archives
            for path in (LAYOUT.scores(name), LAYOUT.counts(name)):
                path.unlink()
        write_lock(stages)
    return folder, params


def entry(*outs: Path) -> dict:
    return {
        "cmd": "python",
        "params": {"params.yaml": {"rate": 1.0, "floor": 1e-05, "schema": "2.0"}},
        "outs": [{"path": out.as_posix(), "md5": dvc_digest(out)} for out in outs],
    }


def write_lock(stages: dict) -> None:
    write_text(LOCK, yaml.safe_dump({"schema": "2.0", "stages": stages}, sort_keys=False))


@pytest.fixture
def params(first, tmp_path, monkeypatch) -> Params:
    """Change into a copy of the experiment; return its parameters."""
    folder, params = first
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return params


def contents() -> dict[str, bytes]:
    """Return every file of models, translations and scores, but for the counts of sentences."""
    roots = (Path("models"), Path("translations"), Path("scores"))
    files = (f for root in roots for f in root.rglob("*") if f.is_file() and f.suffix != ".npz")
    return {file.as_posix(): file.read_bytes() for file in files}


def lose(*roots: str) -> None:
    for root in roots:
        shutil.rmtree(root, ignore_errors=True)


def test_what_was_archived_comes_back(params):
    before, stages = contents(), read_lock("demo")
    made = archive(params)
    assert {file.name for file in made.files} == {f"seed{seed}.tar.xz" for seed in (1, 2, 3)}
    assert made.kept == [*params.models, *params.ensembles]
    assert made.left_out == []
    lose("models", "translations", "scores")
    found = restore(params)
    assert contents() == before
    outputs = [out["path"] for stage in stages.values() for out in stage["outs"]]
    assert {*found.written} == {
        path for path in outputs if not path.endswith(("safetensors", "npz"))
    }
    assert found.different == []
    assert restore(params) == ([], [])


def test_the_same_outputs_give_the_same_archives_and_what_is_lost_here_stays_in_them(params):
    files = archive(params).files
    first = [file.read_bytes() for file in files]
    lose("translations")
    assert archive(params).files == files
    assert [file.read_bytes() for file in files] == first
    assert Path("translations").exists()


def test_outputs_that_are_not_those_of_the_lock_are_left_out(params):
    write_text(LAYOUT.scores("base"), "edited\n")
    stages = read_lock("demo")
    del stages["translate@back"]
    write_lock(stages)
    made = archive(params)
    assert made.left_out == ["base", "back"]
    assert "base" not in made.kept
    lose("scores")
    restore(params)
    assert not LAYOUT.scores("base").exists()


def test_what_is_here_stays_and_what_the_lock_has_otherwise_stays_missing(params):
    archive(params)
    write_text(LAYOUT.scores("dot"), "of today\n")
    stages = read_lock("demo")
    stages["evaluate@base"]["outs"][0]["md5"] = "1" * 32
    write_lock(stages)
    LAYOUT.scores("base").unlink()
    assert restore(params) == ([], ["scores/demo/base.csv"])
    assert LAYOUT.scores("dot").read_text() == "of today\n"
    assert not LAYOUT.scores("base").exists()


@pytest.mark.parametrize("damage", [lambda text: text[:-100], lambda _: b"text"])
def test_a_damaged_archive_is_named(params, damage):
    file = archive(params).files[0]
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(InputError, match=f"{file.name}: not an archive of attnmt, or damaged"):
        restore(params)


def test_the_text_must_be_there_first(params):
    archive(params)
    lose(LAYOUT.dictionary.as_posix(), "scores")
    for command in (archive, restore):
        with pytest.raises(InputError, match=r"--until encode@words dictionary$"):
            command(params)
    assert not Path("scores").exists()


def test_gathered_scores_that_are_not_those_of_the_archives_are_named(params):
    archive(params)
    names = [*params.models, *params.ensembles]
    lines = [line for name in names for line in read_scores(params, name).lines]
    gathered = [line.model_copy(update={"commit": "c0ffee", "code": "f00d"}) for line in lines]
    write_numbers(LAYOUT.numbers, gathered)
    assert list(unlike_archives(params)) == []
    better = gathered[0].model_copy(update={"value": (gathered[0].value or 0) + 1})
    write_numbers(LAYOUT.numbers, [better, *gathered[1:]])
    assert list(unlike_archives(params)) == [gathered[0].model]
