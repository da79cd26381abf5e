"""Parameters of other pairs of languages than the demo's."""

from attnmt.config import Languages, Params, Rule


def languages(source: str, target: str, rule: Rule = "moses") -> Languages:
    """Return a pair of languages, each given as "fr French"."""
    sides = (side.partition(" ") for side in (source, target))
    described = ({"code": code, "name": name, "tokenize": rule} for code, _, name in sides)
    return Languages.model_validate(dict(zip(("source", "target"), described, strict=True)))


def in_languages(params: Params, source: str, target: str, rule: Rule = "moses") -> Params:
    """Return parameters of another pair of languages, as :func:`languages` takes it."""
    return params.model_copy(update={"languages": languages(source, target, rule)})
