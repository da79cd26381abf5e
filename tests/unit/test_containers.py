"""Docker gets what git has."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_docker_gets_what_git_has():
    ignored = (ROOT / ".gitignore").read_text().split()
    expected = [
        line.strip("/") if line.startswith("/") else f"**/{line.strip('/')}" for line in ignored
    ]
    expected += [
        f".dvc/{name.strip('/')}" for name in (ROOT / ".dvc/.gitignore").read_text().split()
    ]
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == expected
