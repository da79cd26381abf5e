"""``attnmt new``."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError

from attnmt.config import DEMO, RULES, SYSTEMS, Languages, Params, Rule, Systems, load_params
from attnmt.config.generated import write_models
from attnmt.config.languages import Code
from attnmt.config.strict import Slug
from attnmt.errors import InputError
from attnmt.files.atomic import atomic_folder
from attnmt.files.text_file import iter_lines, write_text
from attnmt.files.yaml_file import YamlFile, hint
from attnmt.layout import Layout
from attnmt.planning.times import time_text, training_times

if TYPE_CHECKING:  # a shell that completes a word must not wait for their libraries
    from attnmt.corpora.overlap import Overlap
    from attnmt.corpora.parallel import Files
    from attnmt.planning.proposal import Proposal

NEXT = """
Next:
  attnmt plan --experiment {name}                   say in full what it takes
  snakemake -j2 --config experiment={name}          run everything; after a stop, run it again
  attnmt commit --experiment {name}                 tell DVC what was made
  attnmt explain --experiment {name} "A sentence."  look inside a translation
The report will be reports/{name}/index.html."""
PROPOSED = ["base_reverse_dropout", "global_general_feed", "local_p_general_feed"]
ALL = "all"
LOOKED_AT = 1000  # lines that decide whether a language has spaces
TwoFiles = tuple[Path, Path]


def _both(help: str) -> Any:
    """Return an option with a value for each side."""
    return typer.Option(help=help, metavar="SOURCE TARGET")


def new(
    name: Annotated[str, typer.Argument(help="The experiment's name.")],
    train: Annotated[
        TwoFiles,
        _both(
            "Training text, one sentence per line, or .gz. The suffixes are the languages' codes."
        ),
    ],
    dev: Annotated[TwoFiles | None, _both("Text that chooses the best weights.")] = None,
    test: Annotated[TwoFiles | None, _both("Test text, which is scored.")] = None,
    second_test: Annotated[TwoFiles | None, _both("A second test text.")] = None,
    hold_out: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Take this many random pairs out of the training text for each of dev and test.",
        ),
    ] = None,
    reference: Annotated[
        list[Path] | None,
        typer.Option(help="Another reference translation of --test. Several may be given."),
    ] = None,
    links: Annotated[
        Path | None,
        typer.Option(
            help="Gold word links of --test in Pharaoh's format, such as 0-0 1?2: source-target, from 0."
        ),
    ] = None,
    languages: Annotated[
        tuple[str, str] | None,
        _both("The languages' codes, if the files' suffixes are not their codes."),
    ] = None,
    tokenize: Annotated[
        tuple[str, str] | None,
        _both(
            "How each text becomes tokens: moses, plain, characters or none. Without it, attnmt looks "
            "at the text and proposes a rule."
        ),
    ] = None,
    systems: Annotated[
        str, typer.Option(help=f"Names from {SYSTEMS}, with commas between them, or {ALL}.")
    ] = ",".join(PROPOSED),
    copy: Annotated[
        bool, typer.Option("--copy", help="Copy the files. Without it, they are linked.")
    ] = False,
    measure: Annotated[
        bool,
        typer.Option(
            help="If no training is finished here, train for 20 seconds to measure this machine's speed."
        ),
    ] = True,
) -> None:
    """Make an experiment from your own text: check the files, propose sizes, say what it will cost.

    The experiment is a folder in experiments/. Its params.yaml is yours to change, and its text/ holds
    the text. If a linked file changes, the stages that read it run again.

    Examples:

    attnmt new my-study --train corpus.fr corpus.en --dev dev.fr dev.en --test test.fr test.en

    attnmt new small --train corpus.fr.gz corpus.en.gz --hold-out 1000
    """
    from attnmt.corpora.overlap import find_overlap
    from attnmt.corpora.own_text import count_pairs, more_of_test, put_files, write_divided
    from attnmt.planning.proposal import params_text, propose

    folder = _place(name)
    known = YamlFile.read(Path(SYSTEMS)).into(Systems)
    chosen = _systems(systems, known)
    pair = _languages(train, languages, tokenize)
    sets = _sets(train, dev, test, second_test, hold_out)
    pairs = {key: count_pairs(files, key != "train") for key, files in sets.items()}
    extra = more_of_test(sets.get("test"), pair.target.code, reference or [], links)
    tests: list[str] = [
        key for key in ("test", "test2") if key in sets or (key == "test" and hold_out)
    ]
    proposal = propose(pair, train, pairs["train"] - 2 * (hold_out or 0))
    for key in sets:
        if key != "train":
            _warn(key, find_overlap(train, sets[key]))
    given = {
        f"{key}.{code}": file
        for key, files in sets.items()
        for code, file in zip(pair.codes, files, strict=True)
    }
    given |= {f"test.{suffix}": file for suffix, file in extra.items()}
    with atomic_folder(folder) as partial:
        text = partial / "text"
        text.mkdir()
        if hold_out:
            given = {name: file for name, file in given.items() if not name.startswith("train.")}
            write_divided(train, pair.codes, hold_out, pairs["train"], text)
        put_files(given, text, copy)
        families = _families(chosen, known)
        write_text(partial / "params.yaml", params_text(name, proposal, tests, chosen, families))
        write_text(partial / "dvc.yaml", Path("dvc.yaml").read_text(encoding="utf-8"))
        write_text(partial / ".gitignore", "/text\n")
    params = load_params(folder / "params.yaml")
    write_models(params)
    typer.echo(_said(name, proposal, tests))
    typer.echo(_cost(params, measure))
    typer.echo(NEXT.format(name=name))


def _place(name: str) -> Path:
    try:
        TypeAdapter(Slug).validate_python(name)
    except ValidationError:
        raise InputError(
            f"name: {name!r} cannot be a folder's name here; use letters, digits, _ and -"
        ) from None
    if not Path(SYSTEMS).exists():
        raise InputError(f"{SYSTEMS}: no such file; run in the project's folder")
    folder = Layout(name).local_text.parent
    if name == DEMO or folder.exists():
        raise InputError(
            f"{folder}: this experiment exists already; choose another name, or delete it"
        )
    return folder


def _systems(text: str, known: Systems) -> list[str]:
    if text == ALL:
        return [name for name in known.systems if name not in known.on_request]
    names = [name.strip() for name in text.split(",")]
    every = [*known.systems, *known.ensembles]
    for name in names:
        if name not in every:
            raise InputError(f"--systems: {SYSTEMS} has no system {name!r}{hint(name, every)}")
    return names


def _families(systems: Iterable[str], known: Systems) -> list[str]:
    entries = known.systems | known.ensembles
    return list(dict.fromkeys(entries[name].family for name in systems))


def _languages(
    train: TwoFiles, codes: tuple[str, str] | None, rules: tuple[str, str] | None
) -> Languages:
    from attnmt.planning.proposal import propose_language

    sides = []
    for at, role in enumerate(("source", "target")):
        code = codes[at] if codes else _suffix(train[at])
        try:
            TypeAdapter(Code).validate_python(code)
        except ValidationError:
            raise InputError(
                f"{train[at]}: {code!r} cannot be the code of a language; give the codes, as in "
                f"--languages fr en"
            ) from None
        lines = [line for line, _ in zip(iter_lines(train[at]), range(LOOKED_AT), strict=False)]
        sides.append((role, propose_language(code, lines, _rule(rules[at]) if rules else None)))
    if sides[0][1].code == sides[1][1].code:
        raise InputError(
            f"{train[0]} and {train[1]}: both have the code {sides[0][1].code!r}; give files of two "
            f"languages, or give the codes, as in --languages fr en"
        )
    return Languages(**dict(sides))


def _rule(name: str) -> Rule:
    for rule in RULES:
        if rule == name:
            return rule
    raise InputError(f"--tokenize: no rule {name!r}{hint(name, RULES)}")


def _suffix(file: Path) -> str:
    """Return the code of a language that ends a file's name: fr for corpus.fr.gz."""
    return Path(file.name.removesuffix(".gz")).suffix.removeprefix(".")


