"""What the page and the terminal say about an explanation, in the same words."""

from dataclasses import dataclass
from html import unescape

from attnmt.decoding.explanation import Explained, Explanation, Unit


@dataclass(frozen=True)
class Shown:
    """An explanation, with the name of its model or ensemble and the shortest name in the paper."""

    name: str
    label: str
    explanation: Explanation


def text_of(unit: Unit) -> str:
    """Return a unit as people write it; Moses wrote &apos; for '."""
    return unescape(unit.text)


def what_is_read(explanation: Explanation) -> list[str]:
    """Return sentences about the source as the model reads it."""
    units, words = explanation.source, len(explanation.words)
    counted = _counted(words, "word")
    if explanation.pieces:
        counted = f"{_counted(len(units), 'piece')} of {counted}"
    order = "the last one first" if explanation.reverse else "in their order"
    unknown = list(dict.fromkeys(text_of(unit) for unit in units if not unit.known))
    sentences = [f"The encoder reads {counted}, {order}."]
    if unknown:
        sentences.append(
            f"The vocabulary does not have {_listed(unknown)}, so the model reads <unk> there."
        )
    return sentences


def how_it_attends(explanation: Explanation) -> list[str]:
    """Return sentences about the attention and its window."""
    if not explanation.attends:
        return ["It has no attention: the decoder starts from the encoder's last state."]
    if explanation.members > 1:
        return [
            f"The weights are the mean over those of the {explanation.members} models that have "
            "attention.",
            "Explain one of the models alone to see its window.",
        ]
    D = explanation.D
    match explanation.window:
        case "local_m":
            return [
                f"Local-m attention: at step t it weighs the words within D = {D} of p_t = t "
                "(section 3.2).",
                "Words and steps count from 0. When t has passed the last word, p_t stays at that word.",
            ]
        case "local_p":
            return [
                "Local-p attention: it predicts a position, p_t = S sigmoid(v_p · tanh(W_p h_t)) "
                f"(equation 9), with S = {len(explanation.source)} here.",
                f"It weighs the words within D = {D} of floor(p_t) and favors those near p_t "
                "(equation 10). So a row may add up to less than 1. Words count from 0.",
            ]
        case "global":
            return ["Global attention: each step weighs all words."]
    return [f"Its attention is {explanation.window}."]


def what_replaced(explanation: Explanation, explained: Explained) -> list[str]:
    """Return a sentence for each unknown word of a translation, and how such words are linked."""
    if not explained.replacements:
        return ["The translation has no unknown word."]
    sentences = []
    for item in explained.replacements:
        source, text = unescape(item.source_word), unescape(item.text)
        place = f"Word {item.word} is <unk>"
        match item.by:
            case "dictionary":
                how = f"linked to {source!r}. The dictionary translates it: {text!r}."
            case "copy":
                how = f"linked to {source!r}. The dictionary does not have it, so it is copied."
            case "nothing":
                how = "linked to no source word. So it stays <unk>."
        sentences.append(f"{place}, {how}")
    if explanation.attends:
        step = (
            "the step that predicts it"
            if explanation.step == "same"
            else "the next step, whose input it is"
        )
        sentences.append(f"The link is the largest weight at {step}. Words count from 0.")
    return sentences


def number(value: float) -> str:
    """Return log p with two decimals, without the sign of -0.00."""
    return f"{round(value, 2) + 0.0:.2f}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
