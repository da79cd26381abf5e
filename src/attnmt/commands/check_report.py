"""Does a report follow from its own numbers? A part of ``attnmt check``."""

from collections.abc import Iterator, Sequence
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attnmt.commands.listed import listed
from attnmt.config import Params
from attnmt.files.progress import progress
from attnmt.files.text_file import write_bytes
from attnmt.layout import Layout
from attnmt.reporting.claims_table import claims_table
from attnmt.reporting.tables import make_tables, write_tables
from attnmt.scoring.claim_lines import ClaimLine, read_claims
from attnmt.scoring.numbers import AGAIN, read_numbers, read_scores
from attnmt.scoring.verdicts import ALPHA, adjusted
from attnmt.workflow.archive import archived, folder_of
from attnmt.workflow.lock import digest_of_files, dvc_digest, locked_outputs


def report_mismatches(params: Params, stages: dict[str, Any]) -> Iterator[str]:
    """Yield the files of a report that are not those of dvc.lock, or do not follow from its numbers."""
    layout = Layout(params.experiment)
    locked = locked_outputs(stages)
    empty_folder = digest_of_files({})  # which git does not keep, so a clone lacks it
    made = [layout.numbers, layout.claims, layout.metrics, layout.reports / "index.html"]
    for path in (*made, layout.reports / "tables", layout.reports / "figures"):
        if path.as_posix() not in locked:
            yield f"{path}: dvc.lock does not have it; run the experiment and attnmt commit"
        elif locked[path.as_posix()] != (dvc_digest(path) or empty_folder):
            yield f"{path}: not what dvc.lock has; edited, or made after the last attnmt commit"
    claims = read_claims(params.experiment) if layout.claims.exists() else []
    if edited := _edited_tables(params, claims):
        given = f"{layout.numbers} and {layout.claims} give"
        yield f"{listed(map(str, edited))}: not what {given}; run the stage report again"
    if unfounded := [*_unfounded(claims)]:
        yield f"{layout.claims}: verdicts that do not follow from p: {listed(unfounded)}; {AGAIN}"
    if unlike := [*unlike_archives(params)]:
        where = folder_of(params.experiment)
        yield f"{layout.numbers}: other scores of {listed(unlike)} than in {where}; {AGAIN}"


def _edited_tables(params: Params, claims: Sequence[ClaimLine]) -> list[Path]:
    """Return the tables that are not those that scores.csv and claims.csv give."""
    folder = Layout(params.experiment).reports / "tables"
    with TemporaryDirectory() as temporary:
        tables = make_tables(params, read_numbers(params.experiment))
        if table := claims_table(claims):
            tables.append(table)
        write_tables(params.experiment, tables, Path(temporary))
        made = {path.name: path.read_bytes() for path in Path(temporary).iterdir()}
    paths = [path for path in sorted(folder.glob("[!.]*")) if path.name in made]
    return [path for path in paths if path.read_bytes() != made[path.name]]


def _unfounded(claims: Sequence[ClaimLine]) -> Iterator[str]:
    """Yield the claims whose p after Holm or verdict does not follow from p and the effects."""
    tested = [line for line in claims if line.p is not None]
    after_holm = zip(tested, adjusted([line.p or 0 for line in tested]), strict=True)
    for line, p in after_holm:
        unlike = not isclose(p, line.p_holm or 0, rel_tol=1e-4)  # files have six digits
        if unlike or (line.verdict == "undecided") != (p > ALPHA):
            yield line.key


def unlike_archives(params: Params) -> Iterator[str]:
    """Yield the models and ensembles whose archived scores are not those of scores.csv."""
    as_evaluated = {"kind": "training", "commit": None, "code": None}  # before gather changes these
    lines = read_numbers(params.experiment).lines
    gathered = {line.model_copy(update=as_evaluated) for line in lines}
    outputs = archived(params)
    names = [*params.models, *params.ensembles]
    for name in progress(names, f"{params.experiment}: scores", len(names), "models"):
        if kept := outputs.get(Layout(params.experiment).scores(name).as_posix()):
            with TemporaryDirectory() as root:
                write_bytes(Layout(params.experiment, Path(root)).scores(name), kept[""])
                lines = read_scores(params, name, Path(root)).lines
            if not gathered.issuperset(lines):
                yield name
