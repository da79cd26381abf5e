"""Translate a sentence with packed weights, and show the attention weights of each word.

    python examples/translate.py "Trosto visits a woman every day."
    python examples/translate.py "Trosto visits a woman every day." my-weights

docs/extending.md explains each name of attnmt here.
"""

import sys
from pathlib import Path

import attnmt

READY_MADE = Path(__file__).parents[1] / "weights/demo"


def main(sentence: str, weights: Path | str = READY_MADE) -> None:
    """Print the translation, its links, and the attention matrix in percent."""
    translator = attnmt.load(weights)
    best = translator.translate(sentence)
    print(f"{best.text}    log p {best.score:.2f}")
    print(" ".join(f"{best.source[i]}-{best.replaced[j]}" for i, j in best.links))

    explanation = translator.explain(sentence)
    first = explanation.candidates[0]
    print(f"\n{'':12}", *(f"{unit.text[:7]:>7}" for unit in explanation.source))
    for unit, row in zip(first.units, first.weights, strict=True):
        print(f"{unit.text:12}", *(f"{100 * weight:7.0f}" for weight in row))


if __name__ == "__main__":
    main(*sys.argv[1:])
