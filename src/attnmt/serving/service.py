"""A model or an ensemble behind a server: text in; translation, score and alignment out.

The first command serves the best model, and the second one translates a sentence::

    attnmt serve
    curl 127.0.0.1:5001/invocations -H 'Content-Type: application/json' \\
        -d '{"inputs": ["Anna is reading the old letter."], "params": {"n_best": 3}}'
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, FailFast, Field, PositiveInt, ValidationError

from attnmt.config import Decoding, Params
from attnmt.config.strict import Strict
from attnmt.corpora.links import format_links
from attnmt.errors import InputError
from attnmt.files.yaml_file import explained

if TYPE_CHECKING:
    from attnmt.decoding.text_translator import TextTranslator
    from attnmt.reporting.explain_facts import About, Shown

# The limits of a request, so that no request occupies the server for minutes. A wider beam finds nothing
# better, and the cost of a translation grows with its length and the beam.
MOST_BEAM = 100
MOST_CHARACTERS = 1_000  # in a sentence
MOST_WORK = 200_000  # characters of all sentences, times the beam
MOST_FAULTS = 5  # that a refusal names

Schema = TypeVar("Schema", bound=BaseModel)


class RequestParams(Strict):
    """The parameters of a request."""

    # 0, which no request may have, is the experiment's
    beam: Annotated[PositiveInt, Field(le=MOST_BEAM)] = 0
    n_best: PositiveInt = 1  # the most translations of a sentence to return


class Question(Strict):
    """A request to the server."""

    inputs: Annotated[list[str], FailFast()]  # the sentences, each of one line
    params: RequestParams = RequestParams()


class Service:
    """What is served: one model, or one ensemble."""

    def __init__(self, translator: "TextTranslator", params: Params, name: str) -> None:
        """Take a loaded model of an experiment, and its name there."""
        self._translator = translator
        self.params, self.name = params, name

    @property
    def about(self) -> "About":
        """What is served."""
        from attnmt.reporting.explain_facts import about

        return about(self.params, self.name, self._translator)

    def explain(self, sentence: str) -> "Shown":
        """Explain the translation of a sentence.

        Raises:
            InputError: if the sentence is too long, has several lines or no words, or cannot be read.
        """
        from attnmt.decoding.explanation import CANDIDATES, explain
        from attnmt.reporting.explain_facts import Shown

        _refuse_too_much([sentence], self._translator.options.beam)
        candidates = min(CANDIDATES, self.params.decoding.candidates)
        explanation = explain(self._translator, sentence, candidates=candidates)
        return Shown(self.about, explanation)

    def answer(self, request: Any) -> list[dict[str, Any]]:
        """Translate the sentences of a request, which should have the form of ``Question``.

        Returns:
            The translations, sentence by sentence, the best first. Each has ``line``, the number of
            its sentence from 0; ``translation``, plain text; ``score``, log p; ``alignment``, Pharaoh
            links, source-target, between the words in ``source`` and ``target``.

        Raises:
            InputError: if the request has another form, or is too large.
        """
        asked, decoding = _validated(Question, request), self.params.decoding
        sentences, n_best = asked.inputs, asked.params.n_best
        beam = asked.params.beam or decoding.beam
        # The experiment's limit of n_best holds here, too.
        limited = decoding.model_dump() | {"beam": beam, "n_best": n_best}
        _validated(Decoding, limited, "params.")
        _refuse_too_much(sentences, beam)
        options = replace(self._translator.options, beam=beam, best=n_best)
        return [
            {
                "line": line,
                "translation": best.text,
                "score": best.score,
                "alignment": format_links(best.links),
                "source": best.source,
                "target": best.replaced,
            }
            for line, translations in enumerate(self._translator.translate(sentences, options))
            for best in translations
        ]


def _validated(model: type[Schema], values: Any, before: str = "") -> Schema:
    """Return values as ``model`` describes them; ``before`` stands before a faulty key.

    Raises:
        InputError: if there are other keys, or a value is not valid.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        faults = [explained(details, model) for details in error.errors()[:MOST_FAULTS]]
        lines = [
            f"{before}{'.'.join(map(str, key)) or 'the request'}: {message}"
            for key, message in faults
        ]
        raise InputError("; ".join(lines)) from None


def lines_in(text: str) -> list[str]:
    """Return the lines of a text that are not blank, whatever character ends a line."""
    return [line for line in text.splitlines() if line.strip()]


def refuse_lines(text: str, what: str) -> None:
    """Refuse several lines where one sentence is asked for; ``what`` names the text.

    Raises:
        InputError: if more than one line of the text is not blank.
    """
    if (count := len(lines_in(text))) > 1:
        raise InputError(f"{what}: it has {count} lines; give each line as a sentence of its own")


def _refuse_too_much(sentences: Sequence[str], beam: int) -> None:
    """Refuse sentences of several lines, and more than a request may have."""
    for line, sentence in enumerate(sentences):
        if len(sentence) > MOST_CHARACTERS:
            raise InputError(
                f"sentence {line}: it has {len(sentence)} characters, and at most {MOST_CHARACTERS} "
                f"are translated; divide it"
            )
        refuse_lines(sentence, f"sentence {line}")
    characters = sum(map(len, sentences))
    if characters * beam > MOST_WORK:
        raise InputError(
            f"{len(sentences)} sentences: they have {characters} characters, and with a beam of "
            f"{beam} a request may have {MOST_WORK // beam}; send several requests"
        )
