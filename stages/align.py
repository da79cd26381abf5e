"""Force-decode the references of the aligned set; read word links off the attention and judge them.

Called by dvc.yaml as `python stages/align.py params.yaml local_p_general_feed 1`.

Reads   data/<profile>/prepared/, models/<profile>/<run>/
        data/<profile>/raw/<set>.links, where there are gold links
Writes  alignments/<profile>/<run>/<set>.links  Pharaoh, one source word for each target word
                                   aer.json     alignment error rate for each way to read links
"""

from pathlib import Path
from typing import get_args

import torch

from attnmt.config import LinkStep, load_params
from attnmt.data.encoded import EncodedText
from attnmt.data.links import GoldLinks, Links, format_links, read_links
from attnmt.decoding.search import link_shift
from attnmt.decoding.translate import force_all
from attnmt.errors import InputError
from attnmt.files import atomic_path, read_json, write_json, write_lines
from attnmt.layout import Layout, run_name
from attnmt.metrics.aer import aer
from attnmt.model.store import load_model
from attnmt.stage import run_stage


def main(params_file: Path, model: str, seed: int) -> None:
    """Write the links of one run and their error rate."""
    params = load_params(params_file)
    layout, run, name = Layout(params.profile), run_name(model, seed), params.sets.aligned
    torch.set_num_threads(params.decoding.threads)
    digest = read_json(layout.prepared / "summary.json")["digest"]
    translator = load_model(layout.model(run), digest)
    system = translator.config.system
    sides = [EncodedText.open(layout.prepared, name, side) for side in system.direction.split("-")]
    source, target = ([side[i] for i in range(len(side))] for side in sides)
    gold_file = layout.raw / f"{name}.links"
    gold = read_links(gold_file) if gold_file.exists() else None
    if gold is not None and len(gold) != len(source):
        raise InputError(f"{gold_file}: {len(gold)} lines for {len(source)} sentence pairs")
    forced = force_all(translator, source, target, params.decoding.batch_size)
    chosen: LinkStep = params.decoding.link_step
    links: dict[LinkStep, list[Links]] = {}
    for step in get_args(LinkStep):
        shift = link_shift([translator], step)
        links[step] = [[(i, j) for j, i in enumerate(f.links(shift))] for f in forced]
    rates = {
        step: error_rate(lines, gold, system.direction) for step, lines in links.items() if gold
    }
    with atomic_path(layout.alignments(run)) as folder:
        folder.mkdir()
        write_lines(folder / f"{name}.links", map(format_links, links[chosen]))
        write_json(
            folder / "aer.json",
            {
                "set": name,
                "lines": len(source),
                "link_step": chosen,
                "aer": None if gold is None else rates[chosen],
                "aer_by_link_step": rates,
                "sure": sum(len(g.sure) for g in gold or []),
                "possible": sum(len(g.possible) for g in gold or []),
            },
        )


def error_rate(links: list[Links], gold: list[GoldLinks], direction: str) -> float:
    """Judge source-target links by gold links, which are English-German."""
    if direction == "de-en":
        links = [[(i, j) for j, i in line] for line in links]
    return aer(links, [g.sure for g in gold], [g.possible for g in gold])


if __name__ == "__main__":
    run_stage(main, __doc__)
