"""``attnmt new``."""

import re
import shutil
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
import yaml

from attnmt.commands.messages import note, warn
from attnmt.commands.options import PAIRS, Flip, refuse_pipes
from attnmt.config import DEMO, LINKS, SYSTEMS, Params, load_params
from attnmt.config.generated import write_models
from attnmt.config.systems import Systems
from attnmt.corpora.parallel import Files, parallel_rows
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import write_text
from attnmt.files.yaml_file import YamlFile, hint
from attnmt.layout import Layout
from attnmt.planning.times import time_text, training_times

if TYPE_CHECKING:  # a shell that completes a word must not wait for their libraries
    from attnmt.planning.proposal import Proposal

NEXT = """
Next:
  attnmt plan --experiment {name}           say in full what it takes
  snakemake -j2 --config experiment={name}  run everything; after a stop, run it again
The report will be reports/{name}/index.html. The run ends with commands that use the best model."""
PROPOSED = ["base_reverse_dropout", "global_general_feed", "local_p_general_feed"]
ALL = "all"
GOLD = "gold"  # the test set as its gold links count it, if these do not count its tokens
MUCH = 0.2  # a larger share of the pairs is not left out without a warning


def _both(help: str) -> Any:
    """Return an option with a value for each side."""
    return typer.Option(help=help, metavar=PAIRS)


