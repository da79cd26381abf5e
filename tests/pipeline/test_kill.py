"""A training that is killed again and again, as a scheduler or a power cut would."""

import random
import signal
import subprocess
import time
from pathlib import Path

from project import MEMBERS, Project

OUTPUTS = ("weights.safetensors", "config.json", "history.csv", "metrics.json")


def test_sigkill_at_random_points_changes_no_byte(project: Project, tmp_path: Path) -> None:
    project = project.copy(tmp_path / "killed").hide_mlflow()
    longer = {"epochs": 100, "halve_after": 99, "evaluate_every": 40}
    project.change({f"families.luong.training.{key}": value for key, value in longer.items()})
    project.change({"machine.checkpoint_minutes": 0})
    for stage in (["corpus"], ["tokenise"], ["encode", "luong"]):
        project.run("python", f"stages/{stage[0]}.py", "params.yaml", *stage[1:])
    train = ["python", "stages/train.py", "params.yaml", MEMBERS[-1]]
    folder = project.folder / f"models/demo/{MEMBERS[-1]}"
    project.run(*train)
    undisturbed = {name: (folder / name).read_bytes() for name in OUTPUTS}
    for name in OUTPUTS:
        (folder / name).unlink()

    rng, kills, resumed = random.Random(time.time_ns()), 0, 0
    log = project.folder / "train.log"
    while True:
        with log.open("w") as stream:
            process = project.start(*train, output=stream)
            try:
                # Up to the first six kills; the last run is left to finish.
                process.wait(timeout=rng.uniform(2.0, 5.0) if kills < 6 else None)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
        resumed += "resuming after batch" in log.read_text()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, log.read_text()
    assert kills >= 1
    assert resumed >= 1
    assert {name: (folder / name).read_bytes() for name in OUTPUTS} == undisturbed
    left = [path.name for path in project.folder.glob("checkpoints/**/*") if path.is_file()]
    assert set(left) == {"lock"}
