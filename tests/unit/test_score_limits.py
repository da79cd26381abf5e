"""Scores at the limits of their definition, each against sacrebleu's own numbers."""

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from attnmt.corpora.links import GoldLinks
from attnmt.scoring.alignment import score_links
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.text.reference_links import ReferenceLinks

LONG = ["a b c d e", "f g h i j"]
SHORT = ["Ja .", "Nein .", "Das Haus ."]
JUDGES = {
    "tokenized": BLEU(tokenize="none", smooth_method="none", force=True),
    "nist": BLEU(force=True),
    "sacrebleu": BLEU(force=True),
    "chrf": CHRF(),
    "ter": TER(),
}
# Translations, references, and the scores in the order of JUDGES.
CASES = {
    "right but short": (SHORT, SHORT, [0, 0, 0, 100, 0]),
    "no four in a row": (["a b x c d", "f g y h i"], LONG, [0, 21.3644, 21.3644, None, None]),
    "short references": (
        *(["a b c d e", "f g h i"], ["a b c", "f g"]),
        [0, 29.8475, 29.8475, 79.6545, 80],
    ),
    "nothing right": (["q q q q q"] * 2, LONG, [0, 0, 0, 0, 100]),
    "empty": (["", " "], LONG, [0, 0, 0, 0, 100]),
    "one line": (["a b c d f"], LONG[:1], [66.874, 66.874, 66.874, 54.3333, 20]),
    "nothing special": (["a b c d x", "f g h i j"], LONG, [83.7592, 83.7592, 83.7592, None, 10]),
}


@pytest.mark.parametrize("script", JUDGES)
@pytest.mark.parametrize(("translations", "references", "scores"), CASES.values(), ids=CASES)
def test_a_score_at_the_limits_is_sacrebleus(translations, references, scores, script):
    found, _ = METRICS[script].score(translations, References(references), samples=100)
    judged = JUDGES[script].corpus_score(translations, [references])
    assert found.value == pytest.approx(judged.score, abs=1e-4)
    expected = dict(zip(JUDGES, scores, strict=True))[script]
    assert expected is None or found.value == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("links", "gold", "rate"),
    [
        ([[(0, 0), (0, 1)]] * 2, [[(0, 0)], []], 0.75),  # one of four links is possible
        ([[(0, 0)]] * 2, [[], []], 1),
    ],
)
def test_an_error_rate_without_sure_links(links, gold, rate):
    reference = ReferenceLinks("gold", [GoldLinks([], line) for line in gold])
    assert score_links(links, reference, 100)[0].value == rate
