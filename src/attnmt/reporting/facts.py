"""Where the numbers of a row come from, as the page's cards say it."""

from collections.abc import Sequence

from attnmt.config import Params
from attnmt.scoring.numbers import Line

FACTS = {  # the fields of a line, by what a card calls them
    "system": "system",
    "family": "family",
    "direction": "direction",
    "seed": "seed",
    "seeds": "trainings",
    "set": "set",
    "sentences": "lines",
    "beam": "beam",
    "signature": "signature",
    "reference SHA-256": "reference",
    "note": "note",
    "trained at commit": "commit",
    "code of the training": "code",
}


def facts(params: Params, lines: Sequence[Line]) -> dict[str, str]:
    """Return where the numbers of some lines come from; each different value stands once."""
    found = {}
    for label, field in FACTS.items():
        values = (getattr(line, field) for line in lines)
        texts = dict.fromkeys(str(value) for value in values if value is not None)
        if texts and not (label == "seeds" and set(texts) == {"1"}):
            found[label] = ", ".join(texts)
    members = [
        member
        for system in dict.fromkeys(line.system for line in lines)
        if system in params.ensembles
        for member in params.translators(system).members
    ]
    return found | ({"members": ", ".join(members)} if members else {})
