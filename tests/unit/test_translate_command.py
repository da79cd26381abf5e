"""The command ``attnmt translate``, called as a person calls it."""

import gzip
import json
from functools import partial
from pathlib import Path

import pytest
from small_experiment import ENGLISH
from small_project import Command

from attnmt.commands import input_lines
from attnmt.config import Params
from attnmt.decoding.pipeline import Translation, load_translator

RAW = ENGLISH["test"]
LONG = "The old house is the old house of the old house."


@pytest.fixture
def attnmt(
    attnmt: Command, params: Params, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Return a function that runs ``attnmt translate`` in the experiment's project."""
    monkeypatch.chdir(folder)
    return partial(attnmt, "translate")


def expected(params: Params, folder: Path, name: str, n_best: int = 1) -> list[list[Translation]]:
    return load_translator(params, name, folder, n_best=n_best).translate(RAW)


def lines_of(translated: list[list[Translation]]) -> str:
    return "".join(f"{translations[0].text}\n" for translations in translated)


def test_text_a_file_and_standard_input_give_the_same(attnmt, params, folder, tmp_path):
    plain = lines_of(expected(params, folder, "local_p"))  # the best model, by its perplexity
    assert attnmt(*RAW)[:2] == (0, plain)
    file = tmp_path / "raw.en"
    content = "".join(f"{line}\n" for line in RAW).encode()
    read = [word for t in expected(params, folder, "local_p") for word in t[0].source]
    known = load_translator(params, "local_p", folder).source.vocabulary
    unknown = sum(word not in known for word in read)
    file.write_bytes(content)
    note = attnmt(stdin=content)[2]
    assert f"en: {unknown} of {len(read)}\n" in note
    (tmp_path / "raw.en.gz").write_bytes(gzip.compress(content))
    assert attnmt("--input", str(file)) == (0, plain, note)
    assert attnmt("-i", f"{file}.gz", "--model", "local_p") == (0, plain, note)
    assert attnmt(stdin=content) == (0, plain, note)
    assert attnmt("-i", str(file), "-o", str(tmp_path / "out.de")) == (0, "", note)
    assert (tmp_path / "out.de").read_text(encoding="utf-8") == plain


def test_an_argument_is_one_sentence(attnmt):
    rows = attnmt("The house.", "", "The house.", "--format", "json")[1].splitlines()
    assert [json.loads(row)["line"] for row in rows] == [0, 1, 2]
    status, _, error = attnmt("The house.\nThe garden.")
    assert status == 2
    assert error.startswith("error: text:1: several lines")


def test_a_note_names_few_unknown_words(attnmt):
    assert attnmt("The old house is the old house.")[2] == ""
    assert attnmt("The old g\u202e house is the old house.")[2].endswith(": g\n")
    assert attnmt("Cats & dogs.")[2].endswith(": Cats, &, dogs\n")


def test_a_large_file_is_translated_in_chunks(attnmt, params, folder, monkeypatch):
    monkeypatch.setattr(input_lines, "CHUNK", 2)
    text = "\n".join([*RAW[:3], "", *RAW[3:]]).encode()
    texts = lines_of(expected(params, folder, "subwords")).splitlines()
    lines = attnmt("--model", "subwords", stdin=text)[1].split("\n")
    assert lines == [*texts[:3], "", *texts[3:], ""]
    rows = attnmt("--model", "subwords", "--format", "json", stdin=text)[1].splitlines()
    assert [json.loads(row)["line"] for row in rows] == list(range(6))


def test_the_output_has_columns_of_scores_and_alignments(attnmt, params, folder):
    translated = expected(params, folder, "ensemble", n_best=3)
    arguments = ("--model", "ensemble", "--n-best", "3", "--scores", "--alignments")
    rows = [row.split("\t") for row in attnmt(*RAW, *arguments)[1].splitlines()]
    flat = [(line, t) for line, translations in enumerate(translated) for t in translations]
    assert len(flat) > len(RAW)
    for (number, text, score, links), (line, translation) in zip(rows, flat, strict=True):
        assert (int(number), text) == (line, translation.text)
        assert float(score) == pytest.approx(translation.score, abs=1e-3)
        assert links == " ".join(f"{i}-{j}" for i, j in sorted(translation.links))


def test_the_json_output_has_every_field(attnmt, params, folder):
    translated = expected(params, folder, "ensemble")
    output = attnmt(*RAW, "--model", "ensemble", "--format", "json")[1]
    for line, (row, (best,)) in enumerate(zip(output.splitlines(), translated, strict=True)):
        assert json.loads(row) == {
            "line": line,
            "text": best.text,
            "words": best.words,
            "replaced": best.replaced,
            "source": best.source,
            "links": [list(link) for link in best.links],
            "score": pytest.approx(best.score, abs=1e-3),
        }


def test_the_width_of_the_beam_can_be_set(attnmt, params, folder):
    greedy = load_translator(params, "local_p", folder, beam=1).translate(RAW)
    assert attnmt(*RAW, "--beam", "1")[1] == lines_of(greedy)
    assert attnmt("x", "--beam", "0")[0] == 2


def test_a_fault_in_a_file_is_found_before_models_are_read(attnmt, tmp_path, monkeypatch):
    monkeypatch.setattr(input_lines, "CHUNK", 1)
    monkeypatch.delattr("attnmt.decoding.pipeline.load_translator")
    (tmp_path / "raw.en").write_bytes(b"gut\nsch\xf6n\n")
    (tmp_path / "out.de").write_text("old")
    status, _, error = attnmt("-i", f"{tmp_path}/raw.en", "-o", f"{tmp_path}/out.de")
    assert status == 2
    assert error.startswith(f"error: {tmp_path}/raw.en:2: not UTF-8")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["out.de", "raw.en"]
    assert (tmp_path / "out.de").read_text() == "old"
