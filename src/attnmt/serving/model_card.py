"""The card of a packed model, in Markdown: what it is, what it learned from, how good it is."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from attnmt.config import DEMO, Params
from attnmt.decoding.pipeline import Pipeline
from attnmt.files.text_file import iter_lines
from attnmt.layout import Layout
from attnmt.reporting.attention import label
from attnmt.reporting.gather import short_commits
from attnmt.scoring.numbers import Numbers
from attnmt.serving.packed import Manifest
from attnmt.text.summary import read_summary
from attnmt.training.trained import Provenance

TEMPLATE = Path(__file__).with_name("model_card.md.jinja")
SHORT, LONG = 20, 80  # characters of the sentence that the card shows
UNKNOWN = (
    "The experiment does not name the license of all of its training text. Ask those who publish the "
    "text before you hand on the model."
)


def model_card(
    params: Params,
    manifest: Manifest,
    scores: Numbers,
    trainings: Sequence[Provenance],
    pipeline: Pipeline,
    folder: Path,
    *,
    half: bool,
    text_license: str,
) -> str:
    """Return the card of a model or an ensemble that is packed into ``folder``.

    Args:
        trainings: those of its members, in their order.
        pipeline: the model itself; it translates the card's example.
        half: whether the packed weights are rounded to half precision.
        text_license: the license of the text, which the weights then have, too; empty for what the
            parameters say.
    """
    name, translator = manifest.model, pipeline.translator
    system = params.translators(name)
    summary = read_summary(Layout(params.experiment).encoded(system.family))
    test = params.sets.tests[0]
    sentence = _example(Layout(params.experiment).raw / f"{test}.{translator.source}")
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
        sides=translator.sides,
        family=params.families[system.family],
        summary=summary,
        train=summary.sets[params.sets.train],
        signatures=_signatures(scores),
        weights=sum(part.numel() for part in weights),
        origin=_origin(params),
        half=half,
        text_license=text_license,
        license=_license(params),
        sentence=sentence,
        translation=pipeline.translate([sentence])[0][0].text,
    )


def _python(text: str) -> str:
    """Return a text as a literal of Python."""
    return json.dumps(text, ensure_ascii=False)


def _example(file: Path) -> str:
    """Return the first sentence that is neither short nor long, or else the first."""
    lines = iter_lines(file)
    first = next(lines)
    return next((line for line in (first, *lines) if SHORT <= len(line) <= LONG), first)


def _signatures(scores: Numbers) -> list[str]:
    """Return the signatures of the card's scores, each once."""
    shown = (line.signature for line in scores.lines if line.script != "nist")
    return [signature for signature in dict.fromkeys(shown) if signature]


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
