"""Table 5: sample translations of the best attentional system and of the base system, side by side."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

import pandas as pd

from attnmt.config import Direction, Language, Params
from attnmt.decoding.kept_attention import sampled_lines
from attnmt.errors import InputError
from attnmt.files.text_file import read_lines, write_text
from attnmt.layout import Layout
from attnmt.reporting.paper import rows_of
from attnmt.reporting.render import pipe_table
from attnmt.reporting.tables import Caption
from attnmt.reporting.tables_file import Sample, SampleText
from attnmt.text.tokenizer import tokenizer

NAME = "table5"
LEAD = "These sample translations were not chosen by hand: they are evenly spread over a test set."
# For each direction: the test set's index, and the candidates for each role. The first candidate that
# the experiment trains is taken. The paper does not say whether its base model reverses the source.
SYSTEMS: dict[Direction, tuple[int, dict[str, tuple[str, ...]]]] = {
    "forward": (
        0,
        {
            "best": ("local_p_general_feed",),
            "base": ("base", "base_reverse", "base_reverse_dropout"),
        },
    ),
    "backward": (-1, {"best": ("back_global_dot_feed",), "base": ("back_base_reverse",)}),
}


def make_samples(params: Params) -> list[Sample]:
    """Return the sampled sentences of each direction for which the experiment has a system.

    The texts are plain. Unknown words are replaced where attention links them to a source word.

    Raises:
        InputError: if a file is missing, or has more or fewer lines than the test set.
    """
    return [sample for direction in SYSTEMS for sample in _samples(params, direction)]


def write_samples(params: Params, samples: list[Sample], folder: Path) -> None:
    """Write ``table5.csv``, ``.md`` and ``.tex``, or nothing if there is no sample.

    The LaTeX table needs booktabs and longtable, and T1 fonts for its ``<``.
    """
    if not samples:
        return
    frame = pd.DataFrame([row for sample in samples for row in _rows(sample)], dtype=object)
    stem, below_title = folder / NAME, caption(params, samples)
    write_text(stem.with_suffix(".csv"), frame.to_csv(index=False, lineterminator="\n"))
    shown = frame[["set", "line", "role", "text"]].copy()
    shown.loc[shown["role"] != "source", ["set", "line"]] = ""  # shown once for each sentence
    write_text(stem.with_suffix(".md"), f"**Table 5.** {below_title}\n\n{_markdown(shown)}")
    styler = shown.style.hide(axis="index").format(escape="latex")
    text = styler.to_latex(
        hrules=True,
        environment="longtable",
        column_format=r"lrlp{0.65\linewidth}",
        caption=f"Table 5. {below_title}".replace("_", r"\_"),
        label=f"tab:{NAME}",
    )
    write_text(stem.with_suffix(".tex"), text)


def caption(params: Params, samples: Sequence[Sample]) -> Caption:
    """Return the caption, which says what the samples are and how they were chosen."""
    parts = []
    for direction in dict.fromkeys(sample.direction for sample in samples):
        samples_of = [sample for sample in samples if sample.direction == direction]
        first, count = samples_of[0], len(samples_of)
        systems = [f"{text.role}: {text.model}" for text in first.texts if text.model]
        sentences = f"{count} {'sentence' if count == 1 else 'sentences'}"
        parts.append(
            f"{params.languages.title(direction)}, {first.set}, {sentences}; {', '.join(systems)}."
        )
    parts.append("Unknown words are replaced where attention links them to a source word.")
    parts.append("Lines are counted from 1.")
    return Caption(LEAD, " ".join(parts))


def _samples(params: Params, direction: Direction) -> Iterator[Sample]:
    index, systems = SYSTEMS[direction]
    test, models = params.sets.tests[index], dict[str, str]()
    for role, candidates in systems.items():
        if trained := [name for name in candidates if name in params.models]:
            models[role] = trained[0]
    if not models:
        return
    source, reference = (_plain(params, test, side) for side in params.languages.sides(direction))
    texts = {role: _translations(params, name, test, len(source)) for role, name in models.items()}
    for line in sampled_lines(len(source), params.decoding.samples):
        pair = {"source": source[line], "reference": reference[line]}
        forms = [
            SampleText(role=role, system=None, model=None, text=text) for role, text in pair.items()
        ]
        forms += [
            SampleText(role=role, system=_system(params, name), model=name, text=texts[role][line])
            for role, name in models.items()
        ]
        yield Sample(direction=direction, set=test, line=line, texts=forms)


def _plain(params: Params, test: str, language: Language) -> list[str]:
    """Return the sentences of a set as they are written."""
    lines = read_lines(Layout(params.experiment).raw / f"{test}.{language.code}")
    if language.tokenize != "none":
        return lines
    rule = tokenizer(language, params.tokenize.split_hyphens)  # the raw text is tokens
    return [rule.detokenize(line.split()) for line in lines]


def _translations(params: Params, name: str, test: str, lines: int) -> list[str]:
    path = Layout(params.experiment).translations(name) / f"{test}.txt"
    texts = read_lines(path, may_be_blank=True)
    if len(texts) != lines:
        raise InputError(
            f"{path}: {len(texts)} lines where {test} has {lines}; run translate of {name} again"
        )
    return texts


def _system(params: Params, model: str) -> str:
    """Return the longest name that the paper gives a model: the one with unknown words replaced."""
    return max((row.label for row in rows_of(params, model)), key=len)


def _rows(sample: Sample) -> Iterable[dict[str, object]]:
    place = {"set": sample.set, "line": sample.line + 1}
    return (place | text.model_dump() for text in sample.texts)


def _markdown(shown: pd.DataFrame) -> str:
    lines = [list(shown.columns), ["---", "--:", "---", "---"], *shown.to_numpy().tolist()]
    return pipe_table(
        [escape(str(cell), quote=False).replace("|", r"\|") for cell in line] for line in lines
    )
