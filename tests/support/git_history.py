"""What git says of the project: every content that a file has had."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def git(*arguments: str) -> bytes:
    """Return what git says; nothing if it fails."""
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=False)
    return b"" if ran.returncode else ran.stdout


def versions(file: Path) -> list[bytes]:
    """Return every content that a file has had in git, and the present one."""
    commits = git("log", "--diff-filter=AM", "--format=%H", "--", str(file)).decode().split()
    return [(ROOT / file).read_bytes(), *(git("show", f"{commit}:{file}") for commit in commits)]
