"""claims.yaml loads; a mistake in it is named with its place."""

import csv
import shutil
from pathlib import Path
from statistics import mean

import pytest
import yaml
from attnmt.workflow.code import code_of
from git_history import git, versions
from small_project import ROOT

from attnmt.config.claims import CLAIMS, project_claims
from attnmt.config.systems import Systems
from attnmt.errors import InputError
from attnmt.files.yaml_file import YamlFile
from attnmt.scoring.registration import MODULES, decisive, digest_of, registration

PUBLISHED = ROOT / "src/attnmt/scoring/printed/tables.csv"
PAIRED, RANK, EACH = (f"\n    compare: {kind}" for kind in ("paired", "rank", "each"))
ORDER, AMENDED = "table4_order:", "amendments.2"
SYSTEMS = YamlFile.read(ROOT / "systems.yaml").into(Systems)
WHOLE = project_claims(ROOT)
FOUND = WHOLE.claims
DECIDING = ("dictionary", "translate", "evaluate", "gather")
CODE = code_of(*(ROOT / f"stages/{name}.py" for name in DECIDING))
KEPT = 12  # versions with fewer amendments are not compared: until then, entries were rewritten


@pytest.fixture
def project(tmp_path):
    """Return a folder with the paper's systems, for claims about them."""
    shutil.copy(ROOT / "systems.yaml", tmp_path)
    return tmp_path


with PUBLISHED.open(newline="") as stream:
    PRINTED = {(line["table"], line["row"]): line for line in csv.DictReader(stream)}


