"""Pack a model or an ensemble into a folder for others; :mod:`attnmt.packing.folder` reads it.

The folder has a card in Markdown: what the model is, what it learned from, how good it is.
"""

import json
import platform
import shlex
import shutil
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined

from attnmt.config import DEMO, SYSTEMS, Params
from attnmt.config.experiment import Experiment
from attnmt.config.systems import EVERY_OTHER
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.pipeline import TranslationPipeline, load_translator
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import sha256, write_json, write_text
from attnmt.files.yaml_file import YamlFile
from attnmt.layout import WEIGHTS, Layout
from attnmt.packing.folder import CARD, DESCRIPTION, PARAMS, Manifest, refuse_full
from attnmt.reporting.own_text import text_example
from attnmt.scoring.score_table import DIGITS, SHA_DIGITS, ScoreTable, read_scores
from attnmt.text.encoded import EncodedSets
from attnmt.training.provenance import Provenance, read_provenance
from attnmt.training.tensor_file import read_tensors, write_tensors
from attnmt.training.trained import read_metrics

TEMPLATE = Path(__file__).with_name("model_card.md.jinja")
# Of the text's license; the weights have the same terms
KNOWN = "The text's license is {0.name}: {0.terms} ({0.url}). The weights are handed on under its terms."
UNKNOWN = (
    "The experiment does not name the license of all of its training text. Ask those who publish the "
    "text before you hand on the model."
)


def pack_model(params: Params, name: str, folder: Path, half: bool = False) -> None:
    """Write a model or an ensemble as a packed folder, with a card that says what it is.

    The process must run in the project's folder. The packed folder appears only when it is complete.
    With ``half`` each weight is rounded to 16 bits.

    Raises:
        InputError: if the place holds anything; if the model is not trained or not scored; or if it was
            trained or scored with other settings or data than the experiment now has.
    """
    refuse_full(folder)
    scores = read_scores(params, name)
    translator = load_translator(params, name)  # only what can be loaded is packed
    digest, layout = translator.data.digest[:SHA_DIGITS], Layout(params.experiment)
    trained = read_metrics(layout.model(name)).perplexity if name in params.trainings else {}
    scored = {test: scores.training(name, "ppl", test) for test in trained}
    if any(line.data != digest for line in scores.lines) or any(
        line is None or line.value != round(trained[test], DIGITS) for test, line in scored.items()
    ):
        raise InputError(
            f"{layout.scores(name)}: of other weights or other encoded data; run translate and evaluate "
            f"of {name} again"
        )
    members = params.translators(name).members
    trainings = {one: read_provenance(params.experiment, one) for one in members}
    commits = dict.fromkeys(chain(*(one.commits.split() for one in trainings.values() if one)))
    with atomic_folder(folder) as partial:
        for file in translator_files(params, name):
            (partial / file).parent.mkdir(parents=True, exist_ok=True)
            if half and file.name == WEIGHTS:
                weights, metadata = read_tensors(file)
                write_tensors(partial / file, {k: v.half() for k, v in weights.items()}, metadata)
            else:
                shutil.copyfile(file, partial / file)
        for place, values in settings(params, name).items():
            write_text(partial / place, yaml.safe_dump(values, sort_keys=False, allow_unicode=True))
        files = sorted(path for path in partial.rglob("*") if path.is_file())
        manifest = Manifest(
            format=4,
            model=name,
            commits=[*commits] or ["unknown"],
            files={path.relative_to(partial).as_posix(): sha256(path) for path in files},
        )
        write_json(partial / DESCRIPTION, _description(manifest))
        if half:  # which may translate otherwise
            translator = load_translator(params, name, partial)
        card = _card(params, name, scores, translator, trainings, str(folder), half)
        write_text(partial / CARD, card)


def settings(params: Params, name: str) -> dict[str, dict[str, Any]]:
    """Return the content of params.yaml and systems.yaml that describe what is packed, and no more."""
    ensemble, members = params.ensembles.get(name), params.translators(name).members
    systems = list(dict.fromkeys(params.training(one).system_name for one in members))
    values = params.model_dump(
        mode="json", exclude_defaults=True, include={*Experiment.model_fields}
    )
    family = params.translators(name).family
    values |= {
        "families": {family: values["families"][family]},
        "systems": [*systems, *([ensemble.system_name] if ensemble else [])],
    }
    for key in ("seeds", "overrides"):
        kept = {*systems, EVERY_OTHER}
        values[key] = {one: value for one, value in values.get(key, {}).items() if one in kept}
    every = YamlFile.read(Path(SYSTEMS)).values
    described = {"systems": {key: every["systems"][key] for key in systems}}
    if ensemble:
        system = ensemble.system_name
        described["ensembles"] = {system: every["ensembles"][system]}
    return {PARAMS: values, SYSTEMS: described}


def _description(manifest: Manifest) -> dict[str, Any]:
    """Return ``MLmodel``: a column of sentences in, one of translations out."""
    column = json.dumps([{"type": "string", "required": True}])
    loader = {
        "loader_module": "attnmt.packing.mlflow_model",
        "python_version": platform.python_version(),
    }
    return {
        "flavors": {"python_function": loader},
        "signature": {"inputs": column, "outputs": column},
        "metadata": manifest.model_dump(),
    }


def _card(
    params: Params,
    name: str,
    scores: ScoreTable,
    translator: TranslationPipeline,
    trainings: Mapping[str, Provenance | None],
    folder: str,
    half: bool,
) -> str:
    """Return the card of a model or an ensemble that is packed into ``folder``."""
    system = params.translators(name)
    summary = EncodedSets(Layout(params.experiment).encoded(system.family)).summary
    example = text_example(params, translator.source.code)
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"shell": shlex.quote, "python": _quoted}
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        params=params,
        name=name,
        system=system,
        scores=scores,
        trainings=trainings,
        folder=folder,
        half=half,
        default=DEMO,
        source=translator.source.language,
        target=translator.target.language,
        units=translator.source.unit,
        shape=params.shape(system.members[0]),
        summary=summary,
        pairs=summary.sets[params.sets.train].lines,
        weights=sum(part.numel() for one in translator.models for part in one.parameters()),
        license=_license(params),
        example=example,
        translation=translator.translate([example])[0][0].text,
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _license(params: Params) -> str:
    """Say under which terms the training text may be used, as far as the parameters name them."""
    licenses = [params.corpus.license] if params.corpus.kind == "local" else []
    if params.source:
        sides = params.source.files[params.sets.train].values()
        licenses = [file.license for files in sides for file in files]
    known = dict.fromkeys(KNOWN.format(one) for one in licenses if one)
    return " ".join(known) if known and all(licenses) else UNKNOWN
