"""The page that explains the translation of one sentence: one HTML file, drawn as the report is."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any, Self

from attnmt.config import Language, Params
from attnmt.decoding.explanation import Explained, Explanation, Unit
from attnmt.decoding.pipeline import TranslationPipeline
from attnmt.reporting.attention import label
from attnmt.reporting.templates import render


@dataclass(frozen=True)
class Shown:
    """A model or an ensemble, the text that it learned from, and how it translates a sentence."""

    experiment: str
    name: str
    label: str  # the shortest name in the paper
    languages: tuple[Language, Language]  # the one that it reads, and the one that it writes
    pairs: int  # of sentences that it learned from
    vocabulary: tuple[int, int]  # entries of each language
    units: str  # what the entries are: words or pieces
    penalty: str | None  # length_penalty of the search; None where log p ranks
    explanation: Explanation

    @classmethod
    def of(
        cls, params: Params, name: str, pipeline: TranslationPipeline, explanation: Explanation
    ) -> Self:
        """Describe a loaded model or ensemble."""
        source, target = pipeline.source, pipeline.target
        return cls(
            experiment=params.experiment,
            name=name,
            label=label(params, name),
            languages=(source.language, target.language),
            pairs=pipeline.data.counts(params.sets.train).lines,
            vocabulary=(len(source.vocabulary), len(target.vocabulary)),
            units=source.unit,
            penalty=pipeline.options.rules.length_penalty,
            explanation=explanation,
        )

    @property
    def rows(self) -> dict[str, Explained]:
        """The candidates by their rank, then the reference if there is one."""
        rows = {str(i): one for i, one in enumerate(self.explanation.candidates, start=1)}
        reference = self.explanation.reference
        return rows | ({"reference": reference} if reference else {})


def make_explain_page(sentence: str, reference: str | None, shown: Sequence[Shown]) -> str:
    """Return the page of models that stand side by side, and have the same languages."""
    return render(
        "explain.html.jinja",
        styles=["style.css", "explain.css"],
        scripts=["common.js", "matrix.js", "explain.js"],
        languages=shown[0].languages,
        sentence=sentence,
        reference=reference,
        models=shown,
        data=[_data(one) for one in shown],
        key=_key,
        number=_number,
        unescape=unescape,  # Moses wrote &apos; for '
    )


def _number(value: float) -> str:
    """Return log p with two decimals, without the sign of -0.00."""
    return f"{round(value, 2) + 0.0:.2f}"


def _text(unit: Unit) -> str:
    return unescape(unit.text)


def _key(shown: Shown) -> dict[str, str]:
    """Return the entries of the key below the matrices, by the class of their sign."""
    explanation, rows = shown.explanation, shown.rows.values()
    units = [*explanation.source, *(unit for one in rows for unit in one.units)]
    entries = {
        "shade": (explanation.attends, "weight, 0 to 100%"),
        "window": (any(one.spans for one in rows), "window"),
        "position": (any(one.spans for one in rows), "p_t"),
        "gold": (any(one.read for one in rows), "link of an unknown word"),
        "dotted": (not all(unit.known for unit in units), "not in the vocabulary"),
    }
    return {sign: text for sign, (is_there, text) in entries.items() if is_there}


def _data(shown: Shown) -> dict[str, Any]:
    """Return what the script draws: a matrix for each candidate, and one for the reference."""
    drawn = {rank: _matrix(shown.explanation, one) for rank, one in shown.rows.items()}
    reference = drawn.pop("reference", None)
    return {
        "candidates": [
            {"label": f"Candidate {rank}", "matrix": matrix} for rank, matrix in drawn.items()
        ],
        "reference": {"label": "Reference", "matrix": reference} if reference else None,
    }


def _matrix(explanation: Explanation, explained: Explained) -> dict[str, Any]:
    """Return one matrix as ``matrix.js`` takes it; without attention it has no columns of weights."""
    source = explanation.source if explanation.attends else []
    columns = [{"head": "log p", "cells": [_number(value) for value in explained.log_p]}]
    if explained.spans:
        columns.append({"head": "p_t", "cells": [f"{span.p:.1f}" for span in explained.spans]})
    return {
        "source": [_text(unit) for unit in source],
        "target": [_text(unit) for unit in explained.units],
        "weights": [round(100 * weight) for row in explained.weights for weight in row],
        "gold": [(s, t) for t, s in explained.read],
        "spans": [span._asdict() for span in explained.spans],
        "columns": columns,
        "unknown": {
            "source": [not unit.known for unit in source],
            "target": [not unit.known for unit in explained.units],
        },
    }
