"""The table of dictionaries, against a count by brute force."""

from pathlib import Path

import made_scores
import pytest
from small_experiment import make_experiment

from attnmt.config import Params
from attnmt.errors import InputError
from attnmt.layout import Layout
from attnmt.reporting.dictionary_table import dictionary_table
from attnmt.reporting.render import markdown
from attnmt.text.dictionary import write_dictionaries

LINKS = {
    ("house", "Haus"): 5,  # both are frequent enough for every vocabulary
    ("house", "Garten"): 2,
    ("garden", "Garten"): 3,
    ("unseen", "ungesehen"): 4,
    ("Unseen", "Ungesehen"): 4,
    ("old", "nirgends"): 2,
    ("rare", "selten"): 1,
}


@pytest.fixture
def params(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    monkeypatch.chdir(tmp_path)
    params = make_experiment(Path())
    folder = Layout(params.experiment).dictionary
    write_dictionaries(folder / "en-de.tsv", folder / "de-en.tsv", [LINKS], 2)
    write_aligner(params, parts=1)
    return params


def write_aligner(params: Params, parts: int) -> None:
    made_scores.write_aligner(params, system="aligner 1.0", parts=parts)


def brute_force(params: Params, family: str, direction: str) -> tuple[int, int, int]:
    """Count from the lines: entries, words outside the vocabulary, and best translations outside it."""
    layout, (source, target) = Layout(params.experiment), direction.split("-")
    folder, lower = layout.encoded(family), params.families[family].encoding.lowercase
    known, known_targets = (
        set((folder / f"vocab.{k}").read_text().splitlines()[3:]) for k in (source, target)
    )
    counts: dict[str, dict[str, int]] = {}
    for line in (layout.dictionary / f"{direction}.tsv").read_text().splitlines():
        one, other, _, count = (line.lower() if lower else line).split("\t")
        counts.setdefault(one, {}).setdefault(other, 0)
        counts[one][other] += int(count)
    best = {
        word: max(translations, key=lambda w: translations[w])
        for word, translations in counts.items()
    }
    outside = [word for word in best if word not in known]
    return len(best), len(outside), sum(word not in known_targets for word in best.values())


def test_the_counts_are_those_of_brute_force(params: Params) -> None:
    table = dictionary_table(params)
    families = ["words", "short"]  # pieces can spell every word
    expected = [
        brute_force(params, family, direction)
        for direction in ("en-de", "de-en")
        for family in families
    ]
    columns = ("entries", "outside", "translated_outside")
    assert [tuple(row[column] for column in columns) for row in table.rows] == expected
    assert [row["family"] for row in table.rows] == families * 2
    entries, outside, _ = expected[0]
    assert 0 < outside < entries
    assert expected[1][0] == entries - 1  # two entries become one in lower case


def test_the_caption_says_what_was_aligned(params: Params) -> None:
    shown = markdown(dictionary_table(params))
    assert "aligner 1.0 aligned all 4,000 training pairs. A dictionary" in shown
    assert "2 times or more" in shown
    write_aligner(params, parts=9)
    assert "4,000 training pairs, in 9 parts." in str(dictionary_table(params).caption)


def test_a_missing_dictionary_is_named(params: Params) -> None:
    (Layout(params.experiment).dictionary / "de-en.tsv").unlink()
    with pytest.raises(InputError, match=r"de-en.tsv: no such file"):
        dictionary_table(params)
