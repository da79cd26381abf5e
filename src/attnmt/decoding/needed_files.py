"""The files that a model or an ensemble translates with."""

from pathlib import Path

from attnmt.config import DEMO, Params
from attnmt.errors import InputError
from attnmt.layout import SUMMARY, WEIGHTS, Layout


def translator_files(
    params: Params, name: str, root: Path = Path(), *, with_offset: bool = True
) -> list[Path]:
    """Return the files that a model or an ensemble needs, relative to ``root``, beside its settings.

    Raises:
        InputError: if the experiment has neither, or if a file is missing; it names the command that
            makes it.
    """
    layout, translators = Layout(params.experiment), params.translators(name)
    folder = layout.encoded(translators.family)
    encoded = [SUMMARY, *(f"vocab.{code}" for code in params.languages.codes)]
    encoded += ["codes"] * bool(params.families[translators.family].encoding.pieces)
    files = [
        *(folder / file for file in encoded),
        layout.dictionary_file(*params.sides(name)),
        *(layout.model(member) / WEIGHTS for member in translators.members),
    ]
    if with_offset and params.attends(name):
        files.append(layout.offset(name))
    for file in files:
        if not (root / file).is_file():
            stage = f"{'ensemble' if name in params.ensembles else 'translate'}@{name}"
            # DVC may not look at other experiments than the demo.
            command = f"snakemake -j2 --until {stage} --config experiment={params.experiment}"
            raise InputError(
                f"{root / file}: no such file; to train {name} and all that it needs: "
                + (f"dvc repro {stage}" if params.experiment == DEMO else command)
            )
    return files
