"""The demo's text, or its beginning: what tests take where any sentences with gold links will do."""

from collections.abc import Mapping
from pathlib import Path

from attnmt.corpora.links import GoldLinks, read_links
from attnmt.files.text_file import read_lines, write_lines

FOLDER = Path(__file__).parents[2] / "experiments/demo/text"
SUFFIXES = ("en", "de", "links")


def demo_lines(suffix: str, count: int) -> list[str]:
    """Return the first lines of one side of the training text, untokenized."""
    return read_lines(FOLDER / f"train.{suffix}.gz")[:count]


def demo_links(count: int) -> list[GoldLinks]:
    """Return the gold links of the first pairs of the training text."""
    return read_links(FOLDER / "train.links.gz")[:count]


def write_demo_text(folder: Path, sizes: Mapping[str, int]) -> None:
    """Put the first pairs of each set into a folder of local text; replace a whole set."""
    for name, size in sizes.items():
        for suffix in SUFFIXES:
            whole = read_lines(FOLDER / f"{name}.{suffix}.gz")
            write_lines(folder / f"{name}.{suffix}", whole[:size])
            (folder / f"{name}.{suffix}.gz").unlink(missing_ok=True)
