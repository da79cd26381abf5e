"""``attnmt new``."""

import re
import shutil
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
import yaml

from attnmt.commands.messages import warn
from attnmt.config import DEMO, SYSTEMS, load_params
from attnmt.config.generated import write_trainings
from attnmt.config.systems import Systems
from attnmt.corpora.parallel import Files, parallel_rows
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import write_text
from attnmt.files.yaml_file import YamlFile, suggestion
from attnmt.layout import Layout
from attnmt.planning.times import time_text, training_times

if TYPE_CHECKING:  # a shell that completes a word must not wait for their libraries
    from attnmt.planning.proposal import Proposal

PAIR = "SOURCE TARGET"  # how the help shows an option with a value for each side
# A recipe of today, which translates because it is named first, and three of the paper
PROPOSED = [
    "bidirectional_bpe",
    "base_reverse_dropout",
    "global_general_feed",
    "local_p_general_feed",
]


def new(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The experiment's name.")],
    train: Annotated[
        Files,
        typer.Option(
            help="Training text, a sentence a line, or .gz; a TSV is given twice. The suffixes are the "
            "languages' codes.",
            metavar=PAIR,
        ),
    ],
    dev: Annotated[
        Files | None, typer.Option(help="Text that chooses the best weights.", metavar=PAIR)
    ] = None,
    test: Annotated[Files | None, typer.Option(help="Test text, also SGM.", metavar=PAIR)] = None,
    hold_out: Annotated[
        int | None,
        typer.Option(min=1, help="Take this many random training pairs for each of dev and test."),
    ] = None,
    languages: Annotated[
        tuple[str, str] | None,
        typer.Option(help="The languages' codes, if the suffixes are others.", metavar=PAIR),
    ] = None,
    systems: Annotated[
        str,
        typer.Option(
            help=f"Names from {SYSTEMS}, with commas between them.",
            show_default=", ".join(PROPOSED),  # which a narrow terminal can break
        ),
    ] = ",".join(PROPOSED),
) -> None:
    """Make an experiment from your own text: check the files, propose sizes, say what it will cost.

    The experiment is a folder in experiments/. Its params.yaml is yours to change. Its text/ links to
    your files, and has copies of what --hold-out divides, of SGM and of TSV. Further test sets,
    references and gold links may be added there (docs/text.md).

    Examples:

    attnmt new my-study --train corpus.fr corpus.en --dev dev.fr dev.en --test test.fr test.en

    attnmt new small --train corpus.fr.gz corpus.en.gz --hold-out 1000
    """
    from attnmt.commands import new_files
    from attnmt.corpora.own_text import write_divided
    from attnmt.planning.proposal import params_text, propose

    folder = _place(name)
    known = YamlFile.read(Path(SYSTEMS)).into(Systems)
    chosen = _systems(systems, known)
    codes = new_files.given_codes(train, languages)
    given = {"train": train} | _held_out(dev, test, hold_out)
    made = Path(context.with_resource(TemporaryDirectory()))  # until the command ends
    sets = new_files.read_sets(given, codes, made)
    text = sets["train"][codes[0]], sets["train"][codes[1]]
    pair = new_files.languages_of(text, codes)
    rows = {
        key: sum(1 for _ in parallel_rows(files, scored=key != "train"))
        for key, files in sets.items()
    }
    with atomic_folder(folder) as partial:
        place, shared = partial / "text", 0
        place.mkdir()
        if hold_out:
            del sets["train"]
            shared = write_divided(text, codes, hold_out, place)
            text = place / f"train.{codes[0]}", place / f"train.{codes[1]}"
        elif repeated := new_files.repeated_sources(*(files[codes[0]] for files in sets.values())):
            warn(
                f"{repeated:,} training pairs have a source of dev or test, so scores will be too "
                f"high; leave the pairs out, or give --hold-out in place of --dev and --test"
            )
        firsts = [known.ensembles[x].members[0] if x in known.ensembles else x for x in chosen]
        families = list(dict.fromkeys(known.systems[x].family for x in firsts))
        directions = {known.systems[x].direction for x in firsts}
        proposal = propose(pair, text, directions, "luong_bpe" in families)
        _put(sets, place, made)
        lines = rows.get("test") or hold_out or 0
        seeds = max(chain([1], *(_members(x, known).values() for x in chosen)))
        content = params_text(name, proposal, chosen, families, seeds, lines)
        write_text(partial / "params.yaml", content)
        write_text(partial / "dvc.yaml", Path("dvc.yaml").read_text(encoding="utf-8"))
        write_text(partial / ".gitignore", "/text\n")
    try:
        params = load_params(folder / "params.yaml")
        write_trainings(params)
    except BaseException:  # also Ctrl-C; the same command would find a folder in its way
        shutil.rmtree(folder)
        raise
    _say(folder, proposal, shared)
    times = training_times(params, [*params.trainings])
    cost = f"{time_text(sum(times.seconds.values()))}, {times.source}" if times else "not known yet"
    typer.echo(f"Cost of {len(params.trainings)} trainings: {cost}")
    typer.echo(f"Run it: snakemake -j2 --config experiment={name}")


