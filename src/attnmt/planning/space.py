"""What an experiment downloads, and what it takes on disk, now and at most."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from attnmt.config import File, Params
from attnmt.corpora.downloads import MIRROR
from attnmt.layout import Layout
from attnmt.planning.text_size import TextSize, training_size

# Estimates for English and German text and the files that encoding makes of it
BYTES_A_WORD = 6  # one word of running text, and the space after it
BYTES_AN_ID = 4
BYTES_A_PAIR = 16  # where each of its two sentences starts
CHECKPOINTS = 5  # the last two, the best weights of each, and one that is being written
KEPT = 2  # a finished training keeps the last and the best until `attnmt commit`


@dataclass(frozen=True)
class Space:
    """What one kind of file takes, in bytes."""

    what: str
    now: int
    most: int | None  # the most until all stages have run; None if that is not known


def files_to_fetch(params: Params, done: Collection[str], root: Path = Path()) -> list[File]:
    """Return the files that the corpus stage would fetch. The stages in ``done`` would not run."""
    if params.source is None or "corpus" in done or os.environ.get(MIRROR):
        return []
    folder = Layout(params.experiment, root).downloads
    return [file for file in params.source.downloads() if not (folder / file.name).exists()]


def disk(
    params: Params,
    done: Collection[str],
    weights: dict[str, int],
    at_once: int,
    root: Path = Path(),
) -> list[Space]:
    """Return what lies on disk by kind, in the order in which stages write it.

    Args:
        done: stages that would not run; what they wrote stays as it is.
        weights: bytes of the weights of every model.
        at_once: how many trainings run at the same time.
    """
    layout = Layout(params.experiment, root)
    raw, tokens = _text_bytes(params)
    sizes = {family: training_size(params, family, root) for family in params.families}
    to_train = {name: size for name, size in weights.items() if f"train@{name}" not in done}
    checkpoints = {name: _size(layout.checkpoints(name)) for name in weights}
    rows = [
        _downloads(params, done, layout, root),
        _row("raw text", [layout.raw], "corpus" in done, raw),
        _row("tokens", [layout.tokens], "tokens" in done, tokens),
        _sum(
            "encoded text",
            (
                _row("", [layout.encoded(name)], f"encode@{name}" in done, _encoded_bytes(size))
                for name, size in sizes.items()
            ),
        ),
        _sum(
            "models",
            (
                _row("", [layout.model(name)], f"train@{name}" in done, size)
                for name, size in weights.items()
            ),
        ),
        Space(
            f"checkpoints, {at_once} at a time",
            sum(checkpoints.values()),
            # `attnmt commit`, which deletes them, may come after all trainings.
            sum(size for name, size in checkpoints.items() if name not in to_train)
            + KEPT * sum(to_train.values())
            + (CHECKPOINTS - KEPT) * sum(sorted(to_train.values())[-at_once:]),
        ),
    ]
    names = [*params.models, *params.ensembles]
    results = [layout.dictionary, layout.reports, *map(layout.translations, names)]
    results += map(layout.scores, names)
    what = "dictionary, translations, scores, reports"
    return [*rows, _row(what, results, "report" in done, None)]


def _row(what: str, paths: Iterable[Path], done: bool, estimate: int | None) -> Space:
    now = sum(map(_size, paths))
    return Space(what, now, now if done else estimate)


def _sum(what: str, rows: Iterable[Space]) -> Space:
    """Return one row for several. Its ``most`` is known only if that of every row is known."""
    parts = list(rows)
    most = [row.most for row in parts]
    known = [size for size in most if size is not None]
    return Space(
        what,
        sum(row.now for row in parts),
        sum(known) if len(known) == len(most) else None,
    )


def _downloads(params: Params, done: Collection[str], layout: Layout, root: Path) -> Space:
    now, most = _size(layout.downloads), _fetched_bytes(params)
    return Space("downloads", now, most if files_to_fetch(params, done, root) else now)


def _fetched_bytes(params: Params) -> int | None:
    """Return the bytes of all downloads: their sum, or the expected number if a size is unknown."""
    if params.source is None:
        return 0
    sizes = [file.bytes for file in params.source.downloads()]
    known = [size for size in sizes if size is not None]
    if len(known) == len(sizes):
        return sum(known)
    return params.source.expected.bytes if params.source.expected else None


def _text_bytes(params: Params) -> tuple[int, int] | tuple[None, None]:
    """Return the bytes of the training text, raw and as tokens; the other sets are small beside it."""
    expected = params.expected
    if expected is None:
        return None, None
    return expected.raw_bytes, sum(expected.words.values()) * BYTES_A_WORD


def _encoded_bytes(size: TextSize | None) -> int | None:
    """Return the bytes of a family's words, ids and places."""
    if size is None:
        return None
    return sum(size.words.values()) * (BYTES_A_WORD + BYTES_AN_ID) + size.pairs * BYTES_A_PAIR


def _size(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder; 0 if it does not exist."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
