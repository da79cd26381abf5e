"""What a change makes stale: a line of each room, with all stages and systems whose outputs it decides.

``train`` is everything that is trained, and ``train/base`` only that system. Where a line decides an
output, the output must be among the names; where it does not, it must not. One of the four systems here
has Adam and stops early.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from fresh_code import copied_code, fresh_code

from attnmt.config import Params, load_params
from attnmt.workflow import reached
from attnmt.workflow.code import code_files

ROOT = Path(__file__).parents[2]
SOURCE = "src/attnmt"
BASE, DOT, LOCAL, GRU = SYSTEMS = ["base", "global_dot_feed", "local_p_general_feed", "gru_self"]
SCRIPTS = sorted(
    path.stem for path in (ROOT / "stages").glob("*.py") if path.stem != "code_digests"
)


def models(*systems: str) -> str:
    """Return what runs models of some systems; gather counts their parameters."""
    return " ".join(
        ["gather", *(f"{stage}/{one}" for stage in ("train", "translate") for one in systems)]
    )


ALL = "corpus dictionary encode evaluate report tokens train translate"  # but gather reads no text
LINES = {  # a definition, and what becomes stale when a statement of it changes
    "corpora/gold_links.py parse_rwth": "corpus",
    "text/moses.py MosesRules._split_full_stop": "evaluate report tokens translate",
    "text/pieces.py learn_codes": "encode",
    "text/aligner.py align": "dictionary",
    "text/batches.py ParallelText.training_order": "train",
    "model/attention/scores.py Dot.scores": models(DOT, LOCAL),
    "model/attention/windows.py LocalP.weights": models(LOCAL),
    "model/fast/cells.py GRUSteps.forward": models(GRU),
    "model/reference.py LSTM.forward": "",
    "training/optimizers.py Adam.build": f"train/{GRU}",
    "training/features/early_stopping.py EarlyStopping.ends": f"train/{GRU}",
    "training/course.py Course.rate": "train",
    "decoding/search.py search": "translate",
    "scoring/evaluate.py _scores": "evaluate",
    "scoring/gather.py gain": "gather",
    "reporting/draw.py write_figure": "report",
    "planning/cost.py work": "",
    "commands/translate.py translate": "",
    "workflow/record.py recorded": "",
    "tracking/importing.py log_results": "",
    "files/atomic.py atomic_folder": "",
    "files/text_file.py iter_lines": ALL,
    "layout.py Layout.order": "",
    "errors.py InputError": "",
    "config/params.py load_params": "",
    "config/text.py Sets.all": "corpus encode evaluate gather report tokens train translate",
}
COURSE, FEATURE = "training/course.py", "training/features/feature.py"
TEXT = {  # files, what is replaced in each (its end is the empty text), and what becomes stale
    "a new score": (
        [
            (
                "model/attention/scores.py",
                "",
                "\n\nclass Own(Score):\n"
                "    def scores(self, w, h, keys):\n        return self.prepare(w, h)\n",
            )
        ],
        "",
    ),
    "a new feature of training": (
        [
            (
                "training/features/own.py",
                "",
                "from attnmt.training.features.feature import Feature\n\n\n"
                "class Own(Feature):\n    name = 'own'\n\n"
                "    def ends(self, progress):\n        return True\n",
            ),
            (COURSE, "features import averaging", "features import own, averaging"),
            ("config/model.py", "    patience:", "    own: int | None = None\n    patience:"),
        ],
        "",
    ),
    "a docstring": ([("training/loop.py", '"""', '"""More words. ')], ""),
    "a template": ([("reporting/page_parts/index.html.jinja", "", "<br>")], "report"),
    "a printed number": ([("scoring/printed/tables.csv", "", "\n")], "gather report"),
    "a stage's own file": (
        [("../../stages/tokens.py", "    params = load", "    assert 1\n    params = load")],
        "tokens",
    ),
    "a default of a part's number": (
        [("config/parts.py", "        0.0,\n", "        0.1,\n")],
        f"train/{GRU}",
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_code(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module", autouse=True)
def _code_of_the_copy(copy: Path) -> Iterator[None]:
    """Read the copy, and parse no content twice."""
    once = cache(reached.parse)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reached, "SOURCE", copy / SOURCE)
        patch.setattr(reached, "parse", lambda *content: once(*content))
        yield
    fresh_code()


@pytest.fixture(scope="module")
def params() -> Params:
    """Return the demo's parameters with a few of its systems."""
    demo = load_params(ROOT / "params.yaml", ROOT)
    few = {name: demo.models[name] for name in SYSTEMS}
    few[GRU] = few[GRU].model_copy(update={"optimizer": "adam", "patience": 2})
    return demo.model_copy(update={"models": few, "ensembles": {}})


def digests(copy: Path, params: Params) -> dict[str, object]:
    """Return all files of digests by their names, without suffix."""
    fresh_code()
    files = [code_files(params, copy / f"stages/{script}.py") for script in SCRIPTS]
    return {path.with_suffix("").as_posix(): code for one in files for path, code in one.items()}


@pytest.fixture(scope="module")
def before(copy: Path, params: Params) -> dict[str, object]:
    return digests(copy, params)


def stale(
    copy: Path, params: Params, before: dict[str, object], edits: Sequence[tuple[str, str, str]]
) -> set[str]:
    """Return what edits make stale; a stage stands for all its systems."""
    old = {}
    for file, was, becomes in edits:
        path = copy / SOURCE / file
        old[path] = text = path.read_text() if path.exists() else ""
        assert was in text
        path.write_text(text.replace(was, becomes, 1) if was else text + becomes)
    try:
        after = digests(copy, params)
    finally:
        for path, text in old.items():
            path.write_text(text) if text else path.unlink()
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return {name for name in changed if name.partition("/")[0] not in changed - {name}}


def statement(copy: Path, definition: str) -> tuple[str, str, str]:
    """Return the edit by which a function or a class has one more statement before its last one."""
    file, names = definition.split()
    text = (copy / SOURCE / file).read_text()
    body: list[ast.stmt] = ast.parse(text).body
    for name in names.split("."):
        (body,) = (one.body for one in body if getattr(one, "name", None) == name)  # type: ignore[attr-defined]
    lines, last = text.splitlines(keepends=True), body[-1].lineno - 1
    indent = re.match(" *", lines[last])
    assert indent
    return file, text, "".join([*lines[:last], f"{indent[0]}if 1: assert 1\n", *lines[last:]])


@pytest.mark.parametrize(("definition", "expected"), LINES.items())
def test_a_statement_makes_stale_what_it_decides(copy, params, before, definition, expected):
    assert stale(copy, params, before, [statement(copy, definition)]) == set(expected.split())


@pytest.mark.parametrize(("edits", "expected"), TEXT.values(), ids=TEXT)
def test_another_text_makes_stale_what_it_decides(copy, params, before, edits, expected):
    assert stale(copy, params, before, edits) == set(expected.split())
