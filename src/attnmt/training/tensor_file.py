"""Write tensors as a safetensors file, one after the other.

``safetensors.torch.save`` gives the same tensors, but holds all of them twice. If types are equally
large, it may put them in another order. Its ``save_file`` leaves a file that only its owner may read,
and errors without a number, so that a full disk has no name.

The format: the length of the header (8 bytes, little-endian), the header as JSON, which says where each
tensor lies after it, and the tensors (https://huggingface.co/docs/safetensors).
"""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from attnmt.files.atomic import atomic_path

DTYPES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}
ALIGNMENT = 8  # of the first tensor, in bytes


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write a file, all or nothing. A tensor on a GPU is copied when its turn comes."""
    names = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    header: dict[str, object] = {"__metadata__": dict(metadata)}
    end = 0
    for name in names:
        tensor, start = tensors[name], end
        end += tensor.nbytes
        place = {"shape": list(tensor.shape), "data_offsets": [start, end]}
        header[name] = {"dtype": DTYPES[tensor.dtype], **place}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % ALIGNMENT)
    with atomic_path(path) as partial, partial.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in names:
            file.write(_bytes(tensors[name]))


def checksum(tensors: Mapping[str, Tensor], text: str) -> str:
    """Return the CRC-32 of a text and of tensors in the order of their names, as hexadecimal digits."""
    crc = zlib.crc32(text.encode())
    for name in sorted(tensors):
        crc = zlib.crc32(_bytes(tensors[name]), crc)
    return f"{crc:08x}"


def _bytes(tensor: Tensor) -> memoryview:
    """Return a tensor's numbers; where they lie in order in the host's memory, nothing is copied."""
    return tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data
