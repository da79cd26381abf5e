"""JoeyNMT: its model, its training step, its beam search.

Its recurrent encoder must be bidirectional: with one direction it fails where it joins the last states.
So each direction has half the cells, and a bridge leads from the encoder's last state to the decoder's
first. Our weights do not fit into it. Its biases stay at zero; those of the forget gates would start at
2. Its dropout acts where ours does.
"""

from types import SimpleNamespace
from typing import Any

import torch
from joeynmt.batch import Batch
from joeynmt.builders import build_gradient_clipper, build_optimizer
from joeynmt.config import _check_special_symbols
from joeynmt.model import Model, build_model
from joeynmt.search import search
from joeynmt.training import TrainManager
from joeynmt.vocabulary import Vocabulary
from torch import Tensor

from attnmt.text.vocabulary import SPECIAL
from benchmarks.systems import without_biases
from benchmarks.workload import (
    BEAM,
    CLIP_NORM,
    INIT,
    Ids,
    Pairs,
    Size,
    by_length,
    largest,
    pad_right,
    padded,
)

# Its first ids are fixed: <unk>, <pad>, <s>, </s>. So all our ids after <unk> move up by one.
UNK, PAD, BOS, EOS = range(4)


class JoeyTrainer:
    """The step of its training loop: ``TrainManager._train_step``, clipping and update."""

    def __init__(self, size: Size, dropout: float) -> None:
        self._size = size
        self.model = build(size, dropout)
        self.model.loss_function = ("crossentropy", 0.0)
        self.model.train()
        recipe = {
            "optimizer": "sgd",
            "learning_rate": size.rate,
            "clip_grad_val": None,
            "clip_grad_norm": CLIP_NORM,
        }
        self._optimizer = build_optimizer(recipe, self.model.parameters())
        self._clip = build_gradient_clipper(recipe)
        # This holds what the step reads. The manager's constructor would need folders, logs and data.
        self._manager = SimpleNamespace(
            model=self.model,
            autocast={"device_type": "cpu", "enabled": False},
            args=SimpleNamespace(normalization="batch", batch_multiplier=1),
            n_gpu=0,
            scaler=None,
        )

    def prepare(self, pairs: Pairs) -> Any:
        pad = self._size.pad
        batch = padded(pairs, pad)
        source, target = (_moved(ids, pad) for ids in (batch.source, batch.target))
        return _batch(source, batch.source_lengths, target)

    def train(self, batch: Any) -> float:
        loss, _ = TrainManager._train_step(self._manager, batch)
        self._clip(parameters=self.model.parameters())
        self._optimizer.step()
        self.model.zero_grad()
        return float(loss * batch.nseqs)

    def set_rate(self, rate: float) -> None:
        for group in self._optimizer.param_groups:
            group["lr"] = rate

    @torch.inference_mode()
    def cost(self, batch: Any) -> float:
        self.model.eval()
        batch.sort_by_src_length()
        loss, *_ = self.model(return_type="loss", **vars(batch))
        self.model.train()
        return float(loss)

    @torch.inference_mode()
    def attended(self, pairs: Pairs) -> list[list[int]]:
        batch = self.prepare(pairs)
        self.model.eval()
        order = batch.sort_by_src_length()
        _, _, weights, _ = self.model._encode_decode(**vars(batch))
        self.model.train()
        return largest(weights[order], pairs)

    def decoder(self) -> "JoeyDecoder":
        return JoeyDecoder(self._size, self.model)


class JoeyDecoder:
    """Its beam search, without a length penalty, as in ours.

    If ``forced``, it gives as many words as the reference has, which a model with its initial weights
    would not do by itself. Sentences of one batch then have references of similar length, so that few
    steps are wasted.
    """

    def __init__(self, size: Size, model: Model, *, forced: bool = False) -> None:
        self._pad = size.pad
        self._model = model.eval()
        self._forced = forced

    def translate(
        self, sources: list[Ids], reference_lengths: list[int], batch: int
    ) -> list[list[int]]:
        translations: dict[int, list[int]] = {}
        lengths = reference_lengths if self._forced else [len(ids) for ids in sources]
        for rows in by_length(lengths, batch):
            sentences = [sources[i] for i in rows]
            source = _moved(pad_right(sentences, self._pad), self._pad)
            inputs = _batch(source, torch.tensor([len(ids) for ids in sentences]), None)
            order = inputs.sort_by_src_length()
            forced = max(reference_lengths[i] for i in rows) + 1  # the last for </s>
            steps = {"max_output_length": -1, "min_output_length": 1}  # -1: 1.5 times the source
            if self._forced:
                steps = dict.fromkeys(steps, forced)
            output, _, _ = search(self._model, inputs, beam_size=BEAM, beam_alpha=-1, **steps)
            for i, at in zip(rows, order, strict=True):
                words = output[at].astype(int).tolist()
                translations[i] = words[: reference_lengths[i]] if self._forced else _ours(words)
        return [translations[i] for i in range(len(sources))]


def build(size: Size, dropout: float) -> Model:
    """Return its model with its initial weights."""
    words = Vocabulary(
        [str(i) for i in range(len(SPECIAL), size.pad)],
        SimpleNamespace(**_check_special_symbols({})),
    )
    assert len(words) == size.words
    shared = {
        "type": "recurrent",
        "rnn_type": "lstm",
        "num_layers": size.layers,
        "dropout": dropout,
        "embeddings": {"embedding_dim": size.cells},
    }
    encoder = shared | {"hidden_size": size.cells // 2, "bidirectional": True}
    decoder = shared | {
        "hidden_size": size.cells,
        "attention": "luong",
        "input_feeding": True,
        "init_hidden": "bridge",
    }
    first = {"initializer": "uniform", "init_weight": INIT}
    embedded = {"embed_initializer": "uniform", "embed_init_weight": INIT}
    config = {"encoder": encoder, "decoder": decoder, **first, **embedded}
    model = build_model(config, words, words)
    without_biases(model)
    return model


def _moved(ids: Tensor, pad: int) -> Tensor:
    """Return our ids as JoeyNMT's."""
    return torch.where(ids == pad, PAD, torch.where(ids == UNK, UNK, ids + 1))


def _ours(words: list[int]) -> list[int]:
    """Return the words before JoeyNMT's </s> as our ids."""
    ended = words[: words.index(EOS)] if EOS in words else words
    return [word - 1 if word > PAD else UNK for word in ended if word != PAD]


def _batch(source: Tensor, lengths: Tensor, target: Tensor | None) -> Batch:
    return Batch(
        src=source,
        src_length=lengths,
        src_prompt_mask=None,
        trg=target,
        trg_prompt_mask=None,
        indices=torch.arange(len(source)),
        device=torch.device("cpu"),
        pad_index=PAD,
        eos_index=EOS,
    )
