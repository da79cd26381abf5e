"""``attnmt check`` names what does not fit together, in a small project whose files are made up."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_records
import pytest
import yaml
from fresh_code import fresh_code
from small_experiment import ROOT, make_experiment

from attnmt.commands import check
from attnmt.commands.check import experiment_mismatches
from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files import progress
from attnmt.files.text_file import json_text, sha256, write_json
from attnmt.layout import Layout
from attnmt.reporting.claims_table import claims_table
from attnmt.reporting.tables import make_tables, write_tables
from attnmt.scoring.claim_lines import ClaimLine, write_claims
from attnmt.scoring.numbers import Line, Numbers, write_numbers
from attnmt.workflow.code import (
    code_files,
    digest_of_run,
    files_of_run,
    name_in_code,
    write_code,
)
from attnmt.workflow.lock import dvc_digest, read_lock

LOCK, PINS = Path("dvc.lock"), Path("constraints.txt")
MODEL, OTHER = "plain", "f00d" * 4
CLAIM = {
    "where": "Table 1",
    "measure": "BLEU",
    "systems": "base",
    "set": "test",
    "registered": True,
}
TESTED = CLAIM | {"sign": "greater", "bound": 0, "compare": "mean", "verdict": "confirmed"}
ELSEWHERE = {"other_set": "test2", "other_verdict": "undecided", "other_ours": 1.25}
ELSEWHERE |= {"other_p": 0.3, "other_p_holm": 0.3}
CONFIRMED = ClaimLine.model_validate(
    TESTED | {"key": "a", "claim": "A", "ours": 1.5, "p": 0.002, "p_holm": 0.002} | ELSEWHERE
)
DESCRIBED = CONFIRMED.model_copy(
    update={"key": "b", "claim": "B", "verdict": "described", "p": None, "p_holm": None}
    | dict.fromkeys(ELSEWHERE)
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project in which all agrees: trainings, report, lock, code, pins."""
    monkeypatch.chdir(tmp_path)
    params, layout = make_experiment(tmp_path), Layout("demo")
    shutil.copytree(ROOT / "stages", "stages")
    shutil.copy(ROOT / "dvc.yaml", ".")
    PINS.write_text("# pins\ntorch==2.13.0\nnumpy==2.4.0\n")
    lines = []
    for name in params.models:
        write_training(name)
        common = {"kind": "training", "system": params.system_of(name), "model": name, "seed": 1}
        common |= {"code": today(name), "signature": "a processor, 1 thread, torch 2.13.0+cpu"}
        for metric in ("minutes", "parameters", "steps", "target_words", "target_words_per_second"):
            lines.append(Line.model_validate(common | {"metric": metric, "value": 7}))
    lines += [line.model_copy(update={"kind": "system", "model": None}) for line in lines]
    layout.reports.mkdir(parents=True)
    write_numbers(layout.numbers, lines)
    tables = [*make_tables(params, Numbers(lines)), claims_table([CONFIRMED, DESCRIBED])]
    assert len(tables) > 1
    for name in ("tables", "figures"):
        (layout.reports / name).mkdir()
        (layout.reports / name / ".snakemake_timestamp").touch()  # which DVC does not count
    write_tables("demo", tables, layout.reports / "tables")
    write_claims(params, [CONFIRMED, DESCRIBED])
    for path in (layout.metrics, layout.reports / "index.html"):
        path.write_text("{}")
    Path("text").mkdir()
    Path("text/train.en").write_text("A text.\n")
    for path, digests in code_files(params, Path("stages/train.py").resolve()).items():
        write_json(layout.code / path, digests)
    write_lock()
    assert experiment_mismatches("demo") == []
    return tmp_path


def today(name: str) -> str:
    params = load_params(Path("params.yaml"))
    return digest_of_run(files_of_run(params, Path("stages/train.py").resolve(), name).values())


def write_training(name: str, **changes: Any) -> None:
    versions = {"torch": "2.13.0+cpu", "constraints": sha256(PINS), "code": today(name)}
    content = made_records.provenance(name, **(versions | changes))
    write_json(Layout("demo").model(name) / "provenance.json", content)


