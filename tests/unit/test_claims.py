"""claims.yaml loads; a mistake in it is named with its place."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from small_project import ROOT

from attnmt.config.claims import CLAIMS, Claim, load_claims
from attnmt.config.systems import Systems
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile

Write = Callable[[str, bytes], Path]
SYSTEMS = YamlFile.read(ROOT / "systems.yaml").into(Systems)
FOUND = load_claims(ROOT / CLAIMS, SYSTEMS)


def published(table: str, row: str, column: str) -> float:
    file = ROOT / "src/attnmt/reporting/published/tables.csv"
    with file.open(newline="") as stream:
        rows = {(line["table"], line["row"]): line for line in csv.DictReader(stream)}
    return float(rows[table, row][column])


def test_every_table_and_figure_with_scores_of_ours_has_claims() -> None:
    places = " ".join(claim.where for claim in FOUND.values())
    for place in (
        "Table 1",
        "Table 3",
        "Table 4",
        "Table 6",
        "Figure 5",
        "Figure 6",
        "course report",
    ):
        assert place in places


@pytest.mark.parametrize(
    ("key", "column", "row", "over"),
    [
        ("table1_reverse", "bleu", "reverse", "base"),
        ("table1_dropout", "bleu", "dropout", "reverse"),
        ("table1_global", "bleu", "global", "dropout"),
        ("table1_feeding", "bleu", "global_feed", "global"),
        ("table1_local", "bleu", "local_p", "global_feed"),
        ("table1_ensemble", "bleu", "ensemble", "local_p_unk"),
        ("table3_global", "bleu", "global", "base"),
        ("table3_feeding", "bleu", "global_feed", "global"),
        ("table3_dot_dropout", "bleu", "global_dot", "global_feed"),
        ("table4_dot_global", "bleu_unk", "global_dot", "global_location"),
        ("table4_general_local", "bleu_unk", "local_p_general", "local_p_dot"),
        ("table4_local_p", "bleu_unk", "local_p_general", "global_dot"),
        ("table6_local_m", "aer", "local_m_general", "global_location"),
    ],
)
def test_sizes_equal_the_published_ones(key: str, column: str, row: str, over: str) -> None:
    table = key.partition("_")[0]
    size = published(table, row, column) - published(table, over, column)
    assert FOUND[key].size == pytest.approx(size)


def test_sizes_of_several_systems_are_the_published_ones() -> None:
    rows = {row.system: key for key, row in SYSTEMS.tables["table4"].items()}

    def gain(system: str) -> float:
        row = rows[system]
        return published("table4", row, "bleu_unk") - published("table4", row, "bleu")

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    every, location = FOUND["replacement"], FOUND["replacement_location"]
    assert every.size == pytest.approx(mean([gain(name) for name in every.systems]))
    others = mean([gain(name) for name in location.over or []])
    assert location.size == pytest.approx(gain(*location.systems) - others, abs=0.05)
    concat = FOUND["table4_concat"]
    means = [
        mean([published("table4", rows[name], "ppl") for name in names])
        for names in (concat.systems, concat.over or [])
    ]
    assert concat.size == pytest.approx(means[0] - means[1])
    order = FOUND["table4_order"].published or {}
    assert order == {name: published("table4", rows[name], "bleu_unk") for name in order}


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ("[base_reverse]\n    over", "[base_revers]\n    over", "systems.0", "'base_reverse'?"),
        ("over: [base]", "over: [bass]", "over.0", "did you mean 'base'?"),
        ("over: [base]", "ovr: [base]", "ovr", "unknown key; did you mean 'over'?"),
        ("over: [base]", "over: [base_reverse]", "over.0", "is in systems, too"),
        ("over: [base]", "over: []", "over", "at least 1 item"),
        ("over: [base]", "over: [base, base]", "over.1", "name it once"),
        ("over: [base]", "compare: each", "over", "'each' needs this key"),
        ("over: [base]", "compare: paired", "over", "'paired' needs this key"),
        (
            "over: [base]",
            "over: [base, ensemble]\n    compare: paired",
            "systems",
            "'paired' compares one system with one other",
        ),
        (
            "over: [base]",
            "over: [base]\n    compare: rank",
            "over",
            "a rank correlation takes no other",
        ),
        ("over: [base]", "compare: rank", "systems", "needs three systems or more"),
        ("over: [base]", "rank_with: aer", "published", "only a rank correlation"),
        ("sign: greater", "sign: same", "bound", "'same' needs a bound > 0"),
        (
            "sign: greater",
            "sign: same\n    bound: 2\n    compare: each",
            "sign",
            "greater or less",
        ),
        ("sign: greater", "sign: greater\n    bound: 1\n    compare: each", "bound", "against 0"),
        (
            "sign: greater",
            "sign: less",
            "size",
            "1.3 contradicts the sign (less, bound 0.0)",
        ),
        ("sign: greater", "sign: more", "sign", "Input should be 'greater', 'less' or 'same'"),
        ("size: 1.3", "size: '1.3'", "size", "a number in quotes is text"),
        ("differs: []", "note: none", "differs", "this key is missing"),
    ],
)
def test_mistakes_are_named(write: Write, old: str, new: str, key: str, message: str) -> None:
    text = (ROOT / CLAIMS).read_text()
    assert old in text
    path = write(CLAIMS, text.replace(old, new, 1).encode())
    with pytest.raises(InputError) as error:
        load_claims(path, SYSTEMS)
    line = next(line for line in str(error.value).splitlines() if message in line)
    assert line.startswith(f"{path}:")
    assert f": claims.table1_reverse.{key}: " in line


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ("      global_dot_feed: 20.5\n", "", "published", "a number for each of systems"),
        ("    published:", "    rank_with: aer\n    published:", "rank_with", "one of them"),
        ("    sign: greater", "    sign: greater\n    bound: 1.5", "bound", "not beyond 1.5"),
    ],
)
def test_mistakes_in_an_order_are_named(
    write: Write, old: str, new: str, key: str, message: str
) -> None:
    head, place, rest = (ROOT / CLAIMS).read_text().partition("  table4_order:")
    path = write(CLAIMS, (head + place + rest.replace(old, new, 1)).encode())
    with pytest.raises(InputError, match=message) as error:
        load_claims(path, SYSTEMS)
    assert f"claims.table4_order.{key}: " in str(error.value)


def test_a_claim_holds_within_its_bound() -> None:
    claim = FOUND["table6_correlation"]
    assert isinstance(claim, Claim)
    assert claim.holds(0.4)
    assert not claim.holds(-0.6)
    assert FOUND["figure6_no_loss"].holds(-0.01)
