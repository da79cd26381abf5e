"""The registration of the claims: one digest of all that decides them.

It covers what ``claims.yaml`` says (except notes, such as the published sizes), the code that chooses
links, replaces words, measures and judges, and the parameters of the experiments that it names, with
their recipes and seeds. The last amendment has the digest. So a change without an amendment is seen, and
so is an amendment that was rewritten.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnmt.config import DEMO, load_params
from attnmt.config.claims import Claims

NOTES = {"where", "size", "differs"}  # of a claim; they decide nothing
PACKAGES = ("attnmt.decoding.", "attnmt.scoring.")
MODULES = (
    "config.claims",
    "config.params",
    "corpora.links",
    "corpora.normal_form",
    "text.aligner",
    "text.dictionary",
    "text.moses",
    "text.pieces",
    "text.spacing",
    "text.tokenizer",
    "training.curve",
)
WITHOUT = {"machine", "on_request", "params_file", "tables"}  # parameters that decide no claim


def registration(claims: Claims, code: Mapping[str, str]) -> str:
    """Return the present digest of a project's claims. The working folder must be the project's.

    Args:
        code: the digests of all modules that the stages dictionary, translate, evaluate and gather run,
            by name.

    Raises:
        InputError: if the parameters of an experiment that judges are faulty.
    """
    folders = {name: "" if name == DEMO else f"experiments/{name}" for name in claims.experiments}
    files = {name: Path(folder, "params.yaml") for name, folder in folders.items()}
    settings = {
        name: load_params(file).model_dump(mode="json", exclude=WITHOUT)
        for name, file in files.items()
        if file.exists()  # a copy of the project may lack an experiment
    }
    return digest_of(claims, decisive(code), settings)


def decisive(code: Mapping[str, str]) -> dict[str, str]:
    """Return the digests of those modules that choose links, replace words, measure and judge."""
    named = {f"attnmt.{name}" for name in MODULES}
    return {name: code[name] for name in code if name.startswith(PACKAGES) or name in named}


def digest_of(claims: Claims, code: Mapping[str, str], settings: Mapping[str, Any]) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of claims, amendments, code and parameters."""
    content = [
        {key: claim.model_dump(exclude=NOTES) for key, claim in claims.claims.items()},
        [one.model_dump(exclude={"digest"}) for one in claims.amendments],
        dict(code),
        dict(settings),
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
