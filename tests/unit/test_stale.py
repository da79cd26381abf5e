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
from typing import Any

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
    "corpora/sgm.py read_sgm": "corpus",
    "corpora/gold_links.py parse_rwth": "corpus",
    "corpora/links.py format_links": "corpus dictionary translate",
    "corpora/parallel.py every_nth_pair": "dictionary evaluate report translate",
    "corpora/own_text.py find_overlap": "",
    "text/moses.py MosesRules._split_full_stop": "evaluate report tokens translate",
    "text/pieces.py learn_codes": "encode",
    "text/encode.py _describe": "encode",
    "text/aligner.py align": "dictionary",
    "text/dictionary.py Dictionary.best": "evaluate translate",
    "text/batches.py ParallelText.training_order": "train",
    "text/encoded.py EncodedText.__getitem__": "evaluate report train translate",
    "model/attention/scores.py Dot.scores": models(DOT, LOCAL),
    "model/attention/scores.py Self.scores": models(GRU),
    "model/attention/scores.py Location.weights": "",
    "model/attention/windows.py LocalP.weights": models(LOCAL),
    "model/attention/windows.py LocalM.weights": "",
    "model/attention/windows.py softmax": models(DOT, LOCAL, GRU),
    "model/attention/layer.py Attention.forward": "gather train translate",
    "model/fast/cells.py LSTMSteps.backward": models(BASE, DOT, LOCAL),
    "model/fast/cells.py GRUSteps.forward": models(GRU),
    "model/fast/encoder.py Recurrent.forward": models(*SYSTEMS),
    "model/fast/loss.py SummedLoss.backward": "train",
    "model/fast/stepper.py Stepper.step": "translate",
    "model/translator.py Translator.initialize": "train",
    "model/reference.py LSTM.forward": "",
    "training/optimizers.py SGD.update": " ".join(f"train/{one}" for one in (BASE, DOT, LOCAL)),
    "training/optimizers.py Adam.build": f"train/{GRU}",
    "training/course.py Course.rate": "train",
    "training/optimizers.py clipping": "train",
    "training/evaluation.py Evaluation.run": "train",
    "training/saved.py load_model": "translate",
    "training/best_model.py best_model": "",
    "decoding/search.py search": "translate",
    "decoding/explanation.py explain": "",
    "decoding/kept_attention.py read_attention": "report",
    "scoring/chosen_step.py choose_reading": "translate",
    "scoring/evaluate.py _scores": "evaluate",
    "scoring/evaluate.py _diagonal": "evaluate",
    "scoring/counts.py read_counts": "gather",
    "scoring/gather.py gain": "gather",
    "scoring/verdicts.py adjusted": "gather report",
    "reporting/draw.py write_figure": "report",
    "reporting/explain_page.py make_explain_page": "",
    "planning/cost.py work": "",
    "serving/packing.py pack_model": "",
    "commands/translate.py translate": "",
    "workflow/record.py recorded": "",
    "tracking/importing.py log_results": "",
    "files/atomic.py atomic_folder": "",
    "files/text_file.py iter_lines": ALL,
    "files/csv_file.py read_csv": "gather report",
    "layout.py Layout.order": "",
    "errors.py InputError": "",
    "config/params.py load_params": "",
    "config/trainings.py trained_models": "",
    "config/systems.py Systems._rows_name_what_exists": "",
    "config/corpus.py Source.downloads": "corpus",
    "config/text.py Sets.all": "corpus encode evaluate gather report tokens train translate",
    "config/claims.py Claims.digest": "gather report",
    "config/model.py Family.recipe": "evaluate gather report train translate",
    "library.py load": "",
}
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
    "a comment": ([("training/loop.py", "import torch\n", "import torch  # of course\n")], ""),
    "a docstring": ([("training/loop.py", '"""', '"""More words. ')], ""),
    "a hint of a type": ([("training/optimizers.py", "epoch: int) -> float", "epoch) -> Any")], ""),
    "an import that nothing uses": (
        [("training/loop.py", "import torch\n", "import torch\nimport pandas\n")],
        "",
    ),
    "what loading a module does": (
        [("model/fast/stack.py", '= "ieee"', '= "tf32"')],
        "gather train translate",
    ),
    "a style sheet": ([("reporting/page_parts/style.css", "", "\nbody {color: red}\n")], "report"),
    "a template": ([("reporting/page_parts/index.html.jinja", "", "<br>")], "report"),
    "the page of explain": ([("reporting/page_parts/explain.css", "", "b {color: red}")], "report"),
    "a printed number": ([("scoring/printed/tables.csv", "", "\n")], "gather report"),
    "the card of packed weights": ([("serving/model_card.md.jinja", "", "\n")], ""),
    "a stage's own file": (
        [("../../stages/tokens.py", "    params = load", "    assert 1\n    params = load")],
        "tokens",
    ),
    "the package's own interface": (
        [("__init__.py", '__all__ = ["Params",', '__all__ = ["Parameters",')],
        "",
    ),
}
# One or two rows of each room, which take two seconds in all.
FIRST = {
    "corpora/gold_links.py parse_rwth",
    "text/pieces.py learn_codes",
    "model/attention/scores.py Dot.scores",
    "decoding/search.py search",
    "scoring/gather.py gain",
    "reporting/draw.py write_figure",
    "planning/cost.py work",
    "workflow/record.py recorded",
    "files/text_file.py iter_lines",
    "a new score",
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
    few[GRU] = few[GRU].model_copy(update={"optimizer": "adam"})
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


def rows(table: dict[str, Any]) -> list[Any]:
    """Return the rows of a table as pytest takes them: `make check` tries only those in FIRST."""
    slow = pytest.mark.slow
    return [
        pytest.param(name, expected, id=name, marks=[] if name in FIRST else [slow])
        for name, expected in table.items()
    ]


@pytest.mark.parametrize(("definition", "expected"), rows(LINES))
def test_a_statement_makes_stale_what_it_decides(copy, params, before, definition, expected):
    assert stale(copy, params, before, [statement(copy, definition)]) == set(expected.split())


@pytest.mark.parametrize(("name", "row"), rows(TEXT))
def test_another_text_makes_stale_what_it_decides(copy, params, before, name, row):
    edits, expected = row
    assert stale(copy, params, before, edits) == set(expected.split())
