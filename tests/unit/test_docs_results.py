"""What docs/results.md says of the demo's alignments and of other programs is what was measured."""

import re
from math import exp
from pathlib import Path

import pytest
from results_page import ROOT, rows, section

from attnmt.files.text_file import read_json, read_text

PEERS = ROOT / "benchmarks/results/cpu-amd-epyc-1.json"


@pytest.mark.parametrize("number", [0, 1])
def test_an_example_of_pandas_runs(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "reports").symlink_to(ROOT / "reports")
    monkeypatch.chdir(tmp_path)
    page = read_text(ROOT / "docs/results.md", "utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(examples[number], {})
    table, picture = capsys.readouterr().out, tmp_path / "lengths.svg"
    assert "local_p_general_feed" in table if number == 0 else picture.stat().st_size > 10_000


def test_the_two_readings_are_those_of_table_6() -> None:
    table = rows("demo", "tables/table6")
    (row,) = (row for row in table if row["system"] == "local-p (general)")
    same, after = float(row["same step"]), float(row["next step"])
    assert f"an AER of {same:.2f} by the same step and of {after:.2f} by the next." in section(
        "Two readings of attention"
    )


@pytest.mark.parametrize("experiment", ["study", "multi30k"])
def test_members_of_the_ensemble_are_better_than_the_papers_best(experiment: str) -> None:
    bleu = {
        row["system"]: float(row["bleu_unk"])
        for row in rows(experiment, "tables/table4")
        if row["bleu_unk"]
    }
    assert "In our experiments other members are better (Table 4)." in section("The verdicts")
    assert max(bleu.values()) > bleu["local-p (general)"]


def test_other_programs_stand_beside_ours_as_measured() -> None:
    systems = read_json(PEERS)["peers"]["captions"]["systems"]
    assert list(systems) == ["ours", "opennmt", "joeynmt"]
    minutes = [
        sum(epoch["seconds"] for run in runs for epoch in run["epochs"]) / len(runs) / 60
        for runs in systems.values()
    ]
    lines = {
        "perplexity on the development set": [
            ", ".join(f"{exp(run['epochs'][-1]['dev_cost']):.2f}" for run in runs)
            for runs in systems.values()
        ],
        "BLEU": [", ".join(f"{run['bleu']:.1f}" for run in runs) for runs in systems.values()],
        "minutes": [f"{one:.1f}" for one in minutes],
    }
    text = section("Other programs on the same text")
    for name, cells in lines.items():
        assert f"| {name} | {' | '.join(cells)} |" in text
