"""The package in other programs: without DVC, Snakemake and MLflow, and as the examples use it."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray
from small_experiment import make_experiment

import attnmt
from attnmt.config import load_params
from attnmt.decoding.pipeline import load_translator
from attnmt.errors import InputError
from attnmt.training.best_model import best_model
from attnmt.workflow.dependencies import code_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/extending.md"
SENTENCE = "Trosto visits a woman every day."
# Python in which the tools of the extra `workflow` cannot be imported.
BARE = """
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0].split("_")[0] in ("dvc", "mlflow", "snakemake"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refused())
"""
EVERY_MODULE = """
import importlib, pkgutil
import attnmt

for module in pkgutil.walk_packages(attnmt.__path__, "attnmt."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError:
        print(module.name)
"""
RUN = "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
OF_THE_ENGINES = ["attnmt.workflow.graph"]
COMMAND = "from attnmt.cli import main; main()"


def bare(script: str, *arguments: str, folder: Path = ROOT) -> str:
    """Return what a script prints in Python without these tools; the arguments are its own."""
    command = [sys.executable, "-c", f"{BARE}sys.argv = {list(arguments)}\n{script}"]
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": "", "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def loaded(path: Path) -> ModuleType:
    """Return an example as a module; its name may be that of another module."""
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_only_what_works_for_the_engines_needs_them():
    assert sorted(bare(EVERY_MODULE, "program").split()) == OF_THE_ENGINES


def test_a_gpu_without_the_engines_can_train_translate_score_and_measure():
    script = "import runpy\nfor name in sys.argv: runpy.run_path(f'stages/{name}.py')\n"
    bare(f"{script}import benchmarks.gpu", "corpus", "tokens", "train", "translate", "evaluate")


def test_the_example_translates_without_the_engines(tmp_path):
    output = bare(RUN, str(ROOT / "examples/translate.py"), SENTENCE, folder=tmp_path)
    first, links, _, head, *rows = output.splitlines()
    assert first.startswith("Trosto besucht jeden Tag eine Frau.    log p -")
    assert "woman-Frau" in links.split()
    assert head.split() == ["Trosto", "visits", "a", "woman", "every", "day", "."]
    assert [row.split()[0] for row in rows][-2:] == [".", "</s>"]
    assert all(0 <= int(weight) <= 100 for row in rows for weight in row.split()[1:])


def test_the_command_translates_without_the_engines(tmp_path):
    line = ("attnmt", "translate", SENTENCE, "--weights", str(ROOT / "weights/demo"))
    assert bare(COMMAND, *line, folder=tmp_path) == "Trosto besucht jeden Tag eine Frau.\n"


def test_the_example_trains_without_the_engines_in_one_thread(tmp_path):
    """With more threads than idle cores it would take minutes."""
    script = f"import torch\ntorch.set_num_threads(2)\n{RUN}\nprint(torch.get_num_threads())"
    output = bare(script, str(ROOT / "examples/own_loop.py"), "global-location", folder=tmp_path)
    assert re.fullmatch(r"global-location +0% right before, +\d+% after\n1\n", output)


OWN_LOOP = loaded(ROOT / "examples/own_loop.py")


@pytest.mark.parametrize("name", OWN_LOOP.KINDS)
def test_every_attention_of_the_example_learns(name):
    rng = np.random.default_rng(1)
    sentences: list[NDArray[np.int32]] = OWN_LOOP.draw(rng, 100)
    model = OWN_LOOP.build(*OWN_LOOP.KINDS[name])
    assert OWN_LOOP.share_right(model, sentences) <= 0.05
    OWN_LOOP.train(model, rng)
    assert OWN_LOOP.share_right(model, sentences) >= 0.9


def test_every_name_of_the_page_exists():
    names = re.findall(r"^- `(attnmt[\w.]*)\.(\w+)", PAGE.read_text(encoding="utf-8"), re.M)
    assert {("attnmt", name) for name in attnmt.__all__} <= set(names)
    assert len(names) > 10
    for module, name in names:
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"


@pytest.mark.parametrize("path", [PAGE, ROOT / "docs/report.md"], ids=lambda path: path.stem)
def test_the_blocks_of_a_page_run(path, tmp_path, monkeypatch):
    blocks = re.findall(r"^```python\n(import .*?)^```", path.read_text("utf-8"), re.M | re.S)
    assert blocks
    for name in ("reports", "weights"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    for block in blocks:
        exec(compile(block, str(path), "exec"), {"__name__": "page"})


def test_no_stage_counts_the_library_as_its_code():
    for script in (ROOT / "stages").glob("*.py"):
        assert "attnmt.library" not in code_of(script)
    assert not [module for module in code_of(ROOT / "stages/train.py") if "packing" in module]


@pytest.fixture(scope="module")
def translator() -> attnmt.Translator:
    """Return the ready-made model of the demo."""
    return attnmt.load(f"{ROOT}/weights/demo")


def test_a_text_is_one_sentence_and_a_list_is_many(translator):
    one = translator.translate(SENTENCE)
    texts = [best.text for best in translator.translate([SENTENCE, "", SENTENCE])]
    assert texts == [one.text, "", one.text]
    assert one.text == "Trosto besucht jeden Tag eine Frau."
    assert translator.translate([]) == []
    assert translator.translate(f"{SENTENCE}\r\n") == one  # as a line of a file is read
    several = translator.n_best(SENTENCE, 3)
    assert len(several) == 3
    assert several[0].text == one.text
    assert translator.explain(SENTENCE).candidates[0].text == one.text
    assert (translator.name, translator.params.experiment) == ("global_general_feed", "demo")


def test_a_program_loads_what_is_trained_by_text_or_path(tmp_path):
    params = make_experiment(tmp_path)
    file = str(tmp_path / "params.yaml")
    assert attnmt.load(file).name == best_model(params, tmp_path)
    for name in ("gru", "ensemble"):
        loaded = attnmt.load(Path(file), name, beam=2)
        assert loaded.translator.options.beam == 2
        expected = load_translator(params, name, str(tmp_path), beam=2).translate(["The garden."])
        assert loaded.translate(["The garden."]) == expected[0]
    assert isinstance(load_params(file, str(tmp_path)), attnmt.Params)


WEIGHTS = ROOT / "weights/demo"
WRONG: list[tuple[Callable[[attnmt.Translator], object], str]] = [
    (lambda t: t.translator.translate("Hi you."), "'Hi you.': give a list of sentences"),
    (lambda t: t.translate(7), "7: give a list of sentences"),
    (lambda t: t.translate(["Hi.", None]), "None: a sentence must be text"),
    (lambda t: t.translate("Hi.\nYou."), r"'Hi.\\nYou.': several lines; give each as a sentence"),
    (lambda t: t.explain(" "), "sentence: ' ' has no words"),
    (lambda _: attnmt.load(WEIGHTS, "base"), "holds the model 'global_general_feed' and no 'base'"),
    (lambda _: attnmt.load("nowhere"), "nowhere: no such folder"),
    (lambda _: attnmt.load(ROOT / "README.md"), "README.md:\\d+: not YAML"),
    (lambda _: attnmt.load(ROOT / "params.yaml", "basse"), "no model or ensemble 'basse'"),
]


@pytest.mark.parametrize(("use", "message"), WRONG)
def test_what_a_program_does_wrong_is_an_input_error(translator, use, message):
    with pytest.raises(InputError, match=message):
        use(translator)
