"""Pack a model or an ensemble into a folder for others; :mod:`attnmt.serving.packed` reads it.

The folder has a card in Markdown: what the model is, what it learned from, how good it is.
"""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from attnmt.config import DEMO, Params
from attnmt.decoding.text_translator import TextTranslator, load_translator
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder, check_place
from attnmt.files.json_file import read_model
from attnmt.files.text_file import write_text
from attnmt.layout import Layout
from attnmt.reporting.attention import label
from attnmt.reporting.own_text import text_example
from attnmt.scoring.gather import short_commits
from attnmt.scoring.numbers import SHA_DIGITS, Numbers, read_scores
from attnmt.serving.packed import CARD, MANIFEST, Manifest, write_packed
from attnmt.text.encoded import read_summary
from attnmt.training.trained import Provenance, read_provenance

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
    layout, members = Layout(params.experiment), params.translators(name).members
    trainings = [read_provenance(layout.model(member)) for member in members]
    scores = read_scores(params, name)
    translator = load_translator(params, name)  # only what can be loaded is packed
    digest = translator.data.digest[:SHA_DIGITS]
    if any(line.data != digest for line in scores.lines):
        raise InputError(
            f"{layout.scores(name)}: the encoded data changed after this model was scored; run "
            f"evaluate of {name} again"
        )
    with atomic_folder(folder) as partial:
        example = text_example(params, translator.source.code)
        manifest = write_packed(params, name, partial, example)
        card = _card(params, manifest, scores, trainings, translator, folder, text_license)
        write_text(partial / CARD, card)


def refuse_other_files(folder: Path) -> None:
    """Refuse a place that holds what attnmt pack has not written, or that cannot be written to."""
    check_place(folder, folder=True)
    if not folder.exists() or not any(folder.iterdir()):
        return
    other_place = "name another folder"
    if not (folder / MANIFEST).is_file():
        raise InputError(
            f"{folder}: has files in it, and attnmt pack did not write them; {other_place}"
        )
    manifest = read_model(folder / MANIFEST, Manifest, other_place)
    ours = {folder / name for name in (MANIFEST, CARD, *manifest.files)}
    other = (path for path in sorted(folder.rglob("*")) if path not in ours and not path.is_dir())
    if first := next(other, None):
        raise InputError(
            f"{first}: would be removed, and attnmt pack did not write it; {other_place}"
        )


def _card(
    params: Params,
    manifest: Manifest,
    scores: Numbers,
    trainings: Sequence[Provenance],
    translator: TextTranslator,
    folder: Path,
    text_license: str,
) -> str:
    """Return the card of a model or an ensemble that is packed into ``folder``.

    Args:
        trainings: those of its members, in their order.
        translator: the model itself; it translates the card's example.
        text_license: as for :func:`pack_model`.
    """
    name = manifest.model
    system = params.translators(name)
    summary = read_summary(Layout(params.experiment).encoded(system.family))
    weights = (part for model in translator.models for part in model.parameters())
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"shell": shlex.quote, "python": _python, "short": short_commits}
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        params=params,
        manifest=manifest,
        system=system,
        scores=scores,
        trainings=trainings,
        folder=folder.name if folder.is_absolute() else folder,
        default=DEMO,
        label=label(params, name),
        sides=(translator.source.language, translator.target.language),
        family=params.families[system.family],
        shapes=list(dict.fromkeys(map(params.shape, system.members))),
        summary=summary,
        train=summary.sets[params.sets.train],
        weights=sum(part.numel() for part in weights),
        origin=_origin(params),
        text_license=text_license,
        license=_license(params),
        translation=translator.translate([manifest.example])[0][0].text,
    )


def _python(text: str) -> str:
    """Return a text as a literal of Python."""
    return json.dumps(text, ensure_ascii=False)


def _origin(params: Params) -> str:
    """Say where the text comes from."""
    if params.source is None:
        return f"local files, in `{params.local_text}`"
    folders = (file.url.rpartition("/")[0] for file in params.source.downloads())
    return f"downloaded from {', '.join(dict.fromkeys(folders))}"


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
