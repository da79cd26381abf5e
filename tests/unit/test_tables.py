"""Table 1 from made-up scores, and the README's copy of it."""

import csv
import io
import itertools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files import write_json
from attnmt.reporting.paper import paper_rows, tables_of
from attnmt.reporting.readme import markers, readme_with_table
from attnmt.reporting.tables import latex, markdown, table1, write_table

ROOT = Path(__file__).parents[2]
SIGNATURE = "BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:none|smooth:none|version:2.6.0"
DIGEST = "0123456789abcdef" * 4


def bleu(value):
    return {
        "value": value,
        "low": value - 1,
        "high": value + 1,
        "signature": SIGNATURE,
        "lines": 500,
    }


def write_scores(params, model, seed, value, **changes):
    """Write scores: BLEU ``value``, 2 more after replacement, perplexity 100 less ``value``."""
    test = {
        "perplexity": 100.0 - value,
        "lines": 500,
        "reference": "x",
        "reference_sha256": DIGEST,
        "before": {"tokenised": bleu(value), "nist": bleu(value - 0.5)},
        "after": {"tokenised": bleu(value + 2), "nist": bleu(value + 1.5)},
    }
    scores = {
        "stage": "evaluate",
        "profile": params.profile,
        "model": model,
        "seed": seed,
        "direction": "en-de",
        "beam": 5,
        "dataset_digest": DIGEST[::-1],
        "sets": {params.sets.tests[0]: test | changes},
    }
    write_json(Path("scores", params.profile, f"{model}-{seed}.json"), scores)


@pytest.fixture
def profile(tmp_path, monkeypatch):
    """Return a function that loads a profile with other values of ``run`` or ``sets``."""
    monkeypatch.chdir(tmp_path)

    def load(**changes):
        params = load_params(ROOT / "params.yaml", ROOT)
        seeds, tests = changes.get("seeds", [1]), changes.get("tests", params.sets.tests)
        models = changes.get("models", params.run.models)
        run = params.run.model_copy(update={"seeds": seeds, "models": models})
        sets = params.sets.model_copy(update={"tests": tests})
        return params.model_copy(update={"run": run, "sets": sets})

    return load


def filled(params, start=10.0):
    for step, model in enumerate(params.run.models):
        for seed in params.run.seeds:
            write_scores(params, model, seed, start + step + 0.25 * seed)
    return table1(params)


def rows_by_system(table):
    return {row["system"]: row for row in table.rows}


def test_the_paper_file_agrees_with_its_own_gains():
    rows = paper_rows("Table 1")
    assert [row.bleu for row in rows] == [
        20.7,
        16.5,
        19,
        21.6,
        11.3,
        12.6,
        14,
        16.8,
        18.1,
        19,
        20.9,
        23,
    ]
    for above, row in itertools.pairwise(rows):
        if row.gain:
            assert row.bleu - above.bleu == pytest.approx(float(row.gain))
    assert tables_of("base") == ["Table 1"]
    assert tables_of("unheard_of") == []


def test_every_model_of_the_paper_file_is_one_of_the_paper_profile():
    known = load_params(ROOT / "profiles/wmt14/params.yaml", ROOT).models
    assert {row.model for row in paper_rows()} - {None} <= set(known)


def test_each_row_stands_beside_its_own_model(profile):
    table = filled(profile())
    rows = rows_by_system(table)
    assert [row["system"] for row in table.rows] == [row.system for row in paper_rows("Table 1")]
    base = rows["Base"]
    assert (base["paper_ppl"], base["ppl"], base["paper_bleu"], base["bleu"]) == (
        10.6,
        89.75,
        11.3,
        10.25,
    )
    assert (base["bleu_low"], base["bleu_high"], base["difference"]) == (9.25, 11.25, -1.05)
    reverse = rows["Base + reverse"]
    assert (reverse["model"], reverse["gain"], reverse["paper_gain"]) == (
        "base_reverse",
        1.0,
        "+1.3",
    )
    replaced = table.rows[-2]
    assert replaced["system"].endswith("unk replace")
    assert (replaced["bleu"], replaced["gain"], replaced["model"]) == (
        17.25,
        2.0,
        "local_p_general_feed",
    )
    assert replaced["number"] == "tokenised BLEU, after unknown-word replacement"
    for row in [*table.rows[:4], table.rows[-1]]:  # other people's systems and the ensemble
        assert (
            row["bleu"]
            is row["ppl"]
            is row["model"]
            is row["signature"]
            is row["difference"]
            is None
        )


