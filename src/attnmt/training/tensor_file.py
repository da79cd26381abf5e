"""Files of tensors (safetensors) that are written whole, carry a checksum, and hold finite numbers.

``safetensors`` itself would leave a file that only its owner may read, and says of a full disk only that
something failed.
"""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from attnmt.files.atomic import atomic_path

CHECKSUM = "checksum"  # among the metadata
METADATA = "metadata"  # the one key of the file: safetensors writes several in a random order


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write a file, all or nothing. The tensors may be on a GPU."""
    on_host = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    values = {**metadata, CHECKSUM: checksum(on_host, metadata)}
    content = save(on_host, {METADATA: json.dumps(values, sort_keys=True)})
    with atomic_path(path) as partial, partial.open("wb") as file:
        file.write(content)


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return a file's tensors, which stay in the file until they are read, and its metadata.

    Raises:
        ValueError: if it is missing or damaged, or a number is not finite.
    """
    try:
        with safe_open(path, framework="pt") as file:
            metadata = dict(json.loads((file.metadata() or {})[METADATA]))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, KeyError, TypeError, SafetensorError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    if metadata.pop(CHECKSUM, "") != checksum(tensors, metadata):
        raise ValueError(f"{path.name}: the checksum differs")
    for name, tensor in tensors.items():
        if not finite(tensor):
            raise ValueError(f"{path.name}: {name} has numbers that are not finite")
    return tensors, metadata


def finite(tensor: Tensor) -> bool:
    """Say whether all numbers are finite, without taking the tensor's memory again."""
    return tensor.numel() == 0 or bool(torch.stack(tensor.aminmax()).isfinite().all())


def checksum(tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """Return the CRC-32 of metadata and tensors, in the order of names, as hexadecimal digits."""
    crc = zlib.crc32(repr(sorted(metadata.items())).encode())
    for name in sorted(tensors):
        numbers = tensors[name].flatten().view(torch.uint8).numpy()
        crc = zlib.crc32(numbers.data, zlib.crc32(name.encode(), crc))
    return f"{crc:08x}"
