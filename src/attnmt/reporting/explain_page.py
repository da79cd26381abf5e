"""The page that explains the translation of one sentence: one HTML file, drawn as the report is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attnmt.decoding.explanation import Explained, Explanation
from attnmt.reporting.explain_facts import (
    About,
    Shown,
    columns_of,
    how_it_attends,
    number,
    text_of,
    what_is_read,
    what_replaced,
    what_was_learned,
)
from attnmt.reporting.templates import render


@dataclass(frozen=True)
class Form:
    """What a server shows above the explanation."""

    text: str  # what stands in the field
    example: str  # a sentence to click on; "" if none is known
    fault: str  # why the text was refused; "" if it was not
    most: int  # the most characters that are accepted


def make_explain_page(
    models: Sequence[About],
    sentence: str,
    reference: str | None,
    shown: Sequence[Shown],
    form: Form | None = None,
) -> str:
    """Return the page of models that stand side by side, and have the same languages.

    Args:
        reference: a given translation; the explanations have it, too.
        shown: what each model does; none if only the form is to be shown.
        form: None makes a page that sends nothing anywhere.
    """
    return render(
        "explain.html.jinja",
        styles=["style.css", "explain.css"],
        scripts=["common.js", "matrix.js", "explain.js"],
        languages=models[0].languages,
        learned=what_was_learned(models),
        sentence=sentence,
        reference=reference,
        form=form,
        models=shown,
        data=[_data(one) for one in shown],
        key=_key,
        number=number,
        text_of=text_of,
        reads=what_is_read,
        attends=how_it_attends,
        replaced=what_replaced,
    )


def _key(shown: Shown) -> dict[str, str]:
    """Return the entries of the key below the matrices, by the class of their sign."""
    explanation, rows = shown.explanation, shown.rows.values()
    units = [*explanation.source, *(unit for one in rows for unit in one.units)]
    key = {}
    if explanation.attends:
        key["shade"] = "weight, 0 to 100%"
    if any(one.spans for one in rows):
        key |= {"window": "window", "position": "p_t"}
    if any(one.read for one in rows):
        key["gold"] = "link of an unknown word"
    if not all(unit.known for unit in units):
        key["dotted"] = "not in the vocabulary"
    return key


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
    columns = columns_of(explained).items()
    return {
        "source": [text_of(unit) for unit in source],
        "target": [text_of(unit) for unit in explained.units],
        "weights": [round(100 * weight) for row in explained.weights for weight in row],
        "gold": [(s, t) for t, s in explained.read],
        "spans": [span._asdict() for span in explained.spans],
        "columns": [{"head": head, "cells": cells} for head, cells in columns],
        "unknown": {
            "source": [not unit.known for unit in source],
            "target": [not unit.known for unit in explained.units],
        },
    }