def write_lock() -> None:
    """Write what ``dvc commit --force`` does: today's code made the files that are there."""
    layout, params = Layout("demo"), load_params(Path("params.yaml"))
    digests = {
        path.as_posix(): hashlib.md5(json_text(code).encode()).hexdigest()
        for path, code in code_files(params, Path("stages/train.py").resolve()).items()
    }
    outs = [layout.numbers, layout.claims, layout.metrics]
    outs += [layout.reports / name for name in ("index.html", "tables", "figures")]
    read = {
        file: {key: yaml.safe_load(Path(file).read_text())[key]}
        for file, key in (("params.yaml", "decoding"), ("systems.yaml", "systems"))
    }
    stages: dict[str, Any] = {
        "code": {"outs": [locked(layout.code)]},
        "gather": {"params": read, "deps": [locked(Path("text"))], "outs": list(map(locked, outs))},
    }
    for name in params.models:
        weights = locked(layout.model(name) / "weights.safetensors")
        read_code = ["train.json", f"train/{name_in_code(params, name)}.json"]
        code = [{"path": f"code/demo/{file}", "md5": digests[file]} for file in read_code]
        stages[f"train@{name}"] = {"deps": code, "outs": [weights]}
        stages[f"translate@{name}"] = {"deps": [dict(weights)]}
    LOCK.write_text(yaml.safe_dump({"schema": "2.0", "stages": stages}))


def locked(path: Path) -> dict[str, str | None]:
    return {"path": path.as_posix(), "md5": dvc_digest(path)}


def edit(path: str, old: str, new: str) -> None:
    """Change a file, as between two commands."""
    text = Path(path).read_text()
    assert old in text
    Path(path).write_text(text.replace(old, new, 1))
    fresh_code()


def force_dvc() -> None:
    """Change the code of trainings, and tell DVC that it made what is there."""
    edit("stages/train.py", "def main(", "ADDED = 1\n\n\ndef main(")
    write_lock()


def train_again() -> None:
    """Leave in the lock what DVC notes when it trains a model again, and runs nothing after it."""
    lock = yaml.safe_load(LOCK.read_text())
    lock["stages"][f"train@{MODEL}"]["outs"][0]["md5"] = "0" * 32
    LOCK.write_text(yaml.safe_dump(lock))


CASES: dict[str, tuple[Callable[[], object], str]] = {
    "a table": (
        lambda: edit("reports/demo/tables/table_cost.md", "7", "8"),
        "reports/demo/tables: not what dvc.lock has",
    ),
    "a table that was forced": (
        lambda: (edit("reports/demo/tables/table_cost.md", "7", "8"), write_lock()),
        "table_cost.md: not what reports/demo/scores.csv and reports/demo/claims.csv give",
    ),
    "a table of claims that was forced": (
        lambda: (edit("reports/demo/tables/claims.md", "confirmed", "refuted"), write_lock()),
        "claims.md: not what reports/demo/scores.csv and reports/demo/claims.csv give",
    ),
    "a verdict": (
        lambda: edit("reports/demo/claims.csv", "confirmed", "refuted"),
        "reports/demo/claims.csv: verdicts that do not follow from p: a",
    ),
    "a p-value": (
        lambda: edit("reports/demo/claims.csv", "0.002", "0.001"),
        "reports/demo/claims.csv: verdicts that do not follow from p: a",
    ),
    "a verdict on the other test set": (
        lambda: edit("reports/demo/claims.csv", "test2,undecided", "test2,confirmed"),
        "reports/demo/claims.csv: verdicts that do not follow from p: a",
    ),
    "a p-value on the other test set": (
        lambda: edit("reports/demo/claims.csv", "0.3,0.3", "0.3,0.04"),
        "reports/demo/claims.csv: verdicts that do not follow from p: a",
    ),
    "parameters": (
        lambda: edit("params.yaml", "beam: ", "beam: 1"),
        "params.yaml: decoding has changed since gather ran",
    ),
    "text": (
        lambda: Path("text/train.en").write_text("Other text.\n"),
        "text has changed since gather ran",
    ),
    "digests of code": (
        lambda: edit("code/demo/train.json", "{", "{ "),
        "code/demo: not what dvc.lock has",
    ),
    "claims that are gone": (
        lambda: Path("reports/demo/claims.csv").unlink(),
        "reports/demo/claims.csv: not what dvc.lock has",
    ),
    "new code": (
        lambda: edit("stages/train.py", "def main(", "ADDED = 1\n\n\ndef main("),
        "made by other code than today's (code/demo/train.json): train (11)",
    ),
    "dvc commit --force": (force_dvc, "their own files name other code: DVC was forced"),
    "old weights": (
        lambda: (write_training(MODEL, code=OTHER), write_lock()),
        f"dvc.lock says that today's code trained {MODEL}, and",
    ),
    "weights of another training": (
        lambda: (write_training(MODEL, fingerprint="f2"), write_lock()),
        f"models/demo/{MODEL}/weights.safetensors: of another training than provenance.json",
    ),
    "weights that DVC does not know": (
        lambda: shutil.copy(
            "models/demo/local_p/weights.safetensors", "models/demo/local_p_2/weights.safetensors"
        ),
        "models/demo/local_p_2/weights.safetensors: not what dvc.lock has",
    ),
    "another torch": (
        lambda: write_training(MODEL, torch="2.12.0"),
        f"{MODEL}: trained with torch 2.12.0, and constraints.txt has 2.13.0",
    ),
    "another torch in the scores": (
        lambda: (edit("reports/demo/scores.csv", "torch 2.13.0", "torch 2.11.0"), write_lock()),
        "trained with torch 2.11.0, and constraints.txt has 2.13.0",
    ),
    "other pins": (
        lambda: PINS.write_text(PINS.read_text() + "pandas==3.1.1\n"),
        "trained with another constraints.txt than today's",
    ),
    "translations of other weights": (
        train_again,
        f"made of earlier outputs than those that it has: translate@{MODEL}",
    ),
    "a stage that is gone": (
        lambda: edit("dvc.lock", "  gather:", "  lexicon: {outs: []}\n  gather:"),
        "dvc.lock: lexicon: no longer a stage",
    ),
}


