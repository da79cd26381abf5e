"""What the page and the terminal say about an explanation, in the same words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import unescape

from attnmt.config import Language, Params
from attnmt.decoding.explanation import Explained, Explanation, Unit
from attnmt.decoding.text_translator import TextTranslator
from attnmt.reporting.attention import label

ORDERS = {
    "forwards": "in their order",
    "backwards": "the last one first",
    "in both directions": "from both ends",
}


@dataclass(frozen=True)
class About:
    """A model or an ensemble: what it is called, and the text that it learned from."""

    experiment: str
    name: str
    label: str  # the shortest name in the paper
    languages: tuple[Language, Language]  # the one that it reads, and the one that it writes
    pairs: int  # of sentences
    vocabulary: tuple[int, int]  # entries of each language
    unit: str  # what an entry is: a word, or a piece of a word


def about(params: Params, name: str, translator: TextTranslator) -> About:
    """Describe a loaded model or ensemble."""
    sides = translator.source, translator.target
    return About(
        experiment=params.experiment,
        name=name,
        label=label(params, name),
        languages=(sides[0].language, sides[1].language),
        pairs=translator.data.lines(params.sets.train),
        vocabulary=(len(sides[0].vocabulary), len(sides[1].vocabulary)),
        unit="piece" if translator.data.pieces else "word",
    )


@dataclass(frozen=True)
class Shown:
    """A model or an ensemble, and how it translates a sentence."""

    about: About
    explanation: Explanation

    @property
    def rows(self) -> dict[str, Explained]:
        """The candidates by their rank, then the reference if there is one."""
        candidates = enumerate(self.explanation.candidates, start=1)
        rows = {str(rank): candidate for rank, candidate in candidates}
        reference = self.explanation.reference
        return rows | ({"reference": reference} if reference else {})


def text_of(unit: Unit) -> str:
    """Return a unit as people write it; Moses wrote &apos; for '."""
    return unescape(unit.text)


def number(value: float) -> str:
    """Return log p with two decimals, without the sign of -0.00."""
    return f"{round(value, 2) + 0.0:.2f}"


def columns_of(one: Explained) -> dict[str, list[str]]:
    """Return the columns of numbers at the right of a matrix, by their headings."""
    columns = {"log p": [number(value) for value in one.log_p]}
    return columns | ({"p_t": [f"{span.p:.1f}" for span in one.spans]} if one.spans else {})


def what_was_learned(models: Iterable[About]) -> list[str]:
    """Return a sentence for each text that models learned from."""
    learners: dict[str, list[str]] = {}
    for one in models:
        (source, target), (read, written) = one.languages, one.vocabulary
        words = f"{read:,} {one.unit}s of {source.name} and {written:,} of {target.name}"
        learned = f"{words}, from {one.pairs:,} pairs of sentences."
        learners.setdefault(learned, []).append(one.label)
    return [f"Learned by {_listed(labels)}: {text}" for text, labels in learners.items()]


def what_is_read(explanation: Explanation) -> list[str]:
    """Return sentences about the source as the model reads it."""
    counted = _counted(len(explanation.words), "word")
    if explanation.pieces:
        counted = f"{_counted(len(explanation.source), 'piece')} of {counted}"
    sentences = [f"The encoder reads {counted}, {ORDERS[explanation.order]}."]
    unknown = dict.fromkeys(text_of(unit) for unit in explanation.source if not unit.known)
    if unknown:
        listed = _listed([*unknown])
        sentences.append(f"The vocabulary does not have {listed}, so the model reads <unk> there.")
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
        how = {
            "dictionary": f"linked to {source!r}. The dictionary translates it: {text!r}.",
            "copy": f"linked to {source!r}. The dictionary does not have it, so it is copied.",
            "nothing": "linked to no source word. So it stays <unk>.",
        }
        sentences.append(f"Word {item.word} is <unk>, {how[item.by]}")
    if explanation.attends:
        same = explanation.step == "same"
        step = "the step that predicts it" if same else "the next step, whose input it is"
        sentences.append(f"The link is the largest weight at {step}. Words count from 0.")
    return sentences


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
