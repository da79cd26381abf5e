"""The counts of every sentence behind a system's scores: ``scores/<experiment>/<name>.npz``.

The stage evaluate writes them beside the scores, and the stage gather tests with them, so that it reads
no text. The file has an array for each metric, script and set, before and after unknown words are
replaced, for each step at which attention is read, and for the lengths of references. The line of a
score has the digest of what its sentences were counted against. The same counts give the same bytes.
"""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnmt.errors import InputError
from attnmt.files.text_file import write_bytes
from attnmt.scoring.score_table import ScoreRow
from attnmt.scoring.significance import Counts


def counted(line: ScoreRow) -> str:
    """Return the name of the array with the counts behind a line."""
    return " ".join(filter(None, (line.metric, line.set, line.script, line.replacement)))


def words_of(test: str) -> str:
    """Return the name of the array with the number of words of each reference of a set."""
    return f"words {test}"


def write_counts(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays in the smallest type that holds them, without loss.

    The headers that ``np.savez`` writes depend on the version of Python.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            entry = io.BytesIO()
            np.save(entry, _small(array))
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), entry.getvalue())
    write_bytes(path, stream.getvalue())


def read_counts(path: Path, cure: str) -> dict[str, Counts]:
    """Read what :func:`write_counts` wrote.

    Raises:
        InputError: if the file is missing or damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name].astype(np.float64) for name in arrays.files}
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, TypeError) as error:
        raise InputError(f"{path}: no file of counts, or damaged ({error}); {cure}") from None


def _small(array: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers as short integers. Only TER with several references has fractions."""
    if array.size == 0 or (array != np.floor(array)).any() or array.min() < 0:
        return array.astype(np.float64)
    return array.astype(np.min_scalar_type(int(array.max())))
