"""The systems that are compared, each behind the same few methods."""

from typing import Any, Protocol

import torch
from torch import nn

from benchmarks.workload import SEED, Ids, Pairs, Size

# Peers come from PyPI; `plain` is the obvious loop, which autograd differentiates.
BF16 = "ours-bf16"  # only on a processor that multiplies in bf16
ALL = "ours-all"  # with all instructions of the processor; "ours" keeps to AVX2
OURS, PEERS, PLAIN = ("ours", BF16), ("opennmt", "joeynmt"), "plain"
SYSTEMS = (*OURS, ALL, PLAIN, *PEERS)
LABELS = {
    "ours": "ours, fp32",
    ALL: "ours, fp32, all instructions",
    BF16: "ours, bf16 products",
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


class WholeTrainer(Trainer, Protocol):
    """A model that is trained to the end."""

    def set_rate(self, rate: float) -> None:
        """Set the learning rate of the following steps."""

    def cost(self, batch: Any) -> float:
        """Return the summed -log p of a batch's target words in nats, without dropout."""

    def attended(self, pairs: Pairs) -> list[list[int]]:
        """Return the source position with the largest weight at each step, that of ``</s>`` too."""

    def decoder(self) -> "Decoder":
        """Return the beam search of the model as it is."""


class Decoder(Protocol):
    """A model that translates by the beam search of the system's own code."""

    def translate(
        self, sources: list[Ids], reference_lengths: list[int], batch: int
    ) -> list[list[int]]:
        """Return the best translation of each source, without ``</s>``."""


def without_biases(model: nn.Module) -> None:
    """Hold all biases of a peer's model at zero, because ours has none."""
    for name, parameter in model.named_parameters():
        if "bias" in name:
            nn.init.zeros_(parameter)
            parameter.requires_grad_(False)


def build_trainer(name: str, size: Size, dropout: float, seed: int = SEED) -> Trainer:
    """Import a system and build its model."""
    if name == PLAIN:
        from benchmarks.systems.plain import PlainTrainer

        return PlainTrainer(size, dropout)
    return build_whole_trainer(name, size, dropout, seed)


def build_whole_trainer(name: str, size: Size, dropout: float, seed: int) -> WholeTrainer:
    """Import ours or a peer and build its model."""
    torch.manual_seed(seed)
    if name.startswith("ours"):
        from benchmarks.systems.ours import OursTrainer

        return OursTrainer(size, dropout, "bf16" if name == BF16 else "fp32", seed)
    if name == "opennmt":
        from benchmarks.systems.opennmt import OpenNMTTrainer

        return OpenNMTTrainer(size, dropout)
    from benchmarks.systems.joey import JoeyTrainer

    return JoeyTrainer(size, dropout)


def build_decoder(name: str, size: Size, weights: str) -> Decoder:
    """Import a system and build its model, with our weights if they fit."""
    if name.startswith("ours"):
        from benchmarks.systems.ours import OursDecoder, load

        # The members are one model, so the ensemble takes as many steps as it and finds the same.
        members = 8 if name == "ours-x8" else 1
        model = load(size, weights)
        return OursDecoder([model] * members, "bf16" if name == BF16 else "fp32")
    if name == "opennmt":
        from benchmarks.systems.opennmt import OpenNMTDecoder, with_our_weights

        return OpenNMTDecoder(size, with_our_weights(size, weights))
    from benchmarks.systems.joey import JoeyDecoder, build

    return JoeyDecoder(size, build(size, 0.0), forced=True)
