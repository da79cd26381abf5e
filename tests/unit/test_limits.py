"""What scores say by their definition alone, each case against sacrebleu's own numbers."""

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from attnmt.corpora.links import GoldLinks
from attnmt.scoring import limits
from attnmt.scoring.alignment import score_links
from attnmt.scoring.metric import References
from attnmt.scoring.metrics import METRICS
from attnmt.scoring.reference_links import ReferenceLinks

LONG = ["a b c d e", "f g h i j"]
SHORT = ["Ja .", "Nein .", "Das Haus ."]
BLEUS = ("tokenized", "nist", "sacrebleu")
JUDGES = {
    "tokenized": BLEU(tokenize="none", smooth_method="none", force=True),
    **{script: BLEU(force=True) for script in BLEUS[1:]},
    **{"chrf": CHRF(), "ter": TER()},
}
ALIKE, ONE, BEYOND = limits.ALIKE, limits.ONE, limits.BEYOND
# Translations, references, and of each script the score and the note.
CASES = {
    "right but short": (
        *(SHORT, SHORT),
        dict.fromkeys(BLEUS, (0, f"{limits.SHORT}; {ALIKE}"))
        | {"chrf": (100, ALIKE), "ter": (0, ALIKE)},
    ),
    "no four in a row": (
        *(["a b x c d", "f g y h i"], LONG),
        {"tokenized": (0, f"{limits.UNSMOOTHED}; {ALIKE}")}
        | dict.fromkeys(BLEUS[1:], (21.3644, f"{limits.SMOOTHED}; {ALIKE}")),
    ),
    "short references": (
        *(["a b c d e", "f g h i"], ["a b c", "f g"]),
        {"tokenized": (0, f"{limits.UNSMOOTHED}; {ALIKE}"), "nist": (29.8475, limits.SMOOTHED)}
        | {"sacrebleu": (29.8475, limits.SMOOTHED), "chrf": (79.6545, None), "ter": (80, None)},
    ),
    "nothing right": (
        *(["q q q q q"] * 2, LONG),
        dict.fromkeys(BLEUS, (0, f"{limits.NOTHING}; {ALIKE}"))
        | {"chrf": (0, ALIKE), "ter": (100, ALIKE)},
    ),
    "empty": (
        *(["", " "], LONG),
        dict.fromkeys((*BLEUS, "chrf"), (0, f"{limits.EMPTY}; {ALIKE}"))
        | {"ter": (100, f"{limits.EMPTY}; {ALIKE}")},
    ),
    "one line": (
        *(["a b c d f"], LONG[:1]),
        dict.fromkeys(BLEUS, (66.874, ONE)) | {"chrf": (54.3333, ONE), "ter": (20, ONE)},
    ),
    # A sample without the only long line has a BLEU of 0, so the interval is 67 minus and plus 50.
    "one long line": (
        *(["a b c d", "a", "b", "c"],) * 2,
        dict.fromkeys(BLEUS, (100, BEYOND)) | {"chrf": (100, ALIKE), "ter": (0, ALIKE)},
    ),
    "nothing special": (
        *(["a b c d x", "f g h i j"], LONG),
        dict.fromkeys(BLEUS, (83.7592, None)) | {"ter": (10, None)},
    ),
}


@pytest.mark.parametrize(
    ("case", "script"), [(name, script) for name, (*_, of) in CASES.items() for script in of]
)
def test_a_score_says_what_follows_from_its_definition(case, script):
    translations, references, expected = CASES[case]
    found, _ = METRICS[script].score(translations, References(references), samples=100)
    judged = JUDGES[script].corpus_score(translations, [references])
    value, note = expected[script]
    assert found.value == pytest.approx(judged.score, abs=1e-4)
    assert (found.value, found.note) == (pytest.approx(value, abs=1e-4), note)
    assert (found.low == found.high) == (ALIKE in (note or "") or ONE in (note or ""))
    assert (found.high > 100 and script != "ter") == (BEYOND in (note or ""))


def test_every_script_has_a_case_and_every_sentence_is_found_again():
    assert {script for *_, of in CASES.values() for script in of} == set(METRICS)
    assert not [sentence for sentence in limits.SENTENCES if ";" in sentence]
    note = limits.note_of("unknown words are looked up at the next step", *limits.SENTENCES)
    assert limits.limits_in(note) == [*limits.SENTENCES]
    assert limits.limits_in(None) == limits.limits_in("4 sure and 5 possible gold links") == []


def test_groups_of_short_sentences_say_why_their_bleu_is_0():
    lines = ["a b", "c d", "a b c d e", "f g h i j"]
    metric = METRICS["tokenized"]
    counts = metric.counts(lines, References(lines))
    assert metric.noted(counts[:2], lines[:2]) == (0, limits.SHORT)
    assert metric.noted(counts[2:], lines[2:]) == (100, None)


@pytest.mark.parametrize(
    ("links", "gold", "rate", "note"),
    [
        # Without sure links, one of four is a possible one.
        ([[(0, 0), (0, 1)]] * 2, [[(0, 0)], []], 0.75, limits.NO_SURE),
        ([[(0, 0)]] * 2, [[], []], 1, f"{limits.NO_LINKS}; {ALIKE}"),
    ],
)
def test_an_error_rate_without_sure_links_says_so(links, gold, rate, note):
    reference = ReferenceLinks("gold", [GoldLinks([], line) for line in gold])
    score, _ = score_links(links, reference, 100)
    assert score.value == rate
    count = sum(map(len, gold))
    assert score.note == f"0 sure and {count} possible gold links; {note}"


def test_what_all_trainings_say_is_said_of_their_system():
    links = "4 sure and 5 possible gold links"
    notes = [f"{links}; read at the same step; {ALIKE}", f"{links}; read at the next step"]
    assert limits.common_note(notes) == links
    assert limits.common_note([*notes, None]) is None
    for own in (ALIKE, ONE, BEYOND):  # of the interval of each training, and not of their mean's
        assert limits.common_note([f"{own}; {links}"] * 2) == links


@pytest.mark.parametrize(
    ("low", "high", "most", "said"),
    [
        (-0.1, 5, 100, [limits.WIDE]),
        (90, 100.5, 100, [limits.WIDE]),
        (90, 100.5, None, []),
        (0, 100, 100, []),
        (7, 7, 100, [limits.SAME]),
    ],
)
def test_the_interval_of_a_mean_says_where_it_cannot_be_the_scores(low, high, most, said):
    assert limits.of_mean(low, high, most) == said
