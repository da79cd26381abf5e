"""Outputs of models that the parameters no longer name are moved out of the way."""

from pathlib import Path

from small_experiment import make_experiment

from attnmt.workflow.leftovers import set_aside

LEFT = [
    Path("models/demo/gone"),
    Path("translations/demo/gone"),
    Path("scores/demo/gone.csv"),
    Path("scores/demo/gone.json"),
    Path("data/demo/encoded/gone"),
]


def test_leftovers_are_moved_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    params = make_experiment(tmp_path)
    before = {path for path in Path().rglob("*") if path.is_file()}
    for content in ("first", "second"):
        for path in LEFT:
            file = path if path.suffix else path / "file"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        assert sorted(set_aside(params)) == sorted(LEFT)
        assert not any(path.exists() for path in LEFT)
        assert Path("set-aside/scores/demo/gone.csv").read_text() == content
    kept = {path for path in Path().rglob("*") if path.is_file()}
    assert {path for path in kept if path.parts[0] != "set-aside"} == before
    assert set_aside(params) == []