def _place(name: str) -> Path:
    letters = re.fullmatch(r"[A-Za-z]([\w-]*\w)?", name, re.ASCII)
    # YAML and Snakemake read "no" and "nan" as something else than text.
    if not letters or yaml.safe_load(name) != name or name.lower() in ("nan", "inf", "infinity"):
        raise InputError(
            f"NAME: {name!r} cannot be an experiment's name; begin with a letter, and use letters, "
            f"digits, _ and -, as in study-1, and no word that YAML reads as a value, such as null"
        )
    if not Path(SYSTEMS).exists():
        raise InputError(f"{SYSTEMS}: no such file; run in the project's folder")
    folder = Layout(name).local_text.parent
    if name == DEMO or folder.exists():
        raise InputError(f"{folder}: an experiment has this name; choose another, or delete it")
    return folder


def _held_out(dev: Files | None, test: Files | None, hold_out: int | None) -> dict[str, Files]:
    """Return the files of dev and test; there are none with ``hold_out``."""
    sets = {"dev": dev, "test": test}
    for name, files in sets.items():
        if files and hold_out:
            raise InputError(f"--hold-out: --{name} is given, too; give only one of the two")
        if not files and not hold_out:
            raise InputError(f"--{name}: no files; give them, or --hold-out")
    return {name: files for name, files in sets.items() if files}


def _systems(text: str, known: Systems) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    every = [*known.systems, *known.ensembles]
    for name in names:
        if name not in every:
            raise InputError(
                f"--systems: {SYSTEMS} has no system {name!r}{suggestion(name, every)}"
            )
        if lacking := [one for one in _members(name, known) if one not in names]:
            raise InputError(f"--systems: {name} needs {', '.join(lacking)}, too; add its members")
    return names


def _members(name: str, known: Systems) -> dict[str, int]:
    """Return the systems of an ensemble, each with the most seeds that it needs; else nothing."""
    seeds = dict[str, int]()
    for member in known.ensembles[name].members if name in known.ensembles else ():
        system, seed = known.split_seed(member)
        seeds[system] = max(seed, seeds.get(system, 1))
    return seeds


def _put(sets: Mapping[str, Mapping[str, Path]], place: Path, made: Path) -> None:
    """Put links to the files of sets into a folder, and copies of files in the folder ``made``."""
    for key, files in sets.items():
        for suffix, file in files.items():
            path = place / f"{key}.{suffix}{'.gz' if file.suffix == '.gz' else ''}"
            if file.is_relative_to(made):
                shutil.copyfile(file, path)
            else:
                path.symlink_to(file.resolve())


def _say(folder: Path, proposal: "Proposal", shared: int) -> None:
    """Print what is proposed."""
    about, size = "about " if proposal.every > 1 else "", proposal.size
    left_out = proposal.long + proposal.empty + shared
    typer.echo(
        f"{folder}: {about}{proposal.pairs:,} training pairs; left out {about}{left_out:,}: "
        f"{proposal.long:,} longer than {proposal.max_length} tokens, {proposal.empty:,} with an empty "
        f"side" + f", {shared:,} with a source of dev or test" * (shared > 0)
    )
    for side in (proposal.languages.source, proposal.languages.target):
        tokens, unknown = proposal.tokens[side.code], proposal.unknown[side.code]
        typer.echo(
            f"{side.name} ({side.tokenize}): {about}{tokens:,} tokens, {unknown:.1%} unknown"
        )
    pieces = [f"{proposal.merges:,} merges of subwords"] if proposal.merges else []
    typer.echo(
        f"Proposed: {size.layers} x {size.size} cells, "
        f"{', '.join([f'vocabularies of {proposal.vocabulary:,}', *pieces])}, "
        f"window_D {proposal.window_D}; change {folder}/params.yaml as you like"
    )
