"""Table 5: sample translations of the best attentional system and of the base system, side by side."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

import pandas as pd

from attnmt.config import Direction, Params
from attnmt.decoding.kept_attention import sampled_lines
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines, write_text
from attnmt.layout import Layout
from attnmt.reporting.caption import LANGUAGES
from attnmt.reporting.paper import rows_of
from attnmt.reporting.render import pipe_table
from attnmt.reporting.tables import Caption
from attnmt.reporting.tables_file import Sample, SampleText
from attnmt.text.tokenizer import MosesTokenizer

NAME = "table5"
LEAD = "Sample translations, not chosen by hand: sentences evenly spread over a test set."
# Of each direction: the test set's index; the best attentional model, and the base model, of which the
# paper does not say whether it reverses: the first of these that the experiment trains.
SYSTEMS: dict[Direction, tuple[int, dict[str, tuple[str, ...]]]] = {
    "en-de": (
        0,
        {
            "best": ("local_p_general_feed",),
            "base": ("base", "base_reverse", "base_reverse_dropout"),
        },
    ),
    "de-en": (-1, {"best": ("de_en_global_dot_feed",), "base": ("de_en_base_reverse",)}),
}


def make_samples(params: Params) -> list[Sample]:
    """Return the sampled sentences of each direction of which the experiment has a system.

    The texts are plain, with unknown words replaced where attention tells their source.

    Raises:
        InputError: if a file is missing, or has not as many lines as the test set.
    """
    return [sample for direction in SYSTEMS for sample in _samples(params, direction)]


def write_samples(samples: list[Sample], folder: Path) -> None:
    """Write ``table5.csv``, ``.md`` and ``.tex``; none if there is no sample.

    The LaTeX table needs booktabs and longtable, and T1 fonts for its ``<``.
    """
    if not samples:
        return
    frame = pd.DataFrame([row for sample in samples for row in _rows(sample)], dtype=object)
    stem, words = folder / NAME, caption(samples)
    write_text(stem.with_suffix(".csv"), frame.to_csv(index=False, lineterminator="\n"))
    seen = frame[["set", "line", "role", "text"]].copy()
    seen.loc[seen["role"] != "source", ["set", "line"]] = ""  # once a sentence
    write_text(stem.with_suffix(".md"), f"**Table 5.** {words}\n\n{_markdown(seen)}")
    styler = seen.style.hide(axis="index").format(escape="latex")
    text = styler.to_latex(
        hrules=True,
        environment="longtable",
        column_format=r"lrlp{0.65\linewidth}",
        caption=f"Table 5. {words}".replace("_", r"\_"),
        label=f"tab:{NAME}",
    )
    write_text(stem.with_suffix(".tex"), text)


def caption(samples: Sequence[Sample]) -> Caption:
    """Return what the samples are, and the rule that chose them."""
    parts = []
    for direction in dict.fromkeys(sample.direction for sample in samples):
        found = [sample for sample in samples if sample.direction == direction]
        systems = [f"{text.role}: {text.model}" for text in found[0].texts if text.model]
        parts.append(
            f"{LANGUAGES[direction]}, {found[0].set}, {len(found)} sentences; {', '.join(systems)}."
        )
    parts.append("Unknown words are replaced where attention tells their source.")
    parts.append("Lines are counted from 1.")
    return Caption(LEAD, " ".join(parts))


def _samples(params: Params, direction: Direction) -> Iterator[Sample]:
    index, systems = SYSTEMS[direction]
    test, own = params.sets.tests[index], dict[str, str]()
    for role, candidates in systems.items():
        if trained := [name for name in candidates if name in params.models]:
            own[role] = trained[0]
    if not own:
        return
    source, reference = (_plain(params, test, language) for language in direction.split("-"))
    texts = {role: _translations(params, name, test, len(source)) for role, name in own.items()}
    for line in sampled_lines(len(source), params.decoding.samples):
        given = {"source": source[line], "reference": reference[line]}
        forms = [
            SampleText(role=role, system=None, model=None, text=text)
            for role, text in given.items()
        ]
        forms += [
            SampleText(role=role, system=_system(params, name), model=name, text=texts[role][line])
            for role, name in own.items()
        ]
        yield Sample(direction=direction, set=test, line=line, texts=forms)


def _plain(params: Params, test: str, language: str) -> list[str]:
    """Return the sentences of a set as they are written."""
    lines = read_lines(Layout(params.experiment).raw / f"{test}.{language}")
    if params.tokenize.moses:
        return lines
    moses = MosesTokenizer(language, params.tokenize.split_hyphens)  # the raw text is tokens
    return [moses.detokenize(line.split()) for line in lines]


def _translations(params: Params, name: str, test: str, lines: int) -> list[str]:
    path = Layout(params.experiment).translations(name) / f"{test}.txt"
    found = read_lines(path, may_be_blank=True)
    if len(found) != lines:
        raise InputError(
            f"{path}: {len(found)} lines where {test} has {lines}; run translate of {name} again"
        )
    return found


def _system(params: Params, model: str) -> str:
    """Return the paper's name of a model, the fullest that it gives: with unknown words replaced."""
    return max((row.label for row in rows_of(params, model)), key=len)


def _rows(sample: Sample) -> Iterable[dict[str, object]]:
    place = {"set": sample.set, "line": sample.line + 1}
    return (place | text.model_dump() for text in sample.texts)


def _markdown(seen: pd.DataFrame) -> str:
    lines = [list(seen.columns), ["---", "--:", "---", "---"], *seen.to_numpy().tolist()]
    return pipe_table(
        [escape(str(cell), quote=False).replace("|", r"\|") for cell in line] for line in lines
    )