def published(table, system, measure):
    """Return a published number of a system, which Table 4 prints before and after replacement."""
    after = measure == "bleu_replaced"
    columns = {"perplexity": "ppl", "aer": "aer"}
    column = columns.get(measure, "bleu_unk" if after and table == "table4" else "bleu")
    rows = SYSTEMS.tables[table].items()
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
    claim, table = FOUND[key], key.partition("_")[0]
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

    every, location = FOUND["replacement"], FOUND["replacement_location"]
    assert every.size == pytest.approx(gain(every.systems))
    assert location.size == pytest.approx(gain(location.systems) - gain(location.over), abs=0.05)
    order = FOUND["table4_order"].published
    assert order == {name: published("table4", name, "bleu_replaced") for name in order}


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ("[base_reverse]\n    over", "[base_revers]\n    over", "systems.0", "'base_reverse'?"),
        ("over: [base]", "over: [bass]", "over.0", "did you mean 'base'?"),
        ("over: [base]", "ovr: [base]", "ovr", "unknown key; did you mean 'over'?"),
        ("over: [base]", "over: [base_reverse]", "over", "base_reverse is in systems, too"),
        ("over: [base]", "compare: each", "over", "'each' needs this key"),
        ("over: [base]", f"over: [base, ensemble]{PAIRED}", "over", "one system with one other"),
        ("over: [base]", f"over: [base]{RANK}", "over", "a rank correlation takes no other"),
        ("over: [base]", "compare: rank", "systems", "needs three or more"),
        ("over: [base]", "rank_with: aer", "published", "a rank correlation needs this or"),
        ("sign: greater", "sign: same", "bound", "'same' needs a bound > 0"),
        ("sign: greater", f"sign: greater\n    bound: 1{EACH}", "sign", "against 0"),
        ("sign: greater", "sign: less", "size", "1.3 contradicts the sign (less, bound 0.0)"),
        ("      global_dot_feed: 20.5\n", "", ORDER + "published", "a number for each of systems"),
        ("sign: greater", "sign: greater\n    bound: 1.5", ORDER + "bound", "not beyond 1.5"),
        ("[table6_local_m,", "[table6,", f"{AMENDED}.claims.0", "no claim 'table6'"),
        ("    claims: [table6_local_m", "    # [table6_local_m", f"{AMENDED}.claims", "name the"),
        ('  - date: "2026-11-22"', "  - date: soon", "amendments.0.date", "isoformat string"),
    ],
)
def test_mistakes_are_named(project, old, new, key, message):
    """They are made in the claim that the key names, in the first, or in an amendment."""
    claim, _, key = key.rpartition(":")
    place = key if key.startswith("amendments") else f"claims.{claim or 'table1_reverse'}.{key}"
    text, path = (ROOT / CLAIMS).read_text(), project / CLAIMS
    head, name, rest = text.partition(f"\n  {claim or 'table1_reverse'}:\n")
    assert old in rest
    path.write_text(head + name + rest.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        project_claims(project)
    line = next(line for line in str(error.value).splitlines() if message in line)
    assert line.startswith(f"{path}:")
    assert f": {place}: " in line


def test_all_that_decides_the_claims_is_that_of_the_last_amendment(monkeypatch):
    """If this fails, write an amendment, with the digest that is found here."""
    monkeypatch.chdir(ROOT)
    assert registration(WHOLE, CODE) == WHOLE.digest


def test_amendments_are_only_added():
    """Today's file begins with all amendments of each earlier version."""
    today, compared = WHOLE.amendments, 0
    for version in versions(Path(CLAIMS)):
        earlier = yaml.safe_load(version).get("amendments", [])
        if len(earlier) >= KEPT:
            compared += 1
            assert [
                one.model_dump(exclude_defaults=True) for one in today[: len(earlier)]
            ] == earlier
    assert compared
    if git("rev-parse", "--is-shallow-repository") == b"false\n":
        assert compared > 1  # more than the present file


@pytest.mark.parametrize(
    "change",
    [{"claim": "B."}, {"systems": ["base"]}, {"sign": "less", "size": None}, {"bound": 0.5}],
)
def test_the_digest_covers_what_decides_a_claim(change):
    before = digest_of(WHOLE, {}, {})
    changed = FOUND["table1_reverse"].model_copy(update=change)
    assert digest_of(with_claim(changed), {}, {}) != before
    noted = FOUND["table1_reverse"].model_copy(update={"differs": ["Much."]})
    assert digest_of(with_claim(noted), {}, {}) == before


def with_claim(claim):
    return WHOLE.model_copy(update={"claims": FOUND | {"table1_reverse": claim}})


def test_the_digest_covers_amendments_code_and_the_experiments_that_judge(monkeypatch):
    monkeypatch.chdir(ROOT)
    first, *others = WHOLE.amendments
    rewritten = [first.model_copy(update={"known": "Nothing."}), *others]
    for amendments in (rewritten, others):
        changed = WHOLE.model_copy(update={"amendments": amendments})
        assert digest_of(changed, {}, {}) != digest_of(WHOLE, {}, {})
    code = decisive(CODE)
    assert {f"attnmt.{name}" for name in MODULES} <= code.keys()
    assert {"attnmt.scoring.verdicts", "attnmt.decoding.pipeline"} <= code.keys()
    for module in code:
        assert digest_of(WHOLE, code | {module: "1"}, {}) != digest_of(WHOLE, code, {})
    fewer = WHOLE.model_copy(update={"experiments": ["study"]})
    assert registration(fewer, CODE) != registration(WHOLE, CODE)
    with_demo = WHOLE.model_copy(update={"experiments": [*WHOLE.experiments, "demo"]})
    assert registration(with_demo, CODE) != registration(WHOLE, CODE)  # its file is at the root


def test_an_amended_claim_is_judged_by_both_measures():
    keys = [key for key in WHOLE.judged if key.startswith("table6_local_m")]
    assert keys == ["table6_local_m", "table6_local_m.aer_chosen"]
    registered, amended = (WHOLE.judged[key] for key in keys)
    assert (registered.measure, amended.measure) == ("aer", "aer_chosen")
    assert registered == amended.model_copy(update={"measure": "aer"})


def test_a_claim_holds_within_its_bound():
    claim = FOUND["table6_correlation"]
    assert claim.holds(0.4)
    assert not claim.holds(-0.6)
    assert FOUND["figure6_no_loss"].holds(-0.01)
