"""Pack a model or an ensemble into a folder for others; :mod:`attnmt.packing.folder` reads it.

The folder has a card in Markdown: what the model is, what it learned from, how good it is.
"""

import json
import platform
import shlex
import shutil
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from attnmt.config import DEMO, Params
from attnmt.decoding.needed_files import translator_files
from attnmt.decoding.pipeline import TranslationPipeline, load_translator
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import sha256, write_json, write_text
from attnmt.layout import Layout
from attnmt.packing.folder import CARD, DESCRIPTION, Manifest, refuse_other_files
from attnmt.reporting.own_text import text_example
from attnmt.scoring.score_table import SHA_DIGITS, ScoreTable, read_scores
from attnmt.text.encoded import read_summary
from attnmt.training.provenance import read_provenance

TEMPLATE = Path(__file__).with_name("model_card.md.jinja")
UNKNOWN = (
    "The experiment does not name the license of all of its training text. Ask those who publish the "
    "text before you hand on the model."
)


def pack_model(params: Params, name: str, folder: Path, text_license: str = "") -> None:
    """Write a model or an ensemble as a packed folder, with a card that says what it is.

    The process must run in the project's folder. The packed folder appears only when it is complete. It
    replaces one that was packed before.

    Args:
        text_license: the license of the training text, which the weights then have, too; if it is
            empty, the card says what the parameters say.

    Raises:
        InputError: if the place holds anything else; if the model is not trained or not scored; or if
            it was trained or scored with other settings or data than the experiment now has.
    """
    refuse_other_files(folder)
    scores = read_scores(params, name)
    translator = load_translator(params, name)  # only what can be loaded is packed
    digest = translator.data.digest[:SHA_DIGITS]
    if any(line.data != digest for line in scores.lines):
        raise InputError(
            f"{Layout(params.experiment).scores(name)}: the encoded data changed after this model was "
            f"scored; run evaluate of {name} again"
        )
    with atomic_folder(folder) as partial:
        _write_files(params, name, partial)
        write_text(
            partial / CARD, _card(params, name, scores, translator, str(folder), text_license)
        )


def _write_files(params: Params, name: str, folder: Path) -> None:
    """Copy the files of a model or an ensemble into a folder, and describe them.

    Raises:
        InputError: if one of them is missing.
    """
    digests = {}
    for file in sorted(translator_files(params, name)):
        copy = folder / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        digests[file.as_posix()] = sha256(copy)
    members = params.translators(name).members
    known = filter(None, (read_provenance(params.experiment, one) for one in members))
    commits = dict.fromkeys(commit for one in known for commit in one.commits.split())
    manifest = Manifest(
        format=3,
        model=name,
        params_file=params.params_file,
        commits=[*commits] or ["unknown"],
        files=digests,
    )
    write_json(folder / DESCRIPTION, _description(manifest, params.decoding.beam))


def _description(manifest: Manifest, beam: int) -> dict[str, Any]:
    """Return ``MLmodel``: a column of sentences in, one of translations out; ``beam`` is the default."""
    column = json.dumps([{"type": "string", "required": True}])
    params = json.dumps([{"name": "beam", "type": "long", "default": beam, "shape": None}])
    loader = {
        "loader_module": "attnmt.packing.mlflow_model",
        "python_version": platform.python_version(),
    }
    return {
        "flavors": {"python_function": loader},
        "signature": {"inputs": column, "outputs": column, "params": params},
        "metadata": manifest.model_dump(),
    }


def _card(
    params: Params,
    name: str,
    scores: ScoreTable,
    translator: TranslationPipeline,
    folder: str,
    text_license: str,
) -> str:
    """Return the card of a model or an ensemble that is packed into ``folder``."""
    layout, system = Layout(params.experiment), params.translators(name)
    summary = read_summary(layout.encoded(system.family))
    weights = (part for model in translator.models for part in model.parameters())
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
        trainings={one: read_provenance(params.experiment, one) for one in system.members},
        folder=folder,
        default=DEMO,
        source=translator.source.language,
        target=translator.target.language,
        units=translator.source.unit,
        shape=params.shape(system.members[0]),
        summary=summary,
        pairs=summary.sets[params.sets.train].lines,
        weights=sum(part.numel() for part in weights),
        text_license=text_license,
        license=_license(params),
        example=example,
        translation=translator.translate([example])[0][0].text,
    )


def _quoted(text: str) -> str:
    """Return a text as a literal of Python and of JSON."""
    return json.dumps(text, ensure_ascii=False)


def _license(params: Params) -> str:
    """Say under which terms the training text may be used, as far as the parameters name them."""
    if params.corpus.kind == "local":
        licenses = [params.corpus.license]
    else:
        sides = params.corpus.chosen.files[params.sets.train].values()
        licenses = [file.license for files in sides for file in files]
    named = [
        f"The text's license is {one.name}: {one.terms} ({one.url})." for one in licenses if one
    ]
    return " ".join(dict.fromkeys(named)) if named and all(licenses) else UNKNOWN