def test_a_profile_with_some_models_leaves_the_others_empty(profile):
    rows = rows_by_system(filled(profile(models=["base_reverse_dropout", "local_p_general_feed"])))
    assert rows["Base + reverse"]["bleu"] is None
    assert rows["Base + reverse + dropout"]["bleu"] == 10.25
    best = rows["Base + reverse + dropout + local-p attention (general) + feed input"]
    assert (best["bleu"], best["gain"]) == (11.25, None)  # the row above it has none of ours


def test_several_seeds_give_mean_deviation_and_mean_bounds(profile):
    base = rows_by_system(filled(profile(seeds=[1, 2, 4])))["Base"]
    assert (base["bleu"], base["bleu_low"], base["bleu_high"]) == (10.58, 9.58, 11.58)
    assert (base["bleu_sd"], base["seeds"]) == (0.38, "1 2 4")
    table = filled(profile(seeds=[1, 2, 4]))
    assert "mean of seeds 1, 2, 4" in markdown(table)
    assert "| 10.6 ± 0.4 |" in markdown(table)


def test_the_csv_starts_with_the_agreed_columns_and_says_what_numbers_are(profile):
    params = profile()
    write_table(filled(params), Path("reports/demo/table1"))
    rows = list(csv.DictReader(io.StringIO(Path("reports/demo/table1.csv").read_text())))
    columns = [
        "system",
        "paper_ppl",
        "ppl",
        "paper_bleu",
        "bleu",
        "bleu_low",
        "bleu_high",
        "difference",
    ]
    assert list(rows[0])[:8] == columns
    base = rows[4]
    assert (base["set"], base["lines"], base["seeds"], base["beam"]) == ("test1", "500", "1", "5")
    assert (base["signature"], base["stage"]) == (SIGNATURE, "evaluate")
    assert base["reference_sha256"] == DIGEST[:12]
    assert base["source"] == "Luong et al. 2015, Table 1"
    assert rows[0]["bleu"] == rows[0]["model"] == ""


def test_the_same_scores_give_the_same_bytes(profile):
    params = profile()
    for folder in ("a", "b"):
        write_table(filled(params), Path(folder, "table1"))
    for end in (".csv", ".md", ".tex"):
        text = Path("a/table1").with_suffix(end).read_bytes()
        assert text == Path("b/table1").with_suffix(end).read_bytes()
        assert b"\r" not in text
        assert text.endswith(b"\n")


def test_the_caption_says_what_compares(profile):
    other = markdown(filled(profile()))
    assert "only the differences between rows" in other
    assert SIGNATURE in other
    assert "test1, 500 sentences, seed 1, beam 5" in other
    same = markdown(filled(profile(tests=["newstest2014"])))
    assert "only the differences" not in same


def test_verdicts_on_the_papers_set_and_elsewhere(profile):
    same = filled(profile(tests=["newstest2014"]), start=10.0).rows
    assert [row["verdict"] for row in same[4:8]] == ["lower", "lower", "lower", "lower"]
    assert filled(profile(tests=["newstest2014"]), start=10.5).rows[4]["verdict"] == "agrees"
    assert filled(profile(tests=["newstest2014"]), start=30).rows[4]["verdict"] == "higher"
    params = profile()
    filled(params)
    write_scores(params, "base_reverse", 1, 5.0)
    rows = table1(params).rows
    assert [row["verdict"] for row in rows[4:7]] == [None, "other order", "same order"]


