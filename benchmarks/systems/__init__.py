"""The systems that are compared, each behind the same few methods."""

from typing import Any, Protocol

from torch import nn

from benchmarks.workload import Ids, Pairs, Size

# Peers come from PyPI; `plain` is the obvious loop, which autograd differentiates.
OURS, PEERS, PLAIN = ("ours", "ours-bf16"), ("opennmt", "joeynmt"), "plain"
SYSTEMS = (*OURS, PLAIN, *PEERS)
LABELS = {
    "ours": "ours, fp32",
    "ours-bf16": "ours, bf16 products",
    "ours-x8": "ours, ensemble of 8",
    "plain": "plain autograd loop",
    "opennmt": "OpenNMT-py 3.5.1",
    "joeynmt": "JoeyNMT 2.3.0",
}


class Trainer(Protocol):
    """A model that the system's own code trains."""

    @property
    def model(self) -> nn.Module:
        """The model, whose parameters are counted and saved."""

    def prepare(self, pairs: Pairs) -> Any:
        """Return a batch in the form that the system reads; this is not timed."""

    def train(self, batch: Any) -> float:
        """Do one step: forward, loss, backward, clip, update. Return the summed loss in nats."""


class Decoder(Protocol):
    """A model that translates by the beam search of the system's own code."""

    def translate(
        self, sources: list[Ids], reference_lengths: list[int], batch: int
    ) -> list[list[int]]:
        """Return the best translation of each source, without ``</s>``."""


def build_trainer(name: str, size: Size, dropout: float) -> Trainer:
    """Import a system and build its model."""
    if name in OURS:
        from benchmarks.systems.ours import OursTrainer

        return OursTrainer(size, dropout, "bf16" if name == "ours-bf16" else "fp32")
    if name == PLAIN:
        from benchmarks.systems.plain import PlainTrainer

        return PlainTrainer(size, dropout)
    if name == "opennmt":
        from benchmarks.systems.opennmt import OpenNMTTrainer

        return OpenNMTTrainer(size, dropout)
    from benchmarks.systems.joey import JoeyTrainer

    return JoeyTrainer(size, dropout)


def build_decoder(name: str, size: Size, weights: str) -> Decoder:
    """Import a system and build its model, with our weights if they fit."""
    if name.startswith("ours"):
        from benchmarks.systems.ours import OursDecoder

        members = 8 if name == "ours-x8" else 1
        return OursDecoder(size, weights, "bf16" if name == "ours-bf16" else "fp32", members)
    if name == "opennmt":
        from benchmarks.systems.opennmt import OpenNMTDecoder

        return OpenNMTDecoder(size, weights)
    from benchmarks.systems.joey import JoeyDecoder

    return JoeyDecoder(size)
