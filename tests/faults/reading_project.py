"""A small project with every file that a stage or a command reads, and how a test damages one."""

import csv
import importlib.util
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from io import BytesIO, StringIO
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from made_records import config_of, metrics, provenance
from safetensors.torch import load, save
from small_experiment import ENGLISH, ROOT, small_values, write_small_text

from attnmt.config import Params, load_params
from attnmt.files.text_file import write_json, write_lines
from attnmt.layout import Layout
from attnmt.model.translator import ModelConfig, Translator
from attnmt.scoring.numbers import read_scores, write_numbers
from attnmt.text.encoded import EncodedSets
from attnmt.training.saved import describe, save_model

Damage = Callable[[bytes], bytes]
Tree = dict[Path, bytes]  # the content of every file in a folder
FEED = {"family": "words", "reverse": True, "input_feeding": True}
BEST = FEED | {"attention": "local_p", "score": "general"}
SEEDS = [f"local_p_general_feed_{seed}" for seed in range(2, 9)]
SYSTEMS: dict[str, dict[str, Any]] = {
    "base": {"family": "words"},
    "base_reverse": {"family": "words", "reverse": True},
    "local_p_general_feed": BEST,
    "local_m_general_feed": BEST | {"attention": "local_m"},
    "back_base_reverse": {"family": "words", "reverse": True, "direction": "backward"},
    "local_p_general_feed_bpe": BEST | {"family": "pieces"},
    "gru_self": {"family": "short", "attention": "global", "score": "self"},
}
MEMBERS = ["local_p_general_feed", *SEEDS]
CLAIM = {"claim": "Costs are low.", "where": "Figure 5", "measure": "final_cost"}
CLAIM |= {"systems": MEMBERS[:1], "sign": "less", "bound": 9.0, "differs": []}


def build(folder: Path) -> Params:
    """Write the project into ``folder``, the working folder, and run all its stages but training."""
    params = _write_params(folder)
    layout = Layout(params.experiment)
    write_lines(layout.raw / "test.links", ["0-0 1?1"] * len(ENGLISH["test"]))
    write_small_text(params, layout)
    for name in params.models:
        _write_model(params, layout, name)
    run("dictionary")
    # The other seeds are only members of the ensemble. They wrote copies of what the first wrote.
    own = [name for name in params.models if name not in SEEDS]
    for name in [*own, "ensemble"]:
        run("translate", name)
        run("evaluate", name)
    for name in SEEDS:
        changes = {"model": name, "seed": params.models[name].seed}
        lines = read_scores(params, MEMBERS[0]).lines
        write_numbers(layout.scores(name), [one.model_copy(update=changes) for one in lines])
        shutil.copytree(layout.translations(MEMBERS[0]), layout.translations(name))
    run("gather")
    run("report")
    return params


