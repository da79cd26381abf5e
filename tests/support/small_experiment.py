"""An experiment on disk whose models are small and have random weights: enough to translate with."""

from pathlib import Path
from typing import Any

import yaml
from demo_values import demo_values
from made_records import config_of, metrics

from attnmt.config import Params, load_params
from attnmt.files.text_file import write_json, write_lines
from attnmt.layout import Layout
from attnmt.model.luong import LuongNMT, ModelConfig
from attnmt.text.dictionary import write_dictionary
from attnmt.text.encode import encode_sets
from attnmt.text.encoded import EncodedSets
from attnmt.text.tokens import tokenize_sets
from attnmt.training.saved import describe, save_model

ROOT = Path(__file__).parents[2]
SETS = {"train": "train", "dev": "dev", "tests": ["test"], "aligned": ["test"]}
ENGLISH = {
    "train": [
        "The old house is older than the new house.",
        'A well-known house, a new one: "It\'s old", she said.',
        "She sees the houses & the gardens.",
        "The gardens are new, the houses old.",
    ],
    "dev": ["The house is new."],
    "test": [
        "The well-known garden is older than Smith's house.",
        'She said: "It\'s a new house".',
        "A & B are houses, B-side houses (old ones).",
        "Gardens!",
        "The old house is a new house is an old house is a new house.",
    ],
}
GERMAN = {
    "train": [
        "Das alte Haus ist älter als das neue Haus.",
        "Ein wohl-bekanntes Haus, ein neues: „Es ist alt“, sagte sie.",
        "Sie sieht die Häuser & die Gärten.",
        "Die Gärten sind neu, die Häuser alt.",
    ],
    "dev": ["Das Haus ist neu."],
    "test": [
        "Der wohl-bekannte Garten ist älter als Smiths Haus.",
        "Sie sagte: „Es ist ein neues Haus“.",
        "A & B sind Häuser, B-Seiten-Häuser (alte).",
        "Gärten!",
        "Das alte Haus ist ein neues Haus ist ein altes Haus ist ein neues Haus.",
    ],
}
SHAPE = {"layers": 1, "size": 6, "window_D": 2, "location_slots": 9, "init": 1.0}
LSTM, GRU = ({"cell": cell, **SHAPE} for cell in ("lstm", "gru"))
BEST = {"family": "words", "attention": "local_p", "score": "general", "reverse": True}
BEST |= {"input_feeding": True}
SEEDS = ["local_p", *(f"local_p_{seed}" for seed in range(2, 8))]
SYSTEMS: dict[str, dict[str, Any]] = {
    "local_p": BEST,
    "plain": {"family": "words", "reverse": True},
    "german": BEST | {"direction": "backward"},
    "subwords": BEST | {"family": "pieces"},
    "gru": {"family": "short", "attention": "global", "score": "self"},
}


def small_values(**settings: int) -> dict[str, Any]:
    """Return the demo's parameters with little text and small models; ``settings`` changes training."""
    values = demo_values()
    training = values["families"]["luong"]["training"] | settings
    pieces = {"vocabulary": 200, "pieces": {"merges": 20, "threshold": 2}}
    short = {"vocabulary": 16, "lowercase": True, "length": 5}
    return values | {
        "sets": SETS,
        "corpus": {"kind": "local"},
        "tokenize": {"split_hyphens": True, "max_length": 50},
        "families": {
            "words": {"encoding": {"vocabulary": 16}, "shape": LSTM, "training": training},
            "pieces": {"encoding": pieces, "shape": LSTM, "training": training},
            "short": {"encoding": short, "shape": GRU, "training": training},
        },
    }


def write_small_text(params: Params, layout: Layout) -> None:
    """Write the raw text, its tokens and each family's encoded text."""
    for text, language in ((ENGLISH, "en"), (GERMAN, "de")):
        for name, lines in text.items():
            write_lines(layout.raw / f"{name}.{language}", lines)
    layout.tokens.mkdir(parents=True)
    tokenize_sets(layout.raw, layout.tokens, params.languages, params.sets, params.tokenize)
    for family, described in params.families.items():
        layout.encoded(family).mkdir(parents=True)
        encode_sets(
            layout.tokens, layout.encoded(family), params.languages, params.sets, described.encoding
        )


def make_params(folder: Path) -> Params:
    """Write parameters and systems into ``folder``; return the parameters."""
    values = small_values() | {"seeds": {"local_p": len(SEEDS)}}
    ensemble = {"family": "words", "members": [*SEEDS, "plain"]}
    systems = {"systems": SYSTEMS, "ensembles": {"ensemble": ensemble}}
    values["decoding"] |= {"beam": 3, "candidates": 6, "samples": 3}
    values["machine"] |= {"decode_batch": 2}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    (folder / "systems.yaml").write_text(yaml.safe_dump(systems, sort_keys=False))
    return load_params(folder / "params.yaml", folder)


def make_experiment(folder: Path) -> Params:
    """Write parameters, text, dictionaries and models into ``folder``; return the parameters."""
    params = make_params(folder)
    layout = Layout(params.experiment, folder)
    write_small_text(params, layout)
    words = {("garden", "Garten"): 3, ("Gardens", "Gärten"): 2, ("houses", "Häuser"): 2}
    layout.dictionary.mkdir(parents=True)
    write_dictionary(layout.dictionary / "en-de.tsv", words, 1, side=0)
    write_dictionary(layout.dictionary / "de-en.tsv", words, 1, side=1)
    write_lines(layout.dictionary / "dev.links", ["0-0 1-1 2-2"] * len(ENGLISH["dev"]))
    for number, name in enumerate(params.trainings):
        make_model(params, layout, name, 2.0 + number)
    for name in filter(params.attends, [*params.trainings, *params.ensembles]):
        write_json(layout.offset(name), {"attention_offset": 0, "dev_aer": [0.25, 0.5]})
    return params


def make_model(
    params: Params, layout: Layout, name: str, dev_perplexity: float = 9.5, seed: int = 15
) -> None:
    """Write a model with random weights, its configuration and its metrics.

    With the default seed, models write unknown words.
    """
    model = params.trainings[name]
    data = EncodedSets(layout.encoded(model.family))
    vocabularies = {side: data.vocabulary(side) for side in params.sides(name)}
    sizes = [len(vocabulary) for vocabulary in vocabularies.values()]
    translator = LuongNMT(ModelConfig(model.system, params.shape(name), *sizes))
    translator.initialize(
        model.seed + 15
    )  # these write unknown words  # which writes unknown words
    digests = {side: vocabulary.digest for side, vocabulary in vocabularies.items()}
    config = config_of(params, name, dataset_digest=data.digest, vocabularies=digests)
    config |= describe(translator)
    save_model(layout.model(name), translator, config)
    trained = metrics("test", dataset_digest=data.digest, dev_perplexity=dev_perplexity)
    write_json(layout.model(name) / "metrics.json", trained)
