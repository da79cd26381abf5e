"""This project's model, trained as ``training/loop.py`` does and decoded as the stage translate does."""

from safetensors.torch import load_file

from attnmt.config import load_params
from attnmt.decoding.batched import search_all
from attnmt.decoding.search import Search
from attnmt.model.luong import LuongNMT
from attnmt.text.batches import Batch, make_batch
from attnmt.training.step import TrainingStep
from benchmarks.workload import (
    BEAM,
    CLIP_NORM,
    DROPOUT,
    EXPERIMENT,
    LEARNING_RATE,
    SEED,
    Ids,
    Pairs,
    Size,
)


def build(size: Size, dropout: float) -> LuongNMT:
    """Return the model with its initial weights."""
    model = LuongNMT(size.config(dropout))
    model.initialize(SEED)
    return model


class OursTrainer:
    """The training step."""

    def __init__(self, size: Size, dropout: float) -> None:
        self.model = build(size, dropout)
        self.model.train()
        settings = {
            "batch_size": size.batch,
            "clip_norm": CLIP_NORM,
            "clip_embeddings": True,  # as OpenNMT-py does
        }
        family = next(iter(load_params(EXPERIMENT).families.values()))
        self._step = TrainingStep(self.model, family.training.model_copy(update=settings))

    def prepare(self, pairs: Pairs) -> Batch:
        return make_batch(pairs.sources, pairs.targets, reverse=False)

    def train(self, batch: Batch) -> float:
        return float(self._step(batch, LEARNING_RATE))


class OursDecoder:
    """Beam search with the weights of a file."""

    def __init__(self, size: Size, weights: str) -> None:
        self._model = build(size, DROPOUT).eval()
        self._model.load_state_dict(load_file(weights))

    def translate(self, sources: list[Ids], batch: int) -> list[list[int]]:
        results = search_all([self._model], sources, Search(beam=BEAM, candidates=20), batch)
        return [candidates[0].words for candidates in results]
