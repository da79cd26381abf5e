"""The benchmark of preprocessing: its text, a run of it, and its page."""

import pytest

from attnmt.errors import InputError
from attnmt.text.tokenizer import MosesTokenizer
from benchmarks import page, preprocessing
from benchmarks.synthetic import LANGUAGES, synthetic_pairs


def test_the_text_has_the_shape_of_wmt14():
    pairs = list(synthetic_pairs(4_000, 1))
    assert pairs == list(synthetic_pairs(4_000, 1)) != list(synthetic_pairs(4_000, 2))
    rules = [MosesTokenizer(language, True) for language in LANGUAGES]
    lengths = [
        [len(rule.tokenize(line)) for rule, line in zip(rules, pair, strict=True)] for pair in pairs
    ]
    kept = [pair for pair in lengths if max(pair) <= 50]
    assert len(kept) / len(pairs) == pytest.approx(0.92, abs=0.02)  # experiments/wmt14/params.yaml
    for side, words in enumerate((22.9, 21.2)):
        assert sum(pair[side] for pair in kept) / len(kept) == pytest.approx(words, rel=0.06)


def test_a_run_goes_on_and_is_shown_beside_others_in_place_of_an_earlier_one(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    monkeypatch.setattr(page, "PAGE", tmp_path / "README.md")
    page.PAGE.write_text("<!-- results:preprocessing -->\nold\n<!-- /results:preprocessing -->\n")
    for pairs, stages in ((300, "tokens,encode luong"), (200, "tokens"), (300, "encode luong")):
        commit = f"{pairs} {stages}"
        monkeypatch.setattr(preprocessing, "_commit", lambda _, commit=commit: commit)
        preprocessing.measure(pairs, stages, preprocessing.ROOT, tmp_path)
    shown = [
        line.split(" | ")
        for line in page.PAGE.read_text().splitlines()
        if "300" in line or "200" in line
    ]
    assert [line[1] for line in shown] == [
        "200 tokens",
        "300 tokens,encode luong",
        "300 encode luong",
    ]
    assert all(float(line[5]) > 50 for line in shown)


def test_stages_are_checked_before_one_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(preprocessing, "_write_project", lambda *_: pytest.fail("it runs"))
    with pytest.raises(InputError, match=r"^--stages evaluate: unknown; choose from tokens"):
        preprocessing.measure(300, "tokens, evaluate", preprocessing.ROOT, tmp_path)


def test_the_page_shows_the_committed_results(tmp_path, monkeypatch):
    copy = tmp_path / "README.md"
    copy.write_text(page.PAGE.read_text())
    monkeypatch.setattr(page, "PAGE", copy)
    preprocessing.page()
    assert copy.read_text() == (preprocessing.ROOT / "benchmarks/README.md").read_text()
