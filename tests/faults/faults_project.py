"""A small project with every file that a stage or a command reads, and how a test runs a command."""

import shutil
import sys
from pathlib import Path
from typing import Any

import yaml
from small_experiment import ENGLISH, ROOT, make_model, small_values, write_small_text
from small_project import load_stage

from attnmt import cli
from attnmt.config import Params, load_params
from attnmt.config.generated import write_trainings
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.scoring.score_table import BASELINES, read_scores, write_score_table
from attnmt.workflow.stage import run_stage

Tree = dict[Path, bytes | str | None]
STAGES = {
    name: load_stage(name)
    for name in (
        *("corpus", "tokens", "encode", "dictionary", "train", "translate", "evaluate"),
        *("gather", "report"),
    )
}
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
CLAIM |= {"systems": MEMBERS[:1], "sign": "less", "bound": 9.0}


def build(folder: Path) -> Params:
    """Write the project into ``folder``, the working folder, and run all its stages but training."""
    params = _write_params(folder)
    write_trainings(params)  # which a stage would bring up to date
    layout = Layout(params.experiment)
    write_lines(layout.raw / "test.links", ["0-0 1?1"] * len(ENGLISH["test"]))
    write_small_text(params, layout)
    shutil.copytree(layout.raw, "experiments/demo/text")
    for name in params.trainings:
        _write_model(params, layout, name)
    main_of("dictionary")
    # The other seeds are only members of the ensemble. They wrote copies of what the first wrote.
    own = [name for name in params.trainings if name not in SEEDS]
    for name in [*own, "ensemble"]:
        main_of("translate", name)
        main_of("evaluate", name)
    for name in BASELINES:
        main_of("evaluate", name)
    for name in SEEDS:
        changes = {"model": name, "seed": params.trainings[name].seed}
        lines = read_scores(params, MEMBERS[0]).lines
        write_score_table(layout.scores(name), [one.model_copy(update=changes) for one in lines])
        shutil.copytree(layout.translations(MEMBERS[0]), layout.translations(name))
        shutil.copy(layout.counts(MEMBERS[0]), layout.counts(name))
    main_of("gather")
    main_of("report")
    return params


def main_of(stage: str, *arguments: str) -> None:
    """Run a stage in this process and the working folder, and let its errors through."""
    STAGES[stage].main(Path("params.yaml"), *arguments)


def run(*command: str) -> int:
    """Run ``attnmt``, or a stage by its name, in the working folder; return the exit status."""
    before = sys.argv
    try:
        if command[0] == "attnmt":
            sys.argv = list(command)
            cli.main()
        else:
            stage = STAGES[command[0]]
            sys.argv = [f"stages/{command[0]}.py", "params.yaml", *command[1:]]
            run_stage(stage.main, stage.__doc__)
    except SystemExit as ended:
        return int(ended.code or 0)
    finally:
        sys.argv = before
    raise AssertionError("a command ends the process")


def _write_params(folder: Path) -> Params:
    values = small_values(epochs=1, halve_after=1) | {
        "dictionary": {"max_pairs": 20, "min_count": 1},
        "seeds": {"local_p_general_feed": 1 + len(SEEDS)},
        "evaluation": {"bootstrap_samples": 100, "length_group": 2},
    }
    values["decoding"] |= {"beam": 2, "candidates": 2, "samples": 3}
    # The tables keep only the rows whose systems are in this project.
    paper = yaml.safe_load((ROOT / "systems.yaml").read_text())
    systems = {
        "systems": SYSTEMS,
        "ensembles": {"ensemble": {"family": "words", "members": MEMBERS}},
        "tables": {
            name: table | {"rows": rows}
            for name, table in paper["tables"].items()
            if (rows := _own_rows(table["rows"]))
        },
    }
    claims = {"claims": {"one": CLAIM}}
    contents = {"params": values, "systems": systems, "claims": claims}
    for name, content in contents.items():
        text = yaml.safe_dump(content, sort_keys=False)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return load_params(Path("params.yaml"))


def _own_rows(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return rows without the systems and baselines that this project lacks."""
    known = {*SYSTEMS, "ensemble", "aligner", "diagonal", None}
    kept = {key: dict(row) for key, row in rows.items() if row.get("system") in known}
    for row in kept.values():
        if row.get("over") not in kept:
            row.pop("over", None)
    return kept


def _write_model(params: Params, layout: Layout, name: str) -> None:
    folder = layout.model(name)
    make_model(params, layout, name)
    header = "step,epoch,learning_rate,target_words,train_cost,dev_cost,test_cost"
    rows = ["10,1,1.0,50,2.5,2.25,2.5", "20,1,1.0,100,2.0,1.75,2.25"]
    write_lines(folder / "history.csv", [header, *rows])


def tree(folder: Path) -> Tree:
    """Return everything in a folder: the content of files, the targets of links, None for a folder."""
    entries: Tree = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            entries[path] = str(path.readlink())
        else:
            entries[path] = path.read_bytes() if path.is_file() else None
    return entries
