"""What a change of code or of a parameter makes stale: a mutation of each room and section."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fresh_code import copied_code, fresh_code

from attnmt.config import load_params
from attnmt.workflow import dependencies
from attnmt.workflow.dependencies import write_dependencies

ROOT = Path(__file__).parents[2]
GRU = "evaluate/gru_additive evaluate/gru_multiplicative evaluate/gru_self evaluate/gru_key_value"
TRAIN = "train translate ensemble gather"  # gather counts parameters
NOTHING = ""
# A file, what is replaced in it (the end of the file is the empty text), and the scripts that it makes
# stale. `train` stands for all trainings, and `train/base` for one.
LOOP = "src/attnmt/training/loop.py"
MUTATIONS = {
    "a line of the cell": ("src/attnmt/model/cells.py", "", "\nX = 1\n", TRAIN),
    "a line of a score": (
        "src/attnmt/model/scores/key_value.py",
        "",
        "\nX = 1\n",
        "train/gru_key_value translate/gru_key_value",
    ),
    "a line of a package": ("src/attnmt/model/__init__.py", "", "\nX = 1\n", TRAIN),
    "a line of the loop": (LOOP, "", "\nX = 1\n", "train"),
    "a line of the tables": ("src/attnmt/reporting/table.py", "", "\nX = 1\n", "report"),
    "a language": (
        "src/attnmt/corpora/language_codes/languages.csv",
        "",
        "tlh,Klingon,\n",
        "corpus tokens translate ensemble evaluate evaluate_ensemble evaluate_baseline report",
    ),
    "a stage's own line": (
        "stages/tokens.py",
        "    params = load",
        "    assert 1\n    params = load",
        "tokens",
    ),
    "a comment": (
        "src/attnmt/training/loop.py",
        "import torch\n",
        "import torch  # of course\n",
        NOTHING,
    ),
    "a docstring": (LOOP, '"""', '"""More words. ', NOTHING),
    "an unrelated system": (
        "systems.yaml",
        "on_request: [",
        "on_request: [unused, ",
        NOTHING,
    ),
    "a system's dropout": (
        "systems.yaml",
        "  base_reverse_dropout: {family: luong, reverse: true, dropout: 0.2}",
        "  base_reverse_dropout: {family: luong, reverse: true, dropout: 0.3}",
        "train/base_reverse_dropout translate/base_reverse_dropout evaluate/base_reverse_dropout "
        "gather report",
    ),
    "one family's length": (
        "params.yaml",
        "lowercase: true, length: 20}",
        "lowercase: true, length: 21}",
        "encode/gru gather report " + GRU,
    ),
    "one system's rate": (
        "params.yaml",
        "seeds: 1\n",
        "seeds: 1\noverrides: {base: {learning_rate: 0.5}}\n",
        "train/base translate/base evaluate/base gather report",
    ),
    "a machine's setting that decides nothing": (
        "params.yaml",
        "checkpoint_minutes: 1",
        "checkpoint_minutes: 2",
        NOTHING,
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = copied_code(tmp_path_factory.mktemp("copy"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependencies, "SOURCE", folder / "src/attnmt")
        patch.chdir(folder)
        yield folder
    fresh_code()


def digests() -> dict[str, str]:
    """Return the content of every file of the demo's dependencies, by its stage."""
    fresh_code()
    write_dependencies(load_params("params.yaml"))
    files = Path("depends/demo").rglob("*.json")
    return {
        path.relative_to("depends/demo").with_suffix("").as_posix(): path.read_text()
        for path in files
    }


@pytest.fixture(scope="module")
def before(copy: Path) -> dict[str, str]:
    return digests()


@pytest.mark.parametrize(("file", "old", "new", "stale"), MUTATIONS.values(), ids=MUTATIONS)
def test_a_change_makes_stale_what_it_decides(copy, before, file, old, new, stale):
    path = copy / file
    text = path.read_text() if path.exists() else None
    assert old in (text or "")
    path.write_text((text or "").replace(old, new, 1) if old else (text or "") + new)
    if "unused" in new:  # the system itself, beside its name under on_request
        path.write_text(
            path.read_text().replace(
                "systems:\n", "systems:\n  unused: {family: luong, dropout: 0.9}\n", 1
            )
        )
    try:
        after = digests()
    finally:
        path.write_text(text) if text is not None else path.unlink()
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    of_all = {name.partition("/")[0] for name in before}
    whole = {one for one in of_all if {n for n in before if n.partition("/")[0] == one} <= changed}
    named = whole | {name for name in changed if name.partition("/")[0] not in whole}
    assert named == {*stale.split()}


def test_more_seeds_are_new_trainings_and_change_no_old_one(copy, before):
    text = Path("params.yaml").read_text()
    Path("params.yaml").write_text(text.replace("seeds: 1\n", "seeds: 2\n"))
    try:
        after = digests()
    finally:
        Path("params.yaml").write_text(text)
    assert {name for name in before if after[name] != before[name]} == {"gather", "report"}
    assert "train/base_2" in after.keys() - before.keys()


def test_a_changed_default_counts_although_no_file_of_parameters_has_it(copy, before, monkeypatch):
    text = Path("params.yaml").read_text()
    assert "samples: 12" in text
    Path("params.yaml").write_text(text.replace(", samples: 12", ""))
    try:
        assert digests() == before  # 12 is the default
    finally:
        Path("params.yaml").write_text(text)
    assert json.loads(before["translate/base"])["params"]["decoding"]["samples"] == 12


def test_a_relative_import_counts(copy):
    (copy / "stages/own.py").write_text("from attnmt.text import own\n")
    path = copy / "src/attnmt/text/own.py"
    path.write_text("from . import aer\nfrom .moses import words\nfrom ..model import dropout\n")
    fresh_code()
    try:
        code = dependencies.code_of(copy / "stages/own.py")
    finally:
        path.unlink()
    assert {"attnmt.text.aer", "attnmt.text.moses", "attnmt.model.dropout"} < code.keys()


def test_a_digest_is_the_same_in_every_version_of_python(tmp_path: Path) -> None:
    """So it must be the digest that was found when this test was written."""
    path = tmp_path / "first.py"
    path.write_text('"""Doc."""\n\n\ndef f(x: int = 1) -> str:\n    return f"{x:>{3}}"\n')
    assert dependencies.ast_digest(path) == "fb11cd6e1cb6131c"


@pytest.mark.parametrize("path", sorted((ROOT / "stages").glob("*.py")), ids=lambda path: path.stem)
def test_a_stage_names_its_parameters_and_imports_no_other_stage(path: Path) -> None:
    assert path.stem == "depends" or "PARAMS = (" in path.read_text()
    assert "import stages" not in path.read_text()