@pytest.mark.parametrize(("spoil", "message"), CASES.values(), ids=CASES)
def test_what_does_not_fit_is_named(project, spoil, message):
    spoil()
    assert message in "\n".join(experiment_mismatches("demo"))


def test_a_comment_changes_nothing(project):
    edit("stages/train.py", "def main(", "# a comment\n\n\ndef main(")
    assert experiment_mismatches("demo") == []


def test_a_clone_without_models_is_checked_by_its_scores(project):
    shutil.rmtree("models")
    assert experiment_mismatches("demo") == []
    force_dvc()
    assert "DVC was forced" in "\n".join(experiment_mismatches("demo"))


def test_a_clone_of_a_report_without_figures_lacks_their_folder(project):
    """Git keeps no empty folder; one with files in it is missed."""
    shutil.rmtree("reports/demo/figures")
    assert experiment_mismatches("demo") == []
    shutil.rmtree("reports/demo/tables")
    assert "reports/demo/tables: not what dvc.lock has" in "\n".join(experiment_mismatches("demo"))


def test_an_installed_library_that_is_not_the_pinned_one_is_named(project, monkeypatch):
    installed = {"torch": "2.13.0+cpu", "numpy": "2.3.1"}
    monkeypatch.setattr(check, "version", installed.__getitem__)
    (fault,) = check.installed_mismatches()
    assert fault.startswith("numpy 2.3.1 is installed, and constraints.txt has 2.4.0")


@pytest.mark.parametrize("damaged", ["", "schema: '2.0'\n", "stages:\n", "- a\n"])
def test_a_lock_without_stages_is_named(project, damaged):
    LOCK.write_text(damaged)
    with pytest.raises(InputError, match=r"^dvc\.lock: has no stages; restore it with git"):
        read_lock("demo")


def test_a_graph_that_is_not_yaml_is_named(project):
    edit("dvc.yaml", "stages:", "<<<<<<< ours\nstages:")
    with pytest.raises(InputError, match=r"^dvc\.yaml: not YAML"):
        experiment_mismatches("demo")