def new(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The experiment's name.")],
    train: Annotated[
        Files,
        _both(
            "Training text, one sentence per line; or a .tsv with both sides, given twice. All files "
            "may be .gz. The suffixes are the languages' codes."
        ),
    ],
    dev: Annotated[Files | None, _both("Text that chooses the best weights.")] = None,
    test: Annotated[
        list[Path] | None,
        _both("Test text, which is scored, also as .sgm. Several may be given."),
    ] = None,
    hold_out: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Take this many random pairs out of the training text for each of dev and test.",
        ),
    ] = None,
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            help="Another reference translation of the first --test. Several may be given."
        ),
    ] = None,
    links: Annotated[
        Path | None,
        typer.Option(
            help="Gold word links of the first --test: Pharaoh's (0-0 1?2, source-target, from 0) "
            "or RWTH's (.talp)."
        ),
    ] = None,
    flip: Flip = False,
    languages: Annotated[
        tuple[str, str] | None,
        _both("The languages' codes, if the files' suffixes are not their codes."),
    ] = None,
    systems: Annotated[
        str, typer.Option(help=f"Names from {SYSTEMS}, with commas between them, or {ALL}.")
    ] = ",".join(PROPOSED),
    measure: Annotated[
        bool,
        typer.Option(
            help="Train for 20 seconds to measure this machine's speed, if it is not known."
        ),
    ] = True,
) -> None:
    """Make an experiment from your own text: check the files, propose sizes, say what it will cost.

    The experiment is a folder in experiments/. Its params.yaml is yours to change. Its text/ links to
    your files, and if one of them changes, the stages that read it run again. With --hold-out, and of
    SGM and TSV, text/ has plain copies: if your files change, delete the experiment's folders in
    experiments/, data/, models/ and reports/, and run attnmt new again.

    Examples:

    attnmt new my-study --train corpus.fr corpus.en --dev dev.fr dev.en --test test.fr test.en

    attnmt new small --train corpus.fr.gz corpus.en.gz --hold-out 1000
    """
    from attnmt.commands.new_files import (
        doubts,
        given_codes,
        held_out_files,
        languages_of,
        read_given_links,
        read_sets,
    )
    from attnmt.corpora.own_text import find_overlap, refuse_too_many, write_divided
    from attnmt.planning.proposal import params_text, propose

    folder = _place(name)
    known = YamlFile.read(Path(SYSTEMS)).into(Systems)
    chosen = _systems(systems, known)
    codes = given_codes(train, languages)
    given = {"train": train} | held_out_files(train, dev, test or [], hold_out)
    for option, value in {"--reference": reference, "--links": links}.items():
        if value and "test" not in given:
            raise InputError(
                f"{option}: it belongs to --test, which is not given; give it, or leave it out"
            )
    if flip and not links:
        raise InputError(
            "--flip: it exchanges the sides of --links, which is not given; leave it out"
        )
    refuse_pipes(
        [*chain.from_iterable(given.values()), *(reference or []), *([links] if links else [])]
    )
    made = Path(context.with_resource(TemporaryDirectory()))  # until the command ends
    sets = read_sets(given, codes, reference or [], made)
    sides = {key: (plain[codes[0]], plain[codes[1]]) for key, plain in sets.items()}
    train = sides["train"]
    held_out = {key: files for key, files in sides.items() if key != "train"}
    pair = languages_of(train, codes)
    notes = doubts(pair, held_out, given)
    tokenized = None
    if links:
        gold = read_given_links(links, sides["test"], pair, flip, made)
        if gold.tokenized:  # a set that is scored must not be
            tokenized = GOLD
            sets[GOLD] = dict(zip(codes, sides["test"], strict=True))
        sets[tokenized or "test"][LINKS] = gold.path
        notes += gold.notes
    for message in notes:
        note(message)
    rows = {
        key: sum(1 for _ in parallel_rows(files, scored=key != "train"))
        for key, files in sets.items()
    }
    refuse_too_many(hold_out or 0, rows["train"])
    for key, two in held_out.items():
        _warn(key, rows[key], find_overlap(train, two))
    with atomic_folder(folder) as partial:
        text = partial / "text"
        text.mkdir()
        shared, trained = 0, train
        if hold_out:
            del sets["train"]
            shared = write_divided(train, pair.codes, hold_out, text)
            trained = text / f"train.{pair.source.code}", text / f"train.{pair.target.code}"
        entries = known.systems | known.ensembles
        one_of = [known.ensembles[x].members[0] if x in known.ensembles else x for x in chosen]
        ways = {known.systems[system].direction: None for system in one_of}
        proposal = propose(pair, trained, ways)
        for key, files in sets.items():
            for suffix, file in files.items():
                end = ".gz" if file.suffix == ".gz" else ""
                place = text / f"{key}.{suffix}{end}"
                if file.is_relative_to(made):
                    shutil.copyfile(file, place)
                else:
                    place.symlink_to(file.resolve())
        tests = [key for key in held_out if key != "dev"] or ["test"]
        families = list(dict.fromkeys(entries[system].family for system in chosen))
        write_text(
            partial / "params.yaml",
            params_text(
                name,
                proposal,
                tests,
                chosen,
                families,
                tokenized,
                rows.get(tests[0]) or hold_out or 0,
            ),
        )
        write_text(partial / "dvc.yaml", Path("dvc.yaml").read_text(encoding="utf-8"))
        write_text(partial / ".gitignore", "/text\n")
    try:
        params = load_params(folder / "params.yaml")
        write_models(params)
    except BaseException:  # also Ctrl-C; the same command would find a folder in its way
        shutil.rmtree(folder)
        raise
    _say(name, proposal, shared, hold_out or 0)
    try:
        typer.echo(_cost(params, measure))
    except KeyboardInterrupt:  # the experiment is there; only its cost is not known
        typer.echo(f"Cost: not measured, as Ctrl-C came; {_estimate(name)}")
    typer.echo(NEXT.format(name=name))


def _place(name: str) -> Path:
    letters = re.fullmatch(r"[A-Za-z]([\w-]*\w)?", name, re.ASCII)
    # YAML and Snakemake read "no" and "nan" as something else than text.
    if not letters or yaml.safe_load(name) != name or name.lower() in ("nan", "inf", "infinity"):
        raise InputError(
            f"NAME: {name!r} cannot be an experiment's name; begin with a letter, and use letters, "
            f"digits, _ and -, as in study-1"
        )
    if not Path(SYSTEMS).exists():
        raise InputError(f"{SYSTEMS}: no such file; run in the project's folder")
    folder = Layout(name).local_text.parent
    if name == DEMO or folder.exists():
        raise InputError(
            f"{folder}: this experiment exists already; choose another name, or delete it"
        )
    layout = Layout(name)
    parts = (layout.tokens.parent, layout.model(""), layout.reports)
    if left := [str(part) for part in parts if part.exists()]:
        raise InputError(
            f"{', '.join(left)}: of an earlier experiment of this name; choose another name, or delete "
            f"{'it' if len(left) == 1 else 'them'}"
        )
    return folder


