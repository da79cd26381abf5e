"""Table 5: sample translations."""

import csv
import shutil
import subprocess
from pathlib import Path

import pytest
from other_languages import in_languages
from papers import paper_params

from attnmt.errors import InputError
from attnmt.files.text_file import write_lines
from attnmt.layout import Layout
from attnmt.reporting.samples import make_samples, write_samples

ROOT = Path(__file__).parents[2]
LINES = 30
SAMPLED = [0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27]  # 12 of 30
BEST, BASE = "local_p_general_feed", "base"
GERMAN_BEST, GERMAN_BASE = "back_global_dot_feed", "back_base_reverse"


def texts(what, lines=LINES):
    return [f"{what} {line}, 'a_b' | <unk> 5%." for line in range(lines)]


@pytest.fixture
def params(tmp_path, monkeypatch):
    """The demo's parameters, with made-up text and translations."""
    monkeypatch.chdir(tmp_path)
    params = paper_params()
    layout = Layout("demo")
    for test in params.sets.tests:
        for language in ("en", "de"):
            write_lines(layout.raw / f"{test}.{language}", texts(f"{test}.{language}"))
        for name in (BEST, BASE, GERMAN_BEST, GERMAN_BASE):
            write_lines(layout.translations(name) / f"{test}.txt", texts(f"{test} by {name}"))
    return params


def only(params, *names):
    return params.model_copy(
        update={"models": {name: params.models[name] for name in names}, "ensembles": {}}
    )


def test_the_sampled_lines_of_both_directions(params):
    samples = make_samples(params)
    expected = [("forward", "test1", line) for line in SAMPLED]
    expected += [("backward", "test2", line) for line in SAMPLED]
    assert [(sample.direction, sample.set, sample.line) for sample in samples] == expected


def test_a_sample_stands_beside_its_reference_and_both_systems(params):
    samples = make_samples(params)
    texts_shown = [(text.role, text.model, text.text) for text in samples[1].texts]
    assert texts_shown == [
        ("source", None, texts("test1.en")[2]),
        ("reference", None, texts("test1.de")[2]),
        ("best", BEST, texts(f"test1 by {BEST}")[2]),
        ("base", BASE, texts(f"test1 by {BASE}")[2]),
    ]
    texts_shown = [(text.role, text.model, text.text) for text in samples[-1].texts]
    assert texts_shown == [
        ("source", None, texts("test2.de")[27]),
        ("reference", None, texts("test2.en")[27]),
        ("best", GERMAN_BEST, texts(f"test2 by {GERMAN_BEST}")[27]),
        ("base", GERMAN_BASE, texts(f"test2 by {GERMAN_BASE}")[27]),
    ]


def test_systems_are_called_as_in_the_papers_tables(params):
    samples = make_samples(params)
    feed = "Base + reverse + dropout + local-p attention (general) + feed input"
    assert [text.system for text in samples[0].texts] == [
        None,
        None,
        f"{feed} + unk replace",
        "Base",
    ]
    systems = [text.system for text in samples[-1].texts[2:]]
    assert systems == ["+ global (dot) + drop + feed + unk", "Base (reverse)"]


def test_raw_text_that_is_tokens_is_detokenized(params):
    write_lines(Layout("demo").raw / "test1.en", ["It &apos;s well @-@ known ."] * LINES)
    sample = make_samples(in_languages(params, "en English", "de German", "none"))[0]
    assert sample.texts[0].text == "It's well-known."


def test_an_experiment_shows_what_it_has(params):
    samples = make_samples(only(params, BEST, "gru_self"))
    assert {sample.direction for sample in samples} == {"forward"}
    assert [text.role for text in samples[0].texts] == ["source", "reference", "best"]
    assert make_samples(only(params, "gru_self")) == []
    write_samples(params, [], Path("tables"))
    assert not Path("tables").exists()


def test_a_blank_translation_is_kept(params):
    write_lines(Layout("demo").translations(BASE) / "test1.txt", [""] * LINES)
    assert make_samples(params)[0].texts[3].text == ""


def test_translations_of_another_text_are_named(params):
    write_lines(Layout("demo").translations(BASE) / "test1.txt", texts("x", LINES - 1))
    message = (
        r"translations/demo/base/test1.txt: 29 lines where test1 has 30; run translate of base"
    )
    with pytest.raises(InputError, match=message):
        make_samples(params)


def test_the_csv_has_a_row_for_each_text(params):
    write_samples(params, make_samples(params), Path("tables"))
    with Path("tables/table5.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["set", "line", "role", "system", "model", "text"]
    assert len(rows) == 2 * 12 * 4
    assert list(rows[6].values())[:3] == ["test1", "3", "best"]
    assert rows[6]["model"] == BEST
    assert rows[6]["text"] == texts(f"test1 by {BEST}")[2]
    assert rows[4]["model"] == rows[4]["system"] == ""


def test_markdown_shows_text_as_it_is(params):
    write_samples(params, make_samples(params), Path("tables"))
    text = Path("tables/table5.md").read_text(encoding="utf-8")
    caption, blank, head, _, first, second, *_ = text.splitlines()
    assert caption.startswith("**Table 5.** These sample translations were not chosen by hand")
    assert "English-German, test1, 12 sentences; best: local_p_general_feed, base: base." in caption
    assert blank == ""
    assert head == "| set | line | role | text |"
    assert first == r"| test1 | 1 | source | test1.en 0, 'a_b' \| &lt;unk&gt; 5%. |"
    assert second.startswith("|  |  | reference | test1.de 0")
    assert len(text.splitlines()) == 4 + 2 * 12 * 4


def test_latex_escapes_what_latex_would_read(params):
    write_samples(params, make_samples(params), Path("tables"))
    text = Path("tables/table5.tex").read_text(encoding="utf-8")
    assert r"test1 & 1 & source & test1.en 0, 'a\_b' | <unk> 5\%. \\" in text
    assert r"best: local\_p\_general\_feed" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(params):
    write_samples(params, make_samples(params), Path("tables"))
    packages = r"\usepackage[T1]{fontenc}\usepackage{booktabs,longtable}"
    body = r"\begin{document}\input{tables/table5}\end{document}"
    Path("t.tex").write_text(rf"\documentclass{{article}}{packages}{body}", encoding="utf-8")
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], check=True, capture_output=True)


def test_the_same_samples_give_the_same_bytes(params):
    for folder in ("a", "b"):
        write_samples(params, make_samples(params), Path(folder))
    for end in ("csv", "md", "tex"):
        assert Path(f"a/table5.{end}").read_bytes() == Path(f"b/table5.{end}").read_bytes()
