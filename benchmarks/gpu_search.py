"""Beam search at the paper's size, by one model and by eight, with random weights."""

import time
from typing import Any

import torch

from attnmt.config import Params
from attnmt.decoding.batched import search_all
from attnmt.decoding.search import Search
from attnmt.model.translator import ModelConfig, Translator
from attnmt.text.batches import ParallelText
from attnmt.training.machine import peak_memory
from benchmarks.gpu_workload import SEED
from benchmarks.products import wait

SENTENCES = 2737  # of the paper's newstest2014
ENSEMBLE = 8


def searches(
    config: ModelConfig, params: Params, text: ParallelText, device: torch.device, sentences: int
) -> dict[str, Any]:
    """Return the seconds, the output words and the memory of one model and of an ensemble.

    Random weights seldom end a sentence, so most translations are as long as they may be, half as long
    again as the source: more steps than a trained model takes.
    """
    sources = [text.source[i] for i in range(sentences)]
    options = Search(beam=params.decoding.beam, candidates=params.decoding.candidates)
    results: dict[str, Any] = {"beam": options.beam, "sentences": sentences, "models": {}}
    members: list[Translator] = []
    for count in (1, ENSEMBLE):
        while len(members) < count:
            model = Translator(config).to(device).eval()
            model.initialize(SEED + len(members))
            members.append(model)
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        started = time.perf_counter()
        with torch.inference_mode():
            found = search_all(members, sources, options, params.machine.decode_batch)
        wait(device)
        results["models"][str(count)] = {
            "seconds": time.perf_counter() - started,
            "words": sum(len(candidates[0].words) for candidates in found),
            "memory_mb": peak_memory(device),
        }
    return results