def test_a_report_that_is_not_committed_is_named_and_the_others_are_checked(project, monkeypatch):
    monkeypatch.setattr(check, "installed_mismatches", list)
    LOCK.unlink()
    params = yaml.safe_load(Path("params.yaml").read_text())
    Path("experiments/other").mkdir(parents=True)
    other = yaml.safe_dump(params | {"experiment": "other"})
    Path("experiments/other/params.yaml").write_text(other)
    shutil.copytree("reports/demo", "reports/other")
    Path("experiments/third").mkdir()
    Path("experiments/third/params.yaml").write_text("seeds: 1")
    shutil.copytree("reports/demo", "reports/third")
    with pytest.raises(InputError) as error:
        check.check()
    demo, other, third, *_ = str(error.value).splitlines()
    said = "{}: no such file, so the experiment is not committed; when it has run, type attnmt commit{}"
    assert demo == "demo: " + said.format("dvc.lock", "")
    assert other == "other: " + said.format("experiments/other/dvc.lock", " --experiment other")
    assert third.startswith("third: experiments/third/params.yaml:")


def test_what_changes_together_has_a_line(project):
    lock = yaml.safe_load(LOCK.read_text())
    trainings = [stage for stage in lock["stages"] if stage.startswith("train@")]
    for name in trainings:
        read = {"models.yaml": {f"models.{name}": 1}, "systems.yaml": {"systems.gru.family": 1}}
        lock["stages"][name]["params"] = read
    LOCK.write_text(yaml.safe_dump(lock))
    Path("models.yaml").write_text("models: {}")
    for name in ("local_p", "plain"):
        write_training(name, fingerprint="f2")
    ran = f"since {trainings[0]} and {len(trainings) - 1} others ran; run the experiment again"
    weights = [f"models/demo/{name}/weights.safetensors" for name in ("local_p", "plain")]
    assert experiment_mismatches("demo") == [
        f"models.yaml: models.{trainings[0]} and {len(trainings) - 1} others have changed {ran}",
        f"systems.yaml: systems.gru.family has changed {ran}",
        f"{', '.join(weights)}: of another training than provenance.json; train again",
    ]


def test_new_code_of_many_stages_has_a_line(project):
    LOCK.write_text(LOCK.read_text().replace("md5: ", "md5: x"))
    said = [line for line in experiment_mismatches("demo") if "other code than" in line]
    files = "code/demo/train.json and 5 others"
    assert said == [f"dvc.lock: made by other code than today's ({files}): train (11)"]


def test_digests_that_were_made_again_for_new_code_are_not_called_edited(project):
    edit("stages/train.py", "def main(", "ADDED = 1\n\n\ndef main(")
    write_code(load_params(Path("params.yaml")), Path("stages"), Path("code/demo"))
    (said,) = experiment_mismatches("demo")
    assert "made by other code than today's (code/demo/train.json): train (11)" in said


def test_long_work_says_which_experiment_is_checked(project, monkeypatch, capsys):
    monkeypatch.setattr(check, "installed_mismatches", list)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    check.check()
    said = capsys.readouterr().err
    assert said.startswith("checking demo: 0 experiments in ")
    assert "\ndemo: scores: 1 of " in said
    assert "\nchecking demo: 1 of 1 experiments (100%)" in said


def test_without_a_report_check_says_what_it_checked(project, monkeypatch, capsys):
    Path("reports/demo/scores.csv").unlink()
    monkeypatch.setattr(check, "installed_mismatches", list)
    check.check()
    assert capsys.readouterr().out.startswith("no experiment has a report yet; the libraries")


def test_another_folder_than_the_project_s_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="run in the project's folder"):
        check.check()


def test_packed_weights_that_were_edited_are_named(project):
    shutil.copytree(ROOT / "weights/demo", "weights/demo")
    assert check.packed_mismatches() == []
    edit("weights/demo/systems.yaml", "dropout: 0.2", "dropout: 0.3")
    (fault,) = check.packed_mismatches()
    assert fault.startswith("weights/demo/systems.yaml: ")


def test_a_folder_has_the_digest_that_dvc_gives_it():
    """reports/demo/tables is an output that git has, and dvc.lock names its digest."""
    stages = read_lock("demo", ROOT)
    found = {out["path"]: out["md5"] for out in stages["report"]["outs"]}
    for name in ("tables", "figures", "index.html"):
        assert dvc_digest(ROOT / "reports/demo" / name) == found[f"reports/demo/{name}"]
