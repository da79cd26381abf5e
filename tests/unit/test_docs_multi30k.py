"""What docs/results.md says of Multi30k's captions is what the report says."""

import re
from collections import Counter

import pytest
from results_page import count_of_verdicts, rows, section, verdicts


@pytest.fixture
def text() -> str:
    return section("What real captions say")


def test_verdicts_are_counted_as_in_the_table(text: str) -> None:
    assert count_of_verdicts("multi30k") in text


def test_verdicts_that_agree_with_the_study_are_counted(text: str) -> None:
    study, ours = verdicts("study"), verdicts("multi30k")
    assert study.keys() == ours.keys()
    pairs = Counter((study[key], verdict) for key, verdict in ours.items())
    confirmed, refuted = pairs["confirmed", "confirmed"], pairs["refuted", "refuted"]
    assert f"{confirmed} claims are confirmed in both experiments" in text
    assert f"{refuted} are refuted in both" in text
    assert "No claim gets opposite verdicts" in text
    assert pairs["confirmed", "refuted"] + pairs["refuted", "confirmed"] == 0


def test_no_system_is_nearer_to_the_links_than_the_diagonal(text: str) -> None:
    table = [row for row in rows("multi30k", "tables/table6") if row["aer"]]
    (diagonal,) = (float(row["aer"]) for row in table if row["system"].startswith("diagonal"))
    assert f"which has an AER of {diagonal:.2f}" in text
    models = [row for row in table if row["aer_same"]]
    assert len(models) == 4
    assert all(min(float(row["aer_same"]), float(row["aer_next"])) > diagonal for row in models)


def test_no_gain_of_dropout_or_input_feeding_is_decided(text: str) -> None:
    ours = {row["key"]: row for row in rows("multi30k", "claims")}
    keys = ("table1_dropout", "table1_feeding", "table3_feeding")
    assert {ours[key]["verdict"] for key in keys} == {"undecided"}
    dropout, *feeding = (f"{float(ours[key]['detectable']):.1f}" for key in keys)
    assert (
        f"one of {dropout} BLEU for dropout, and of {' or '.join(feeding)} for input feeding"
        in text
    )


def test_with_the_general_score_global_attention_is_beside_local_p(text: str) -> None:
    table = {row["system"]: row for row in rows("multi30k", "tables/table4")}
    systems = ("global (location)", "global (general)", "local-p (general)")
    location, general, local = (f"{float(table[name]['bleu']):.1f}" for name in systems)
    assert f"{location} BLEU with the location score and {general} with the general" in text
    assert f"Local-p with the general score has {local}" in text


def test_the_rates_on_hand_made_links_are_those_of_the_file(text: str) -> None:
    rates = {row["system"]: float(row["aer"]) for row in rows("multi30k", "hand_aligned")}
    assert f"the ensemble has an AER of {rates['ensemble']:.2f}" in text
    papers = [name for name in rates if re.fullmatch(r"(global|local_[mp])_\w+(?<!_bpe)", name)]
    best = min(papers, key=rates.__getitem__)
    assert best == "local_m_dot_feed"
    assert (
        f"local-m with the dot score has the lowest AER, {rates[best]:.2f}. The diagonal has "
        f"{rates['diagonal']:.2f}."
    ) in text
