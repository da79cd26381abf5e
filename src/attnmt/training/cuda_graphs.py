"""Training steps as CUDA graphs: a GPU then takes a whole step from one launch of the host.

A step is some thousands of small kernels, and a host needs 6 to 8 microseconds to launch each. A graph
is made for one shape of a batch. So batches are padded to a few shapes, whether or not steps are
captured, and a captured step computes the same bytes as one that is not.
"""

import math
import os
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from attnmt.errors import InputError, lacks_memory
from attnmt.model.luong import LuongNMT
from attnmt.text.batches import Batch
from attnmt.text.vocabulary import EOS

SWITCH = "ATTNMT_CUDA_GRAPHS"  # 0 launches each kernel by itself, as without this file
MULTIPLE = 8  # of which the widths of a padded batch are multiples
WATCHED = 50  # batches before the first capture
MOST = 32  # graphs; the steps of other shapes are launched kernel by kernel
Shape = tuple[torch.Size, ...]  # of the parts of a batch


def padded(batch: Batch) -> Batch:
    """Return a batch whose widths M and T are the next multiples; it has the same loss.

    A model without biases reads padding on the left of a source as nothing, and no step of the decoder
    sees a later one.
    """
    M, T = batch.source.shape[1], batch.words.shape[1]
    more = -T % MULTIPLE
    return batch._replace(
        source=pad(batch.source, (-M % MULTIPLE, 0)),
        words=pad(batch.words, (0, more), value=EOS),
        next_words=pad(batch.next_words, (0, more), value=EOS),
    )


class CapturedSteps:
    """Takes a step of training on batches on a GPU; shapes that come again are captured.

    The graphs share their memory, because one ends before the next begins. That memory has pieces as the
    first graphs want them, so a number of batches is watched, and then the largest shape comes first.
    """

    def __init__(self, train: Callable[[Batch], Tensor]) -> None:
        """Take the step, which returns the loss; all that it reads or changes stays where it is."""
        self._train = train
        self._pool = torch.cuda.graph_pool_handle()
        self._seen = Counter[Shape]()
        self._watched: dict[Shape, Batch] = {}  # one of each shape, before the first capture
        self._graphs: dict[Shape, _Graph] = {}

    def __call__(self, batch: Batch) -> Tensor:
        """Take the step and return the loss."""
        shape = tuple(part.shape for part in batch)
        if shape in self._graphs:
            return self._graphs[shape].replay(batch)
        # Libraries and optimizers make their memory at their first call, outside of any graph.
        loss = self._train(batch)
        self._seen[shape] += 1
        count = self._seen.total()
        if count <= WATCHED:
            self._watched[shape] = batch
        elif self._seen[shape] > 1 and len(self._graphs) < MOST:
            self._graphs[shape] = _Graph(self._train, batch, self._pool)
        if count == WATCHED:
            again = [one for one, times in self._seen.most_common(MOST) if times > 1]
            for one in sorted(again, key=lambda one: math.prod(map(math.prod, one)), reverse=True):
                self._graphs[one] = _Graph(self._train, self._watched[one], self._pool)
            self._watched.clear()
        return loss


class _Graph:
    """The step for batches of one shape."""

    def __init__(self, train: Callable[[Batch], Tensor], batch: Batch, pool: Any) -> None:
        self._batch = Batch(*(part.clone() for part in batch))
        self._graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(self._graph, pool=pool):
                self._loss = train(self._batch)
        except (RuntimeError, AssertionError) as error:
            first: BaseException = error  # the end of a capture that has failed is an error, too
            while first.__context__:
                first = first.__context__
            what = "a step of this training cannot be captured as a CUDA graph"
            cure = f"set {SWITCH}=0"
            if lacks_memory(first):
                what = "the CUDA graphs of this training need more memory than the GPU has"
                cure += "; a smaller batch_size, which changes results, is the last resort"
            raise InputError(f"{what} ({' '.join(str(first).split())}); {cure}") from error

    def replay(self, batch: Batch) -> Tensor:
        """Take the step on another batch; return its loss."""
        for own, part in zip(self._batch, batch, strict=True):
            own.copy_(part)
        self._graph.replay()
        return self._loss.clone()


def wanted() -> bool:
    """Say whether steps on a GPU are captured, which the environment may refuse."""
    return os.environ.get(SWITCH) != "0"


def captures(model: LuongNMT) -> bool:
    """Say whether a model's steps are captured: on a GPU, unless attention sees the padding."""
    faults = model.config.system.faults
    return model.device.type == "cuda" and "unmasked_padding" not in faults and wanted()
