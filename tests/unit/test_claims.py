"""claims.yaml loads; a mistake in it is named with its place."""

import csv
import shutil
from statistics import mean

import pytest
from small_project import ROOT

from attnmt.config.claims import CLAIMS, project_claims
from attnmt.config.systems import Systems
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile

SYSTEMS = YamlFile.read(ROOT / "systems.yaml").into(Systems)
CLAIMED = project_claims(ROOT)
with (ROOT / "src/attnmt/scoring/printed/tables.csv").open(newline="") as stream:
    PRINTED = {(line["table"], line["row"]): line for line in csv.DictReader(stream)}


def published(table, system, measure):
    """Return a published number of a system, which Table 4 prints before and after replacement."""
    after = measure == "bleu_replaced"
    columns = {"perplexity": "ppl", "aer": "aer"}
    column = columns.get(measure, "bleu_unk" if after and table == "table4" else "bleu")
    rows = SYSTEMS.tables[table].rows.items()
    key = next(
        key
        for key, row in rows
        if row.system == system and row.replaced == (after and table != "table4")
    )
    return float(PRINTED[table, key][column])


@pytest.mark.parametrize(
    "key",
    [
        *("table1_reverse", "table1_dropout", "table1_global", "table1_feeding", "table1_local"),
        *("table1_ensemble", "table3_global", "table3_feeding", "table3_dot_dropout"),
        *("table4_dot_global", "table4_general_local", "table4_local_p", "table4_concat"),
        "table6_local_m",
    ],
)
def test_sizes_equal_the_published_ones(key):
    """A mean is compared with a mean; where each counts, the least of ours with the best other."""
    claim, table = CLAIMED[key], key.partition("_")[0]
    ours, other = (
        [published(table, name, claim.measure) for name in names]
        for names in (claim.systems, claim.over)
    )
    if claim.compare == "each":
        assert claim.sign == "greater"
        assert claim.size == pytest.approx(min(ours) - max(other))
    else:
        assert claim.size == pytest.approx(mean(ours) - mean(other))


def test_sizes_of_gains_by_replacement_are_the_published_ones():
    def gain(names):
        measures = ("bleu_replaced", "bleu")
        after, before = (
            mean(published("table4", n, measure) for n in names) for measure in measures
        )
        return after - before

    every, location = CLAIMED["replacement"], CLAIMED["replacement_location"]
    assert every.size == pytest.approx(gain(every.systems))
    assert location.size == pytest.approx(gain(location.systems) - gain(location.over), abs=0.05)


FIRST, GRU = "table1_reverse", "gru_self"


@pytest.mark.parametrize(
    ("claim", "old", "new", "place", "word"),
    [
        (FIRST, "[base_reverse]\n", "[base_revers]\n", "", "'base_reverse'?"),
        (FIRST, "over: [base]", "ovr: [base]", ".ovr", "'over'?"),
        (GRU, "over: [gru_self]", "over: [gru_multiplicative]", ".over", "systems"),
        (FIRST, "over: [base]", "compare: each", ".over", "'each'"),
        (FIRST, "over: [base]", "over: [base, ensemble]\n    compare: paired", ".over", "'paired'"),
        (FIRST, "sign: greater", "sign: less", ".size", "contradicts"),
        (FIRST, "    systems: [base_reverse]\n", "", ".systems", "variants"),
        (GRU, "    variants:", "    over: [base]\n    variants:", ".systems", "variants"),
    ],
)
def test_mistakes_are_named(tmp_path, claim, old, new, place, word):
    shutil.copy(ROOT / "systems.yaml", tmp_path)
    text, path = (ROOT / CLAIMS).read_text(), tmp_path / CLAIMS
    head, name, rest = text.partition(f"\n  {claim}:\n")
    assert old in rest
    path.write_text(head + name + rest.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        project_claims(tmp_path)
    assert f": claims.{claim}{place}: " in str(error.value)
    assert str(error.value).startswith(f"{path}:")
    assert word in str(error.value)
