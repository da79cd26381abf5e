"""OpenNMT-py: its model builder, its trainer's step, its beam search.

Its input-feeding decoder computes what ours computes, so it can decode with our weights. Its biases stay
at zero, and in training its dropout acts where ours does.
"""

import sys
from argparse import Namespace
from typing import Any
from unittest.mock import MagicMock

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from attnmt.text.vocabulary import SPECIAL
from benchmarks.workload import (
    BEAM,
    CLIP_NORM,
    INIT,
    LEARNING_RATE,
    Ids,
    Pairs,
    Size,
    by_length,
    pad_right,
    padded,
)

# The package imports all its text transforms at once; the libraries that they need are not used here.
for unused in ("ahocorasick", "fasttext", "rapidfuzz", "spacy"):
    sys.modules.setdefault(unused, MagicMock())

from onmt import opts  # noqa: E402
from onmt.constants import DefaultTokens  # noqa: E402
from onmt.inputters.inputter import dict_to_vocabs  # noqa: E402
from onmt.model_builder import build_model  # noqa: E402
from onmt.trainer import Trainer  # noqa: E402
from onmt.translate.beam_search import GNMTGlobalScorer  # noqa: E402
from onmt.translate.translator import Translator  # noqa: E402
from onmt.utils import Statistics  # noqa: E402
from onmt.utils.loss import LossCompute  # noqa: E402
from onmt.utils.optimizers import Optimizer  # noqa: E402
from onmt.utils.parse import ArgumentParser  # noqa: E402

Batch = dict[str, Tensor]


class OpenNMTTrainer:
    """The step of OpenNMT-py's trainer."""

    def __init__(self, size: Size, dropout: float) -> None:
        self._pad = size.pad
        options, vocabularies = _options(size, dropout), _vocabularies(size)
        self.model = build_model(options, options, vocabularies, None, -1)
        without_biases(self.model)
        _drop_inputs_only(self.model.decoder)
        self._loss = LossCompute.from_opts(options, self.model, vocabularies["tgt"])
        self._optimizer = Optimizer.from_opt(self.model, options)
        parts = self.model, self._loss, None, None, None, self._optimizer
        self._trainer = Trainer(*parts, n_gpu=0, gpu_rank=-1, dropout=[dropout])

    def prepare(self, pairs: Pairs) -> Batch:
        batch = padded(pairs, self._pad)
        return {
            "src": batch.source[:, :, None],
            "srclen": batch.source_lengths,
            "tgt": batch.target[:, :, None],
        }

    def train(self, batch: Batch) -> float:
        total, report = Statistics(), Statistics()
        self._trainer._gradient_accumulation([batch], len(batch["srclen"]), total, report)
        return float(total.loss)


class OpenNMTDecoder:
    """Its beam search, without a length penalty, as in ours. All other settings are its defaults."""

    def __init__(self, size: Size, model: Any) -> None:
        self._pad = size.pad
        options, vocabularies = _options(size, 0.0), _vocabularies(size)
        parser = ArgumentParser()
        opts.translate_opts(parser)
        arguments = f"-model - -src - -beam_size {BEAM} -length_penalty none"
        search, _ = parser.parse_known_args(arguments.split())
        scorer = GNMTGlobalScorer.from_opt(search)
        self._translator = Translator.from_opt(
            model.eval(), vocabularies, search, options, scorer, report_score=False
        )

    def translate(self, sources: list[Ids], batch: int) -> list[list[int]]:
        translations: dict[int, list[int]] = {}
        for rows in by_length([len(ids) for ids in sources], batch):
            sentences = [sources[i] for i in rows]
            inputs = {
                "src": pad_right(sentences, self._pad)[:, :, None],
                "srclen": torch.tensor([len(ids) for ids in sentences]),
            }
            results = self._translator.translate_batch(inputs, attn_debug=False)
            ends = self._translator._tgt_eos_idx
            for i, best in zip(rows, results["predictions"], strict=True):
                translations[i] = [word for word in best[0].tolist() if word != ends]
        return [translations[i] for i in range(len(sources))]


def _drop_inputs_only(decoder: Any) -> None:
    """Drop units of every layer's input, the fed vector's too, and none of what predicts a word."""
    decoder.embeddings.dropout.p = decoder.dropout.p = 0.0
    decoder.rnn.register_forward_pre_hook(
        lambda cells, inputs: (cells.dropout(inputs[0]), inputs[1])
    )


def with_our_weights(size: Size, weights: str) -> Any:
    """Return its model with the weights of a file of ours."""
    options = _options(size, 0.0)
    model = build_model(options, options, _vocabularies(size), None, -1)
    _set_weights(model, load_file(weights))
    return model


def _options(size: Size, dropout: float) -> Namespace:
    """Return its options for our model and its training; the others keep their defaults."""
    parser = ArgumentParser()
    opts.train_opts(parser)
    options: Namespace
    options, _ = parser.parse_known_args(
        f"-data - -src_vocab - -save_model - -encoder_type rnn -decoder_type rnn -rnn_type LSTM "
        f"-layers {size.layers} -hidden_size {size.cells} -word_vec_size {size.cells} "
        f"-input_feed 1 -global_attention general -dropout {dropout} -param_init {INIT} "
        f"-optim sgd -learning_rate {LEARNING_RATE} -max_grad_norm {CLIP_NORM} "
        f"-normalization sents".split()
    )
    ArgumentParser.update_model_opts(options)
    ArgumentParser.validate_model_opts(options)
    return options


def _vocabularies(size: Size) -> Any:
    words = [*SPECIAL, *map(str, range(len(SPECIAL), size.pad)), DefaultTokens.PAD]
    return dict_to_vocabs({"src": words, "tgt": words, "data_task": "seq2seq"})


def without_biases(model: nn.Module) -> None:
    """Hold all biases at zero, because ours has none."""
    for name, parameter in model.named_parameters():
        if "bias" in name:
            nn.init.zeros_(parameter)
            parameter.requires_grad_(False)


@torch.no_grad()
def _set_weights(model: Any, weights: dict[str, Tensor]) -> None:
    """Give the model our weights."""
    without_biases(model)
    matrices = {
        model.encoder.embeddings.word_lut.weight: "encoder.embedding.weight",
        model.decoder.embeddings.word_lut.weight: "decoder.embedding.weight",
        model.decoder.attn.linear_in.weight: "decoder.attention.score.W_a",
        model.decoder.attn.linear_out.weight: "decoder.W_c",
        model.generator.weight: "W_s",
    }
    for layer, cell in enumerate(model.decoder.rnn.layers):
        for kind in ("ih", "hh"):
            here = getattr(model.encoder.rnn, f"weight_{kind}_l{layer}")
            matrices[here] = f"encoder.stack.layers.{layer}.weight_{kind}_l0"
            here = getattr(cell, f"weight_{kind}")
            matrices[here] = f"decoder.stack.layers.{layer}.weight_{kind}_l0"
    for parameter, name in matrices.items():
        parameter.copy_(weights[name])
