"""All scores of a model or an ensemble, each with what it was computed from."""

from pathlib import Path
from typing import get_args

from attnmt.config import LinkStep, Params
from attnmt.decoding.link_step import load_reading
from attnmt.errors import InputError
from attnmt.files.text_file import sha256_of_lines
from attnmt.layout import Layout
from attnmt.scoring.alignment import read_forced, score_readings
from attnmt.scoring.lengths import by_length
from attnmt.scoring.reference_links import reference_links
from attnmt.scoring.replacements import score_replacements
from attnmt.scoring.results import (
    AttentionScores,
    Replacements,
    ScriptScores,
    SetScores,
    SystemScores,
)
from attnmt.scoring.scripts import SCRIPTS, score
from attnmt.scoring.system_outputs import Outputs
from attnmt.text.encoded import EncodedSets
from attnmt.training.trained import read_metrics


def score_system(params: Params, name: str, root: Path = Path()) -> SystemScores:
    """Return all scores of a model or an ensemble.

    All files are read before the first score is computed.

    Raises:
        InputError: if a file is missing, or does not fit the others.
    """
    sets, system = params.sets, params.translators(name)
    first, single = params.model(system.members[0]), name in params.models
    data = EncodedSets(Layout(params.experiment, root).encoded(system.family))
    perplexity = read_perplexity(params, name, data, root) if single else {}
    outputs = {test: Outputs.read(params, name, test, root) for test in sets.tests}
    replacements = {
        test: score_replacements(params, name, test, outputs[test], root) for test in sets.tests
    }
    reading = load_reading(params, name, root) if params.attends(name) else None
    alignments = []
    if reading is not None:
        alignments = [
            _score_alignment(params, name, aligned, reading.authors, root)
            for aligned in sets.aligned
        ]
    samples, length_group = params.evaluation.bootstrap_samples, params.evaluation.length_group
    return SystemScores(
        stage="evaluate",
        experiment=params.experiment,
        name=name,
        models=system.members,
        average=None if single else system.average,
        seed=first.seed if single else None,
        family=system.family,
        direction=first.direction,
        beam=params.decoding.beam,
        dataset_digest=data.digest,
        sets={
            test: score_outputs(
                outputs[test], perplexity.get(test), replacements[test], samples, length_group
            )
            for test in sets.tests
        },
        alignments=alignments,
        reading=reading,
    )


def score_outputs(
    outputs: Outputs,
    perplexity: float | None,
    replacements: Replacements | None,
    samples: int,
    length_group: int,
) -> SetScores:
    """Return the scores of one test set by every script, and by length.

    Args:
        perplexity: that of the set's references; None for an ensemble.
        replacements: the counts of replaced words; None where they are not counted.
        samples: how many the bootstrap draws.
        length_group: how many sentences make a group of similar length.
    """
    before = _by_script(outputs, replaced=False, samples=samples)
    unchanged = outputs.before.sentences == outputs.after.sentences
    after = before if unchanged else _by_script(outputs, replaced=True, samples=samples)
    return SetScores(
        perplexity=perplexity,
        lines=len(outputs.reference.sentences),
        reference=outputs.reference_path.as_posix(),
        reference_sha256=sha256_of_lines(
            " ".join(words) for text in outputs.all_references for words in text.sentences
        ),
        written_reference=outputs.written_reference.as_posix(),
        before=before,
        after=after,
        lengths=by_length(
            outputs.before.tokens,
            outputs.after.tokens,
            outputs.references("tokenized"),
            length_group,
        ),
        replacements=replacements,
    )


def _by_script(outputs: Outputs, replaced: bool, samples: int) -> ScriptScores:
    scores = {
        script: score(
            script, outputs.translations(script, replaced), outputs.references(script), samples
        )
        for script in SCRIPTS
    }
    return ScriptScores(**scores)


def _score_alignment(
    params: Params, name: str, aligned: str, authors: LinkStep, root: Path
) -> AttentionScores:
    """Return the scores of an aligned set's links by a system that attends."""
    links = read_forced(params, name, aligned, get_args(LinkStep), root)
    reference = reference_links(params, aligned, params.translators(name).family, root)
    return score_readings(aligned, links, authors, reference, params.evaluation.bootstrap_samples)


def read_perplexity(
    params: Params, name: str, data: EncodedSets, root: Path = Path()
) -> dict[str, float]:
    """Return a model's perplexity on each test set.

    Raises:
        InputError: if the model was trained on other data, or its training did not measure a set.
    """
    folder = Layout(params.experiment, root).model(name)
    path, trained = folder / "metrics.json", read_metrics(folder)
    if trained.dataset_digest != data.digest:
        raise InputError(
            f"{path}: the data in {data.folder} changed after this training; train {name} again"
        )
    for test in params.sets.tests:
        if test not in trained.perplexity:
            raise InputError(
                f"{path}: this training measured no perplexity on {test!r}; train {name} again"
            )
    return dict(trained.perplexity)