@pytest.mark.parametrize(
    ("bleu", "verdict"),  # the row above has 10.25 with an interval of 9.25 to 11.25
    [
        (8.24, "other order"),
        (8.25, "within noise"),
        (10.25, "within noise"),
        (12.25, "within noise"),
        (12.26, "same order"),
    ],
)
def test_an_order_needs_intervals_apart(profile, bleu, verdict):
    params = profile()
    filled(params)
    write_scores(params, "base_reverse", 1, bleu)
    table = table1(params)
    assert [row["verdict"] for row in table.rows[4:6]] == [None, verdict]
    assert table.rows[5]["gain"] == round(bleu - 10.25, 2)
    assert "within noise where the interval overlaps that of the row above" in markdown(table)


def test_markdown_has_a_cell_for_every_column(profile):
    lines = [line for line in markdown(filled(profile())).splitlines() if line.startswith("|")]
    assert len(lines) == 2 + 12
    assert {line.count("|") for line in lines} == {9}
    numbers = "9.9 | 88.8 | 12.6 (+1.3) | 11.2 (+1.0) | 10.2–12.2 | -1.4"
    assert lines[7] == f"| Base + reverse | {numbers} | within noise |"


def test_latex_escapes_what_latex_would_read(profile):
    table = filled(profile())
    table.rows[0]["system"] = "50% of A & B_c"
    text = latex(table, label="tab:table1")
    assert r"50\% of A \& B\_c &" in text
    assert r"nrefs:1\textbar{}bs:1000" in text
    assert r"\toprule" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(profile, tmp_path):
    document = r"\documentclass{article}\usepackage{booktabs}\begin{document}%s\end{document}"
    (tmp_path / "t.tex").write_text(document % latex(filled(profile()), label="tab:table1"))
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True)


def test_missing_scores_are_named(profile):
    with pytest.raises(InputError, match=r"scores/demo/base-1.json: no such file"):
        table1(profile())


def test_scores_of_different_references_do_not_stand_in_one_table(profile):
    params = profile()
    filled(params)
    write_scores(params, "base_reverse", 1, 5.0, reference_sha256="f" * 64)
    with pytest.raises(InputError, match=r"base_reverse-1 and of base-1 differ in reference"):
        table1(params)


def test_a_profile_without_models_of_the_table_says_so(profile):
    params = profile(models=[])
    assert "trains none of its models" in markdown(table1(params))


def test_the_readme_takes_the_table_between_its_markers():
    readme = "a\n<!-- table1:demo -->\nold\n<!-- /table1:demo -->\nb\n"
    new = readme_with_table(readme, "| new |\n", "table1:demo")
    assert new == "a\n<!-- table1:demo -->\n| new |\n<!-- /table1:demo -->\nb\n"
    assert readme_with_table(new, "| new |\n", "table1:demo") == new
    assert markers(readme) == [("table1:demo", "table1", "demo")]


@pytest.mark.parametrize("readme", ["", "<!-- t:p -->", "<!-- /t:p --> <!-- t:p -->"])
def test_a_readme_without_both_markers_is_refused(readme):
    with pytest.raises(InputError, match=r"<!-- t:p --> and, below it, <!-- /t:p -->"):
        readme_with_table(readme, "x", "t:p")


def tracked(name: str) -> str:
    """A file as git has it: a run on this machine may have made other reports since."""
    command = ["git", "-C", str(ROOT), "show", f":{name}"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        pytest.skip(f"git has no {name} here")
    return done.stdout


def test_the_readme_shows_the_reports_as_they_are():
    readme = tracked("README.md")
    found = markers(readme)
    assert found
    for marker, table, profile in found:
        text = tracked(f"reports/{profile}/{table}.md")
        assert readme_with_table(readme, text, marker) == readme, "run: attnmt readme"


def test_the_readme_has_no_number_left_to_fill_in():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\*\*[A-Z_]{4,}\*\*", readme) == []