def _systems(text: str, known: Systems) -> list[str]:
    if text == ALL:
        return [name for name in known.systems if name not in known.on_request]
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    every = [*known.systems, *known.ensembles]
    for name in names:
        if name not in every:
            raise InputError(f"--systems: {SYSTEMS} has no system {name!r}{hint(name, every)}")
        members = known.ensembles[name].members if name in known.ensembles else []
        if lacking := [member for member in members if member not in names]:
            raise InputError(f"--systems: {name} needs {', '.join(lacking)}, too; add its members")
    return names


def _warn(key: str, rows: int, overlap: list[tuple[int, int, bool]]) -> None:
    if overlap:
        line, train_line, _ = overlap[0]
        warn(
            f"{len(overlap):,} of the {rows:,} source sentences of {key} are in the training "
            f"text, {sum(pair for *_, pair in overlap):,} with the same translation; the first is line "
            f"{line} (line {train_line} of the training text). Such lines make the scores too high."
        )


def _say(name: str, proposal: "Proposal", shared: int, hold_out: int) -> None:
    """Print what is proposed. If many pairs are left out, say what helps.

    Args:
        shared: training pairs that are left out, because dev or test has their source.
        hold_out: the pairs of each of dev and test, if they are taken out of the training text.
    """
    params, size = f"experiments/{name}/params.yaml", proposal.size
    about = "about " if proposal.every > 1 else ""
    sides = ", ".join(
        f"{side.name} ({side.tokenize}, {about}{proposal.tokens[side.code]:,} tokens)"
        for side in (proposal.languages.source, proposal.languages.target)
    )
    held_out = f", {hold_out:,} each for dev and test" if hold_out else ""
    typer.echo(f"experiments/{name}: {about}{proposal.pairs:,} training pairs{held_out}; {sides}")
    reasons = {
        f"longer than {proposal.max_length} tokens": proposal.long,
        "with an empty side": proposal.empty,
        "with a source that dev or test has": shared,
    }
    count = sum(reasons.values())
    share = count / (proposal.pairs + count)
    if count:
        listed = ", ".join(f"{number:,} {why}" for why, number in reasons.items() if number)
        pairs = f"{about}{count:,} of {proposal.pairs + count:,} training pairs ({share:.1%})"
        typer.echo(f"Left out: {pairs}: {listed}")
    shares = (f"{share:.1%} of the tokens of {code}" for code, share in proposal.unknown.items())
    unknown = " and ".join(shares)
    ratios = "".join(f", {key} {ratio:g}" for key, ratio in proposal.ratios.items())
    layers = f"{size.layers} layer{'s' if size.layers > 1 else ''} of {size.size} cells"
    typer.echo(
        f"Proposed: {layers}, vocabularies of {proposal.vocabulary:,} (they lack {unknown}){ratios}, "
        f"window_D {proposal.window_D}: a local window has {2 * proposal.window_D + 1} words, so local "
        f"attention is global for {proposal.in_window:.0%} of the training sentences. Change {params} "
        f"as you like."
    )
    if share > MUCH:
        warn(
            f"{share:.0%} of the training pairs are left out; put one sentence in a line (a "
            f"sentence splitter helps), look whether line k of one file translates line k of the other, "
            f"or hold out fewer pairs"
        )


def _cost(params: Params, may_measure: bool) -> str:
    """Say how long the trainings take, at known speeds or at those measured now."""
    names = [*params.models]
    times = training_times(params, names)
    if times is None and may_measure:
        from attnmt.planning.measure import measure_speeds  # here, because torch takes seconds

        typer.echo(
            "Measuring the speed of this machine; this takes 20 seconds. Ctrl-C leaves it out.",
            err=True,
        )
        measure_speeds(params, names)
        times = training_times(params, names)
    if times is None:
        return f"Cost: not known; {_estimate(params.experiment)}"
    total = time_text(sum(times.seconds.values()))
    return (
        f"Cost: all trainings ({len(names)}) take about {total}, {times.source}. Starts, translation "
        f"and scores come on top."
    )


def _estimate(name: str) -> str:
    return f"attnmt plan --experiment {name} --measure estimates it."
