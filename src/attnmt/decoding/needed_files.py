"""The files that a model or an ensemble translates with."""

from pathlib import Path

from attnmt.config import DEMO, SYSTEMS, Params
from attnmt.errors import InputError
from attnmt.layout import Layout


def translator_files(params: Params, name: str, root: Path = Path()) -> list[Path]:
    """Return the files that a model or an ensemble needs, relative to ``root``.

    Args:
        root: the project's folder, or a packed one.

    Raises:
        InputError: if the experiment has neither, or if a file is missing; it names the command that
            makes it.
    """
    stage = "ensemble" if name in params.ensembles else "translate"
    made = _made_before(params, name)
    if params.attends(name):
        made[Layout(params.experiment).reading(name)] = f"{stage}@{name}"
    for file in made:
        if not (root / file).is_file():
            raise InputError(
                f"{root / file}: no such file; to train {name} and all that it needs: "
                + _command(params, f"{stage}@{name}")
            )
    return [Path(params.params_file), Path(SYSTEMS), *made]


def refuse_missing(params: Params, name: str, root: Path) -> None:
    """Refuse a model or an ensemble if a file of an earlier stage is missing; name this stage.

    Raises:
        InputError: as said, or if the experiment has neither.
    """
    for file, stage in _made_before(params, name).items():
        if not (root / file).is_file():
            raise InputError(f"{root / file}: no such file; run {_command(params, stage)} first")


def _made_before(params: Params, name: str) -> dict[Path, str]:
    """Return the files that the stage translate reads, each with the stage that makes it."""
    layout, translators = Layout(params.experiment), params.translators(name)
    family = translators.family
    encoded = ["summary.json", *(f"vocab.{code}" for code in params.languages.codes)]
    encoded += ["codes"] * bool(params.families[family].encoding.pieces)
    return {
        **{layout.encoded(family) / file: f"encode@{family}" for file in encoded},
        layout.dictionary_file(*params.sides(name)): "dictionary",
        **{
            layout.model(member) / "weights.safetensors": f"train@{member}"
            for member in translators.members
        },
    }


def _command(params: Params, stage: str) -> str:
    """Return what runs a stage and all that it needs. DVC may not look at other experiments."""
    if params.experiment == DEMO:
        return f"dvc repro {stage}"
    return f"snakemake -j2 --until {stage} --config experiment={params.experiment}"
