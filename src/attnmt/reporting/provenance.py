"""Where our numbers come from, and whether the numbers of one table compare."""

from collections.abc import Iterable, Mapping

from attnmt.errors import InputError
from attnmt.reporting.lines import Line, Measured
from attnmt.reporting.tables import Cell, TableSpec
from attnmt.scoring.results import AttentionScores

DIGEST_DIGITS = 12  # how many digits of a SHA-256 tables show
COMMIT_DIGITS = 12
TRANSLATED = ("set", "lines", "reference_sha256", "beam")
WRITTEN = (
    "sacrebleu",
    "chrf",
    "ter",
)  # these scripts may read another reference than tokenized and nist
ALIGNED = ("aligned_set", "aligned_lines", "links", "sure", "possible")
FACTS = {  # the columns that say where a row comes from, by their labels on the page
    "model": "model",
    "members": "members",
    "seed": "seeds",
    "family": "family",
    "averages": "average",
    "direction": "direction",
    "number": "number",
    "set": "set",
    "sentences": "lines",
    "reference SHA-256": "reference_sha256",
    "reference of sacrebleu, chrF2, TER": "written_reference",
    "beam": "beam",
    "signature": "signature",
    "signature of multi-bleu": "tokenized_signature",
    "signature of NIST v13a": "nist_signature",
    "signature of sacrebleu": "sacrebleu_signature",
    "signature of chrF2": "chrf_signature",
    "signature of TER": "ter_signature",
    "aligned set": "aligned_set",
    "aligned sentences": "aligned_lines",
    "measured against links that are": "links",
    "sure links": "sure",
    "possible links": "possible",
    "a link is read at": "link_step",
    "an unknown word is read at": "reading",
    "data SHA-256": "dataset_digest",
    "fingerprint": "fingerprint",
    "started": "started",
    "device": "device",
    "threads": "threads",
    "torch": "torch",
    "trained at commit": "commit",
    "code of the training": "code",
    "stage": "stage",
    "files": "files",
    "paper": "source",
    "paper's set": "paper_set",
}


def facts(row: Mapping[str, Cell]) -> dict[str, str]:
    """Return where a row's numbers come from, by label."""
    cells = {label: row.get(column) for label, column in FACTS.items()}
    return {label: str(cell) for label, cell in cells.items() if cell is not None}


def short_commits(commits: list[str]) -> str:
    """Return the first digits of the commits at which a model was trained.

    A mark after a commit, which says that the files differed from it, is kept.
    """
    parts = (commit.partition("-") for commit in commits)
    return ", ".join(digits[:COMMIT_DIGITS] + dash + mark for digits, dash, mark in parts)


def common_conditions(systems: Iterable[Measured], spec: TableSpec, test: str) -> dict[str, Cell]:
    """Return the conditions under which all systems of a table were scored.

    Families read different data, so each family has its own ``dataset_digest``.

    Raises:
        InputError: if two files differ in a condition, so that their numbers cannot be compared.
    """
    seen: dict[str, tuple[Cell, Measured]] = {}
    for system in systems:
        for key, value in _conditions(system, spec, test).items():
            condition = key
            if key == "dataset_digest" and system.scores is not None:
                condition = f"{key} of {system.scores.family}"
            first, other = seen.setdefault(condition, (value, system))
            if value != first:
                raise InputError(
                    f"{system.file} and {other.file} differ in {key}: {value} against "
                    f"{first}; run the stages that made these files again"
                )
    return {key: value for key, (value, _) in seen.items()}


def provenance(line: Line, spec: TableSpec, test: str) -> dict[str, Cell]:
    """Return the cells that say where our numbers in a row come from. They are empty if we have none."""
    columns: tuple[str, ...] = (
        "model",
        "members",
        "files",
        "seeds",
        "average",
        "family",
        "direction",
        "stage",
        "number",
    )
    columns += (*TRANSLATED, *spec.scripts.values(), "reading") * spec.has_bleu
    columns += (*ALIGNED, "link_step") * spec.has_aer
    columns += ("written_reference",) * _has_written(spec) + ("dataset_digest",)
    if not line.systems:
        return dict.fromkeys(columns)
    first = line.systems[0]
    scores, links = first.scores, first.links
    cells: dict[str, Cell] = {
        "model": " ".join(system.name for system in line.systems),
        "files": " ".join(system.file for system in line.systems),
        "seeds": " ".join(line.seeds) or None,
        "stage": first.stage,
        "number": _measure(spec, line.row.replaced),
        "link_step": links.link_step if isinstance(links, AttentionScores) else None,
        "reading": _reading(line, spec),
        **_conditions(first, spec, test),
    }
    if scores is not None:
        members = " ".join(scores.models) if scores.average else None
        cells |= {"members": members, "average": scores.average, "family": scores.family}
    for key in ("dataset_digest", "reference_sha256"):
        digest = cells.get(key)
        cells[key] = str(digest)[:DIGEST_DIGITS] if digest else None
    return {column: cells.get(column) for column in columns}


def _conditions(system: Measured, spec: TableSpec, test: str) -> dict[str, Cell]:
    """Return those conditions of scoring that apply to a system."""
    scores, links = system.scores, system.links
    conditions: dict[str, Cell] = {}
    if scores is not None:
        conditions |= {"dataset_digest": scores.dataset_digest, "direction": scores.direction}
    if scores is not None and spec.has_bleu:
        result = scores.sets[test]
        values = (test, result.lines, result.reference_sha256, scores.beam)
        conditions |= dict(zip(TRANSLATED, values, strict=True))
        for script, key in spec.scripts.items():
            conditions[key] = result.before.by(script).signature
        if _has_written(spec):
            conditions["written_reference"] = result.written_reference
    if links is not None and spec.has_aer:
        aligned = (links.set, links.lines, links.kind, links.sure, links.possible)
        conditions |= dict(zip(ALIGNED, aligned, strict=True))
    return conditions


def _reading(line: Line, spec: TableSpec) -> str | None:
    """Say at which step attention is read to replace unknown words, and why at that step."""
    if not (line.row.replaced or "bleu_unk" in spec.metrics):
        return None
    readings = {scores.name: scores.reading for scores in line.scores if scores.reading is not None}
    texts = []
    for name, reading in readings.items():
        chosen, other = sorted(reading.hits, key=lambda step: step != reading.chosen)
        text = (
            f"{chosen} step: {reading.hits[chosen]:,} of the {reading.unknown_words:,} unknown words "
            f"of {reading.set}, {reading.hits[other]:,} at the {other} step"
        )
        texts.append(f"{name}: {text}" if len(readings) > 1 else text)
    return "; ".join(texts) or None


def _has_written(spec: TableSpec) -> bool:
    """Return whether a table shows a score that may read another reference."""
    return not spec.scripts.keys().isdisjoint(WRITTEN)


def _measure(spec: TableSpec, replaced: bool) -> str:
    """Say what the numbers of a row are."""
    both = "bleu_unk" in spec.metrics or (replaced and "nist_unreplaced" in spec.metrics)
    when = "before and after" if both else "after" if replaced else "before"
    what = f"{spec.script} BLEU" if len(spec.scripts) == 1 else "each script"
    score = f"{what} {when} unknown-word replacement"
    return "; ".join([score] * spec.has_bleu + ["alignment error rate"] * spec.has_aer)