def _sets(
    train: TwoFiles,
    dev: TwoFiles | None,
    test: TwoFiles | None,
    second_test: TwoFiles | None,
    hold_out: int | None,
) -> dict[str, "Files"]:
    """Return the files of each set that is given."""
    given = {"dev": dev, "test": test}
    for key, files in given.items():
        if files is None and not hold_out:
            raise InputError(
                f"--{key}: no files; give them, or take pairs out of the training text with "
                f"--hold-out 1000"
            )
        if files is not None and hold_out:
            raise InputError(f"--hold-out: --{key} is given, too; give only one of the two")
    sets = {"train": train} | given | {"test2": second_test}
    return {key: files for key, files in sets.items() if files is not None}


def _warn(key: str, overlap: "Overlap") -> None:
    if overlap.sources:
        line, train_line = next(iter(overlap.sources.items()))
        typer.echo(
            f"warning: {len(overlap.sources):,} of the {overlap.lines:,} source sentences of {key} are "
            f"in the training text, {len(overlap.pairs):,} with the same translation; the first is line "
            f"{line} (line {train_line} of the training text). Such lines make the scores too high.",
            err=True,
        )


def _said(name: str, proposal: "Proposal", tests: list[str]) -> str:
    """Say what was made."""
    sides = ", ".join(
        f"{side.name} ({side.tokenize}, about {proposal.tokens[side.code]:,} tokens)"
        for side in (proposal.languages.source, proposal.languages.target)
    )
    size = proposal.size
    layers = f"{size.layers} layer{'s' if size.layers > 1 else ''} of {size.size} cells"
    return (
        f"experiments/{name}: {proposal.pairs:,} training pairs; {sides}; tests: {', '.join(tests)}\n"
        f"Proposed: {layers}, vocabularies of {proposal.vocabulary:,}. Change "
        f"experiments/{name}/params.yaml as you like."
    )


def _cost(params: Params, may_measure: bool) -> str:
    """Say how long the trainings take, at the speed of a finished training or at one measured now."""
    names = [*params.models]
    times = training_times(params, names)
    if times is None and may_measure:
        from attnmt.planning.measure import measure  # here, because torch takes seconds

        typer.echo("Measuring the speed of this machine; this takes 20 seconds.", err=True)
        times = training_times(params, names, measure(params))
    if times is None:
        return (
            f"Cost: not known; attnmt plan --experiment {params.experiment} --measure estimates it."
        )
    trainings = f"{len(names)} trainings take" if len(names) > 1 else "1 training takes"
    return (
        f"Cost: {trainings} about {time_text(sum(times.seconds.values()))} in all, {times.source}."
    )
