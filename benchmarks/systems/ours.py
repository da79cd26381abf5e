"""This project's model, trained as ``training/loop.py`` does and decoded as the stage translate does."""

from pathlib import Path

import torch
from safetensors.torch import load_file

from attnmt.config import Precision, load_params
from attnmt.decoding.batched import search_all
from attnmt.decoding.forced import force
from attnmt.decoding.search import Search
from attnmt.model.precision import products_in
from attnmt.model.translator import Translator
from attnmt.text.batches import Batch, make_batch
from attnmt.training.step import Step
from benchmarks.workload import (
    BEAM,
    CLIP_NORM,
    DROPOUT,
    EXPERIMENT,
    SEED,
    Ids,
    Pairs,
    Size,
)

CPU = torch.device("cpu")


def build(size: Size, dropout: float, seed: int = SEED) -> Translator:
    """Return the model with its initial weights."""
    model = Translator(size.config(dropout))
    model.initialize(seed)
    return model


def load(size: Size, weights: str) -> Translator:
    """Return the model with the weights of a file."""
    model = build(size, DROPOUT).eval()
    model.load_state_dict(load_file(Path(weights)))
    return model


class OursTrainer:
    """The training step."""

    def __init__(self, size: Size, dropout: float, precision: Precision, seed: int) -> None:
        self.model = build(size, dropout, seed)
        self.model.train()
        self._precision: Precision = precision
        self._rate = size.rate
        recipe = {
            "batch_size": size.batch,
            "clip_norm": CLIP_NORM,
            "clip_embeddings": True,  # as every peer does
        }
        family = next(iter(load_params(EXPERIMENT).families.values()))
        self._step = Step(self.model, family.training.model_copy(update=recipe))

    def prepare(self, pairs: Pairs) -> Batch:
        return make_batch(pairs.sources, pairs.targets, reverse=False)

    def train(self, batch: Batch) -> float:
        with products_in(self._precision, CPU):
            return float(self._step(batch, self._rate))

    def set_rate(self, rate: float) -> None:
        self._rate = rate

    @torch.inference_mode()
    def cost(self, batch: Batch) -> float:
        self.model.eval()
        h_tilde, _ = self.model(batch.source, batch.source_lengths, batch.words)
        total = float(self.model.loss(h_tilde, batch.next_words, batch.lengths))
        self.model.train()
        return total

    def attended(self, pairs: Pairs) -> list[list[int]]:
        self.model.eval()
        found = [one.attended for one in force([self.model], pairs.sources, pairs.targets)]
        self.model.train()
        return found

    def decoder(self) -> "OursDecoder":
        return OursDecoder([self.model.eval()], self._precision)


class OursDecoder:
    """Beam search with one model or an ensemble."""

    def __init__(self, models: list[Translator], precision: Precision) -> None:
        self._models = models
        self._precision: Precision = precision

    def translate(
        self, sources: list[Ids], reference_lengths: list[int], batch: int
    ) -> list[list[int]]:
        with products_in(self._precision, CPU):
            results = search_all(self._models, sources, Search(beam=BEAM, candidates=20), batch)
        return [candidates[0].words for candidates in results]
