"""What a change makes stale: a line of each room, with all stages and systems whose outputs it decides.

``train`` is everything that is trained, and ``train/base`` only that system. Where a line decides an
output, the output must be among the names; where it does not, it must not.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from fresh_code import fresh_code

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


ALL = "corpus dictionary encode evaluate gather report tokens train translate"
LINES = {  # a definition, and what becomes stale when a statement of it changes
    "corpora/sgm.py read_sgm": "corpus",
    "corpora/gold_links.py parse_rwth": "corpus",
    "corpora/links.py format_links": "corpus dictionary translate",
    "corpora/parallel.py every_nth_pair": "dictionary evaluate gather report translate",
    "corpora/own_text.py find_overlap": "",
    "text/moses.py MosesRules._split_full_stop": "evaluate gather report tokens translate",
    "text/pieces.py learn_codes": "encode",
    "text/encode.py _describe": "encode",
    "text/aligner.py _train": "dictionary",
    "text/dictionary.py Dictionary.best": "gather translate",
    "text/batches.py ParallelText.training_order": "train",
    "text/encoded.py EncodedText.__getitem__": "evaluate gather report train translate",
    "model/attention/scores.py Dot.scores": models(DOT, LOCAL),
    "model/attention/scores.py Self.scores": models(GRU),
    "model/attention/scores.py Location.weights": "",
    "model/attention/windows.py LocalP.weights": models(LOCAL),
    "model/attention/windows.py LocalM.weights": "",
    "model/attention/windows.py softmax": models(DOT, LOCAL, GRU),
    "model/attention/layer.py Attention.forward": models(*SYSTEMS).partition("translate/")[0]
    + "translate",
    "model/fast/cells.py LSTMSteps.backward": models(BASE, DOT, LOCAL),
    "model/fast/cells.py GRUSteps.forward": models(GRU),
    "model/fast/encoder.py Recurrent.forward": models(*SYSTEMS),
    "model/fast/loss.py SummedLoss.backward": "train",
    "model/fast/stepper.py Stepper.step": "translate",
    "model/translator.py Translator.initialize": "train",
    "model/reference.py LSTM.forward": "",
    "training/optimizers.py SGD.update": " ".join(f"train/{one}" for one in SYSTEMS),
    "training/optimizers.py Adam.build": "",
    "training/optimizers.py clipping": "train",
    "training/loop.py _evaluate": "train",
    "training/saved.py load_model": "translate",
    "training/best_model.py best_model": "",
    "decoding/search.py search": "translate",
    "decoding/explanation.py explain": "",
    "decoding/kept_attention.py read_attention": "report",
    "scoring/chosen_step.py choose_reading": "translate",
    "scoring/verdicts.py adjusted": "gather",
    "reporting/draw.py write_figure": "report",
    "reporting/explain_page.py make_explain_page": "",
    "planning/cost.py work": "",
    "serving/packing.py pack": "",
    "commands/translate.py translate": "",
    "workflow/record.py recorded": "",
    "tracking/importing.py log_results": "",
    "files/atomic.py atomic_folder": "",
    "files/text_file.py iter_lines": ALL,
    "layout.py Layout.order": "",
    "errors.py InputError": "",
    "config/params.py load_params": "",
    "config/trainings.py trained_models": "",
    "config/systems.py Systems._rows_name_what_exists": "",
    "config/corpus.py Source.downloads": "corpus",
    "config/text.py Sets.all": "corpus encode evaluate gather report tokens train translate",
    "config/model.py Family.recipe": "evaluate gather report train translate",
    "library.py load": "",
}
TEXT = {  # a file, what is replaced in it (its end is the empty text), and what becomes stale
    "a new score": (
        f"{SOURCE}/model/attention/scores.py",
        "",
        "\n\nclass Own(Score):\n    def scores(self, w, h, keys):\n        return self.prepare(w, h)\n",
        "",
    ),
    "a comment": (
        f"{SOURCE}/training/loop.py",
        "import torch\n",
        "import torch  # of course\n",
        "",
    ),
    "a docstring": (f"{SOURCE}/training/loop.py", '"""', '"""More words. ', ""),
    "a hint of a type": (
        f"{SOURCE}/training/optimizers.py",
        "epoch: int) -> float",
        "epoch) -> Any",
        "",
    ),
    "an import that nothing uses": (
        f"{SOURCE}/training/loop.py",
        "import torch\n",
        "import torch\nimport pandas\n",
        "",
    ),
    "what loading a module does": (
        f"{SOURCE}/model/fast/stack.py",
        '= "ieee"',
        '= "tf32"',
        "gather train translate",
    ),
    "a style sheet": (
        f"{SOURCE}/reporting/page_parts/style.css",
        "",
        "\nbody {color: red}\n",
        "report",
    ),
    "a template": (f"{SOURCE}/reporting/page_parts/index.html.jinja", "", "<br>", "report"),
    "the page of explain": (
        f"{SOURCE}/reporting/page_parts/explain.css",
        "",
        "b {color: red}",
        "report",
    ),
    "a printed number": (f"{SOURCE}/reporting/printed/tables.csv", "", "\n", "gather report"),
    "the card of packed weights": (f"{SOURCE}/serving/model_card.md.jinja", "", "\n", ""),
    "a stage's own file": (
        "stages/tokens.py",
        "    params = load",
        "    assert 1\n    params = load",
        "tokens",
    ),
    "the package's own interface": (
        f"{SOURCE}/__init__.py",
        '__all__ = ["Params",',
        '__all__ = ["Parameters",',
        "",
    ),
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what decides the digests."""
    root = tmp_path_factory.mktemp("copy")
    for folder in ("src", "stages"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("dvc.yaml", "models.yaml", "params.yaml", "systems.yaml"):
        shutil.copy(ROOT / file, root)
    return root


@pytest.fixture(autouse=True)
def _code_of_the_copy(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(reached, "SOURCE", copy / SOURCE)
    yield
    fresh_code()


@pytest.fixture(scope="module")
def params() -> Params:
    """Return the demo's parameters with a few of its systems."""
    demo = load_params(ROOT / "params.yaml", ROOT)
    few = {name: demo.models[name] for name in SYSTEMS}
    return demo.model_copy(update={"models": few, "ensembles": {}})


def digests(copy: Path, params: Params) -> dict[str, object]:
    """Return all files of digests by their names, without suffix."""
    fresh_code()
    files = [code_files(params, copy / f"stages/{script}.py") for script in SCRIPTS]
    return {path.with_suffix("").as_posix(): code for one in files for path, code in one.items()}


@pytest.fixture(scope="module")
def before(copy: Path, params: Params) -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reached, "SOURCE", copy / SOURCE)
        return digests(copy, params)


def stale(copy: Path, params: Params, before: dict[str, object], path: Path, text: str) -> set[str]:
    """Return what a file with another text makes stale."""
    old = path.read_text()
    path.write_text(text)
    try:
        after = digests(copy, params)
    finally:
        path.write_text(old)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def with_a_statement(text: str, definition: str) -> str:
    """Return a module in which a function or a class has one more statement before its last one."""
    body: list[ast.stmt] = ast.parse(text).body
    for name in definition.split("."):
        (body,) = (one.body for one in body if getattr(one, "name", None) == name)  # type: ignore[attr-defined]
    lines, last = text.splitlines(keepends=True), body[-1].lineno - 1
    indent = re.match(" *", lines[last])
    assert indent
    return "".join([*lines[:last], f"{indent[0]}if 1: assert 1\n", *lines[last:]])


@pytest.mark.parametrize(("definition", "expected"), LINES.items(), ids=LINES)
def test_a_statement_makes_stale_what_it_decides(copy, params, before, definition, expected):
    file, name = definition.split()
    path = copy / SOURCE / file
    text = with_a_statement(path.read_text(), name)
    assert stale(copy, params, before, path, text) == set(expected.split())


@pytest.mark.parametrize(("file", "old", "new", "expected"), TEXT.values(), ids=TEXT)
def test_another_text_makes_stale_what_it_decides(copy, params, before, file, old, new, expected):
    path = copy / file
    text = path.read_text()
    assert old in text
    text = text.replace(old, new, 1) if old else text + new
    assert stale(copy, params, before, path, text) == set(expected.split())


def takes(key: str) -> set[str]:
    """Return the trained systems that do not give a value themselves, as files of digests."""
    given = yaml.safe_load((ROOT / "systems.yaml").read_text())["systems"]
    trained = load_params(ROOT / "params.yaml", ROOT).models.values()
    return {f"train/{model.entry}" for model in trained if key not in given[model.entry]}


COUNT = {"gather", "report"}  # they have all families and models as parameters
DEFAULTS = {  # a file, a default in it and another one, and what takes the default in the demo
    "of an encoding": (
        "config/text.py",
        "length: PositiveInt | None = None",
        "length: PositiveInt | None = 9",
        {"encode/luong", "encode/luong_bpe"} | COUNT,
    ),
    "of a system": (
        "config/model.py",
        "dropout: Probability = 0.0",
        "dropout: Probability = 0.1",
        takes("dropout") | COUNT,
    ),
    "that nobody takes": (
        "config/model.py",
        'precision: Precision = "fp32"',
        'precision: Precision = "bf16"',
        set(),
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "expected"), DEFAULTS.values(), ids=DEFAULTS)
def test_a_default_makes_stale_what_takes_it(copy, file, old, new, expected):
    def written() -> dict[str, str]:
        environment = os.environ | {"PYTHONPATH": str(copy / "src")}
        command = [sys.executable, "stages/code_digests.py", "params.yaml"]
        subprocess.run(command, cwd=copy, env=environment, check=True)
        found = sorted((copy / "code/demo").rglob("*.json"))
        return {
            str(path.relative_to(copy / "code/demo").with_suffix("")): path.read_text()
            for path in found
        }

    path, before = copy / SOURCE / file, written()
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    try:
        after = written()
    finally:
        path.write_text(text)
    assert {name for name in before | after if before.get(name) != after.get(name)} == expected
