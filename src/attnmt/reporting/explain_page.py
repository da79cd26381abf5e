"""The page that explains the translation of one sentence: one HTML file, drawn as the report is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attnmt.decoding.explanation import Explained, Explanation
from attnmt.reporting.explain_facts import (
    Shown,
    how_it_attends,
    number,
    text_of,
    what_is_read,
    what_replaced,
)
from attnmt.reporting.templates import render


@dataclass(frozen=True)
class Form:
    """What a server shows above the explanation.

    Attributes:
        languages: source and target.
        text: what stands in the field.
        fault: why the text was refused; "" if it was not.
        most: the most characters that are accepted.
    """

    languages: tuple[str, str]
    text: str
    fault: str
    most: int


def make_explain_page(
    experiment: str,
    sentence: str,
    reference: str | None,
    shown: Sequence[Shown],
    form: Form | None = None,
) -> str:
    """Return the page.

    Args:
        reference: a given translation; the explanations have it, too.
        shown: models side by side, with the same source language; none if only the form is to be shown.
        form: None makes a page that sends nothing anywhere.
    """
    return render(
        "explain.html.jinja",
        styles=["style.css", "explain.css"],
        scripts=["common.js", "matrix.js", "explain.js"],
        forms="self" if form else "none",
        experiment=experiment,
        sentence=sentence,
        reference=reference,
        form=form,
        models=[_model(one) for one in shown],
        data=[_data(one.explanation) for one in shown],
    )


def _model(shown: Shown) -> dict[str, Any]:
    """Return what the template writes about a model."""
    explanation = shown.explanation
    best, *_ = explanation.candidates
    rows = [(str(rank), one) for rank, one in enumerate(explanation.candidates, start=1)]
    if explanation.reference:
        rows.append(("reference", explanation.reference))
    return {
        "name": shown.name,
        "label": shown.label,
        "languages": explanation.languages,
        "translation": best.text,
        "words": _words(explanation),
        "reads": what_is_read(explanation),
        "attends": how_it_attends(explanation),
        "replaced": what_replaced(explanation, best),
        "unit": "piece" if explanation.pieces else "word",
        "beam": explanation.beam,
        "rows": [
            {"rank": rank, "text": one.text, "score": number(one.score), "mean": number(one.mean)}
            for rank, one in rows
        ],
        "key": _key(explanation),
    }


def _words(explanation: Explanation) -> list[list[dict[str, Any]]]:
    """Return the units of each source word."""
    words: list[list[dict[str, Any]]] = []
    for unit in explanation.source:
        if unit.word == len(words):
            words.append([])
        words[unit.word].append({"text": text_of(unit), "known": unit.known})
    return words


def _key(explanation: Explanation) -> dict[str, str]:
    """Return the entries of the key below the matrices, by the class of their sign."""
    shown = [*explanation.candidates, *([explanation.reference] if explanation.reference else [])]
    key = {}
    if explanation.attends:
        key["shade"] = "weight, 0 to 100%"
    if any(one.spans for one in shown):
        key |= {"window": "window", "position": "p_t"}
    if any(one.read for one in shown):
        key["gold"] = "link of an unknown word"
    units = [*explanation.source, *(unit for one in shown for unit in one.units)]
    if not all(unit.known for unit in units):
        key["dotted"] = "not in the vocabulary"
    return key


def _data(explanation: Explanation) -> dict[str, Any]:
    """Return what the script draws: a matrix for each candidate, and one for the reference."""
    reference = explanation.reference
    return {
        "candidates": [
            {"label": f"Candidate {rank}", "matrix": _matrix(explanation, one)}
            for rank, one in enumerate(explanation.candidates, start=1)
        ],
        "reference": (
            {"label": "Reference", "matrix": _matrix(explanation, reference)} if reference else None
        ),
    }


def _matrix(explanation: Explanation, explained: Explained) -> dict[str, Any]:
    """Return one matrix as ``matrix.js`` takes it; without attention it has no columns of weights."""
    source = explanation.source if explanation.attends else []
    columns = [{"head": "log p", "cells": [number(value) for value in explained.log_p]}]
    if explained.spans:
        columns.append({"head": "p_t", "cells": [f"{span.p:.1f}" for span in explained.spans]})
    return {
        "source": [text_of(unit) for unit in source],
        "target": [text_of(unit) for unit in explained.units],
        "weights": [round(100 * weight) for row in explained.weights for weight in row],
        "gold": [(s, t) for t, s in explained.read],
        "spans": [span._asdict() for span in explained.spans],
        "columns": columns,
        "unknown": {
            "source": [not unit.known for unit in source],
            "target": [not unit.known for unit in explained.units],
        },
    }