def run(stage: str, *arguments: str) -> None:
    """Run a stage in this process and the working folder, as its command would."""
    path = ROOT / "stages" / f"{stage}.py"
    spec = importlib.util.spec_from_file_location(f"stage_{stage}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(Path("params.yaml"), *arguments)


def _write_params(folder: Path) -> Params:
    values = small_values(epochs=1, halve_after=1) | {
        "dictionary": {"max_pairs": 20, "min_count": 1},
        "seeds": {"local_p_general_feed": 1 + len(SEEDS)},
        "evaluation": {"bootstrap_samples": 100, "length_group": 2},
    }
    values["decoding"] |= {"beam": 2, "candidates": 2, "samples": 3}
    # The tables keep only the rows whose systems are in this project.
    tables = yaml.safe_load((ROOT / "systems.yaml").read_text())["tables"]
    systems = {
        "systems": SYSTEMS,
        "ensembles": {"ensemble": {"family": "words", "members": MEMBERS}},
        "tables": {table: _own_rows(rows) for table, rows in tables.items()},
    }
    contents = {"params": values, "systems": systems, "claims": {"claims": {"one": CLAIM}}}
    for name, content in contents.items():
        text = yaml.safe_dump(content, sort_keys=False)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return load_params(Path("params.yaml"))


def _own_rows(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return rows without the systems and baselines that this project lacks."""
    known = {*SYSTEMS, "ensemble", "aligner", None}
    kept = {key: dict(row) for key, row in rows.items() if row.get("system") in known}
    for row in kept.values():
        if row.get("over") not in kept:
            row.pop("over", None)
            row.pop("question", None)
    return kept


def _write_model(params: Params, layout: Layout, name: str) -> None:
    model, folder = params.models[name], layout.model(name)
    data = EncodedSets(layout.encoded(model.family))
    sizes = [len(data.vocabulary(side)) for side in params.sides(name)]
    translator = Translator(ModelConfig(model.system, params.families[model.family].shape, *sizes))
    translator.initialize(model.seed)
    config = config_of(params, name, dataset_digest=data.digest) | describe(translator)
    save_model(folder, translator, config)
    write_json(folder / "metrics.json", metrics("test", dataset_digest=data.digest))
    own = {"family": model.family, "seed": model.seed, "dataset_digest": data.digest}
    write_json(folder / "provenance.json", provenance(name, **own))
    header = "step,epoch,learning_rate,target_words,train_cost,dev_cost,test_cost"
    rows = ["10,1,1.0,50,2.5,2.25,2.5", "20,1,1.0,100,2.0,1.75,2.25"]
    write_lines(folder / "history.csv", [header, *rows])


def tree(folder: Path) -> Tree:
    """Return the content of every file in a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def damaged(path: Path, damage: Damage) -> Iterator[None]:
    """Damage a file, and restore it at the end."""
    content = path.read_bytes()
    path.write_bytes(damage(content))
    try:
        yield
    finally:
        path.write_bytes(content)


def content(text: str) -> Damage:
    """Replace the whole content with a text."""
    return lambda _: text.encode()


def other(path: str) -> Damage:
    """Replace the content with another file's."""
    return lambda _: Path(path).read_bytes()


def cut(count: int) -> Damage:
    """Cut this many bytes off the end."""
    return lambda before: before[:-count]


def swap(old: str, new: str) -> Damage:
    """Replace the first occurrence of a text, which must be there."""

    def damage(before: bytes) -> bytes:
        assert old.encode() in before
        return before.replace(old.encode(), new.encode(), 1)

    return damage


def line(number: int, text: str | None) -> Damage:
    """Replace a line, counted from 1, or remove it."""

    def damage(before: bytes) -> bytes:
        lines = before.decode().splitlines(keepends=True)
        lines[number - 1] = "" if text is None else text + "\n"
        return "".join(lines).encode()

    return damage


def cell(number: int, column: str, new: str) -> Damage:
    """Set a cell of a CSV file, on a line counted from 1."""

    def damage(before: bytes) -> bytes:
        header, *rows = csv.reader(before.decode().splitlines())
        rows[number - 2][header.index(column)] = new
        stream = StringIO()
        csv.writer(stream, lineterminator="\n").writerows([header, *rows])
        return stream.getvalue().encode()

    return damage


def value(place: str, new: Any) -> Damage:
    """Set a value of a JSON file, named with its keys as ``sets.test.lines``."""
    return _changed(place, lambda section, key: section.__setitem__(key, new))


def without(place: str) -> Damage:
    """Remove a key from a JSON file."""
    return _changed(place, lambda section, key: section.__delitem__(key))


def _changed(place: str, change: Callable[[Any, Any], None]) -> Damage:
    def damage(before: bytes) -> bytes:
        values = json.loads(before)
        *sections, last = (int(key) if key.isdecimal() else key for key in place.split("."))
        change(reduce(getitem, sections, values), last)
        return json.dumps(values).encode()

    return damage


def array(change: Callable[[Any], Any]) -> Damage:
    """Change an array of a .npy file."""

    def damage(before: bytes) -> bytes:
        stream = BytesIO()
        np.save(stream, change(np.load(BytesIO(before))))
        return stream.getvalue()

    return damage


def tensors(change: Callable[[dict[str, torch.Tensor]], Any]) -> Damage:
    """Change the tensors of a file of weights in place."""

    def damage(before: bytes) -> bytes:
        loaded = load(before)
        change(loaded)
        return save(loaded, _metadata(before))

    return damage


def settings(place: str, new: Any) -> Damage:
    """Set a value of the configuration in a file of weights."""

    def damage(before: bytes) -> bytes:
        config = value(place, new)(_metadata(before)["config"].encode())
        return save(load(before), {"config": config.decode()})

    return damage


def metadata(new: dict[str, str] | None) -> Damage:
    """Replace the metadata of a file of weights."""
    return lambda before: save(load(before), new)


def _metadata(weights: bytes) -> dict[str, str]:
    size = int.from_bytes(weights[:8], "little")
    header: dict[str, str] = json.loads(weights[8 : 8 + size])["__metadata__"]
    return header
