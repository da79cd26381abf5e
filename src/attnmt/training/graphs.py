"""Training steps as CUDA graphs: captured once for each shape of a batch, then replayed.

A step of the paper's models runs several thousand kernels of a few microseconds, more than the host can
launch in that time. A graph launches them all at once. It is bound to the addresses and the shape that
it was captured with, so a batch is copied to where its graph reads. Batches are also padded a little
further, so that few shapes occur.
"""

import logging
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from attnmt.text.batches import Batch
from attnmt.text.vocabulary import EOS

log = logging.getLogger(__name__)

# Columns are padded to multiples of these. A step's time grows with the target's columns, which the
# decoder takes one by one, more than with the source's.
SOURCE_COLUMNS, TARGET_COLUMNS = 4, 2
# How many steps of a shape run plainly before one is captured. They set up what a capture must find
# ready (the libraries' handles and workspaces), and show that the shape comes again.
EAGER_STEPS = 2
# A graph takes about 10 kB per kernel, in addition to the pool that all graphs share. At the paper's
# size this is some 50 MB.
MOST_GRAPHS = 128
KEPT_FREE = 1 / 4  # share of the GPU's memory; with less free, no more graphs are captured

Shape = tuple[int, int, int]  # N, M and T of a batch
# Takes a batch and the learning rate, and returns the loss.
PlainStep = Callable[[Batch, float | Tensor], Tensor]


class Graph(Protocol):
    """A captured step."""

    def replay(self, batch: Batch) -> Tensor:
        """Take the step on a batch of the graph's shape; return the loss."""


class Graphs:
    """The graphs by shape: which steps are captured, and when."""

    def __init__(self, has_room: Callable[[], bool], capturing: bool = True) -> None:
        self.has_room = has_room
        self.capturing = capturing
        self.seen: Counter[Shape] = Counter()
        self.by_shape: dict[Shape, Graph] = {}

    def find(self, batch: Batch, capture: Callable[[Batch], Graph]) -> Graph | None:
        """Return the batch's graph, captured now if it is time; None if the step is to run plainly.

        After a capture that fails, torch and CUDA promise nothing about the next one. So no other
        capture is tried, but graphs that were captured before are still replayed.
        """
        shape = (len(batch.source), batch.source.shape[1], batch.words.shape[1])
        if shape not in self.by_shape and self._is_due(shape):
            try:
                self.by_shape[shape] = capture(batch)
            except RuntimeError as error:  # as torch, CUDA and its libraries raise it
                self.capturing = False
                log.warning(
                    "a step could not be captured as a CUDA graph (%s); the training goes on without "
                    "further graphs; it is slower, and its result is the same",
                    str(error).partition("\n")[0],
                )
        return self.by_shape.get(shape)

    def _is_due(self, shape: Shape) -> bool:
        self.seen[shape] += 1
        full = len(self.by_shape) == MOST_GRAPHS
        often = self.seen[shape] > EAGER_STEPS
        return self.capturing and often and not full and self.has_room()


class GraphedStep:
    """Takes steps on a GPU, as graphs where possible; the host does not wait for any step.

    Plain steps and graphs run the same kernels, and draw the same random numbers: a replay advances
    torch's generator as its operations would.
    """

    def __init__(self, device: torch.device, widened: bool, capturing: bool = True) -> None:
        """Prepare for a device.

        Args:
            device: a GPU.
            widened: whether batches may be padded further.
            capturing: whether steps are captured as graphs; this does not change the padding.
        """
        self.device = device
        self.multiples = (SOURCE_COLUMNS, TARGET_COLUMNS) if widened else (1, 1)
        self.graphs = Graphs(self._has_room, capturing)
        self.rate = torch.zeros((), device=device)
        # Plain steps run on the stream of the captures, which then find what they need there.
        self.stream = torch.cuda.Stream(device)
        self.pool = torch.cuda.graph_pool_handle()

    def __call__(self, step: PlainStep, batch: Batch, rate: float) -> Tensor:
        """Take a step; return the loss."""
        batch = _to_gpu(widen(batch, *self.multiples), self.device)
        self.rate.fill_(rate)
        graph = self.graphs.find(batch, lambda like: self._capture(step, like))
        return self._plain(step, batch) if graph is None else graph.replay(batch)

    def _plain(self, step: PlainStep, batch: Batch) -> Tensor:
        current = torch.cuda.current_stream(self.device)
        self.stream.wait_stream(current)
        with torch.cuda.stream(self.stream):
            loss = step(batch, self.rate)
        current.wait_stream(self.stream)
        return loss

    def _capture(self, step: PlainStep, like: Batch) -> "_CUDAGraph":
        inputs = Batch(*(part.clone() for part in like))
        graph = torch.cuda.CUDAGraph()
        # The gradients are made and cleared within the capture, so that they are in the same memory
        # in all graphs. thread_local lets NCCL's thread use the GPU meanwhile. The outer context
        # restores the current stream, which a failed capture does not do.
        with (
            torch.cuda.stream(torch.cuda.current_stream(self.device)),
            torch.cuda.graph(
                graph, pool=self.pool, stream=self.stream, capture_error_mode="thread_local"
            ),
        ):
            loss = step(inputs, self.rate)
        return _CUDAGraph(graph, inputs, loss)

    def _has_room(self) -> bool:
        """Say whether plain steps have enough memory: free memory, and what torch holds for them."""
        free, total = torch.cuda.mem_get_info(self.device)
        cached = torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
        pool = torch.cuda.memory_snapshot(self.pool, include_traces=False)
        for_graphs: int = sum(part["total_size"] - part["allocated_size"] for part in pool)
        return free + cached - for_graphs > KEPT_FREE * total


class _CUDAGraph(NamedTuple):
    graph: torch.cuda.CUDAGraph
    inputs: Batch  # where it reads
    loss: Tensor  # where it writes

    def replay(self, batch: Batch) -> Tensor:
        for buffer, part in zip(self.inputs, batch, strict=True):
            buffer.copy_(part)
        self.graph.replay()
        return self.loss.clone()


def widen(batch: Batch, source_columns: int, target_columns: int) -> Batch:
    """Pad the source on the left, the target on the right, to multiples of these numbers of columns."""
    left = -batch.source.shape[1] % source_columns
    right = -batch.words.shape[1] % target_columns
    return batch._replace(
        source=nn.functional.pad(batch.source, (left, 0)),
        words=nn.functional.pad(batch.words, (0, right), value=EOS),
        next_words=nn.functional.pad(batch.next_words, (0, right), value=EOS),
    )


def _to_gpu(batch: Batch, device: torch.device) -> Batch:
    """Copy to a GPU from pinned memory, which it reads by itself, so that the host need not wait."""
    return Batch(*(part if part.is_cuda else part.pin_memory() for part in batch)).to(device)
