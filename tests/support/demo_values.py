"""The demo's parameters with one seed, so that a test also passes where somebody has set more."""

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
SEEDS = re.compile(r"^seeds:.*\n(?: .*\n)*", re.MULTILINE)  # the whole section
ONE = "seeds: 1\n"


def demo_text(path: Path = ROOT / "params.yaml") -> str:
    """Return the text of an experiment's parameters, with one seed."""
    text, count = SEEDS.subn(ONE, path.read_text(encoding="utf-8"))
    assert count == 1
    return text


def demo_values() -> dict[str, Any]:
    """Return the demo's parameters, with one seed."""
    values: dict[str, Any] = yaml.safe_load(demo_text())
    return values
