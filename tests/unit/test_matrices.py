"""Attention matrices beside gold links: Figure 7, and those of the page."""

import csv
import json
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import made_records
import pytest
from made_report import MODELS, least_letters, made_numbers, made_params, with_rows
from matplotlib.figure import Figure as Canvas
from matplotlib.patches import Rectangle

from attnmt.config import LINKS
from attnmt.files.text_file import write_json, write_lines
from attnmt.layout import Layout
from attnmt.reporting import attention, draw
from attnmt.reporting.attention import Matrix, figure7, read_matrices
from attnmt.text.pieces import join_pieces

LINE = 3  # the sampled sentence that is drawn: the one before it is too long
SOURCE, TARGET = ["an", "old", "house"], ["ein", "Haus", "</s>"]
WEIGHTS = [[0.9, 0.1, 0.0], [0.0, 0.25, 0.75], [0.2, 0.3, 0.5]]
GOLD = [(0, 0), (1, 1), (2, 1)]
FORCED = "test1.forced.attention.json"


def write_encoded(family, links, pieces=False, **text):
    folder, tokens = Layout("demo").encoded(family), Layout("demo").tokens
    sets = dict.fromkeys(("test1", "test2"), len(links))
    write_json(folder / "summary.json", made_records.summary(sets, pieces=pieces))
    write_lines(tokens / f"test1.{LINKS}", links)
    for language in ("en", "de"):
        lines = text.get(language, ["three words each"] * len(links))
        write_lines(folder / f"test1.{language}.tok", lines)
        words = [" ".join(join_pieces(line.split())) for line in lines]
        write_lines(tokens / f"test1.{language}", words)


def write_attention(name, *samples, file=FORCED):
    keys = ("line", "source", "target", "weights")
    content = [dict(zip(keys, sample, strict=True)) for sample in samples]
    write_json(Layout("demo").translations(name) / file, content)


def uniform(line, length):
    return line, ["w"] * length, ["</s>"], [[1 / length] * length]


@pytest.fixture
def params(tmp_path, monkeypatch):
    """The demo's parameters, gold links, and made-up attention of all its models."""
    monkeypatch.chdir(tmp_path)
    params = made_params()
    for family in params.families:
        write_encoded(family, ["0-0", "", "0-0", "0-0 1?1 2-1", "0-0"])
    for name in [*params.trainings, "ensemble"]:
        write_attention(name, uniform(2, 16), (LINE, SOURCE, TARGET, WEIGHTS), uniform(4, 2))
    return params


def only(params, *names):
    models = {name: params.trainings[name] for name in names}
    return params.model_copy(update={"trainings": models, "ensembles": {}})


@pytest.mark.parametrize("name", ["local_m_general_feed", "ensemble"])
def test_a_matrix_joins_weights_to_the_gold_links_of_its_line(params, name):
    matrix = read_matrices(params, name, "test1", forced=True)[1]
    assert (matrix.line, matrix.source, matrix.target) == (LINE, SOURCE, TARGET)
    assert (matrix.weights, matrix.gold) == (WEIGHTS, GOLD)


def test_german_english_links_are_flipped(params):
    """Gold links are English-German; the source of this system is German."""
    sample = LINE, TARGET[:-1], [*SOURCE, "</s>"], [[0.5, 0.5]] * 4
    write_attention("back_global_dot_feed", sample)
    (matrix,) = read_matrices(params, "back_global_dot_feed", "test1", forced=True)
    assert matrix.gold == [(0, 0), (1, 1), (1, 2)]
    pairs = {(matrix.source[i], matrix.target[j]) for i, j in matrix.gold}
    assert pairs == {("ein", "an"), ("Haus", "old"), ("Haus", "house")}


def test_gold_links_of_words_become_links_of_their_pieces(params):
    text = {"en": ["ho@@ use now"], "de": ["jetzt H@@ a@@ us"]}
    write_encoded("luong_bpe", ["0-1 1-0"], pieces=True, **text)
    target = [*text["de"][0].split(), "</s>"]
    sample = (0, text["en"][0].split(), target, [[1.0, 0.0, 0.0]] * 5)
    write_attention("local_p_general_feed_bpe", sample)
    (matrix,) = read_matrices(params, "local_p_general_feed_bpe", "test1", forced=True)
    assert matrix.gold == [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 0)]


def test_own_translations_have_no_gold_links_and_are_shown_as_they_were_written(params):
    sample = (0, ["it", "&apos;s"], ["&amp;", "</s>"], [[0.5, 0.5]] * 2)
    write_attention("gru_self", sample, file="test2.attention.json")
    (matrix,) = read_matrices(params, "gru_self", "test2", forced=False)
    assert (matrix.source, matrix.target, matrix.gold) == (["it", "'s"], ["&", "</s>"], None)


def test_figure_7_has_gold_links_and_the_models_that_attend(params):
    rows = params.tables["table6"].rows  # the first may be systems without attention
    params = with_rows(params, "table6", {"base": params.tables["table1"].rows["base"]} | rows)
    matrices = figure7(params)
    assert [*matrices] == [*("gold", "global (location)", "local-m (general)", "local-p (general)")]
    gold = [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    assert [matrix.weights for matrix in matrices.values()] == [gold, *[WEIGHTS] * 3]
    assert {matrix.line for matrix in matrices.values()} == {LINE}
    assert figure7(only(params, "gru_self")) == {}
    # Of sentences that are all long, the shortest is drawn. Silver links are not.
    write_attention("local_p_general_feed", uniform(2, 18), uniform(4, 16), uniform(0, 17))
    (Layout("demo").tokens / f"test1.{LINKS}").unlink()
    matrices = figure7(only(params, "local_p_general_feed"))
    assert {key: matrix.line for key, matrix in matrices.items()} == {"local-p (general)": 4}


def test_cells_and_squares_stand_where_the_weights_and_links_are(params):
    matrices, axes = figure7(params), Canvas().subplots()
    draw.draw_matrix(axes, matrices["local-p (general)"], "a title")
    assert axes.collections[0].get_array().tolist() == WEIGHTS
    squares = [patch.get_xy() for patch in axes.patches if isinstance(patch, Rectangle)]
    assert squares == GOLD  # x is the source, y the target
    assert [label.get_text() for label in axes.get_xticklabels()] == SOURCE
    assert [label.get_text() for label in axes.get_yticklabels()] == TARGET
    bottom, top = axes.get_ylim()
    assert bottom > top  # the first word stands on top
    draw.write_matrices(matrices, Path("figures/figure7"))
    root = ElementTree.parse("figures/figure7.svg").getroot()
    assert float(root.get("width").removesuffix("pt")) / 72 <= 3.3  # a column
    assert least_letters(Path("figures/figure7.svg")) >= 7
    with Path("figures/figure7.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 4 * 3 * 3
    for row in rows:
        matrix, j, i = matrices[row["panel"]], int(row["row"]), int(row["column"])
        linked = "yes" if (i, j) in GOLD else "no"
        assert (row["target"], row["source"], row["gold"]) == (TARGET[j], SOURCE[i], linked)
        assert float(row["weight"]) == matrix.weights[j][i]


def test_the_page_has_the_matrices_of_first_seeds_and_each_text_once(monkeypatch):
    """24 systems, 12 sentences and 2 kinds stay below 1.2 MB."""
    source, target = [f"w{i}" for i in range(20)], [f"v{i}" for i in range(21)]
    weights = [[1 / 20] * 20 for _ in target]
    matrix = Matrix(4, source, target, weights, [(0, 0), (1, 2)])
    monkeypatch.setattr(attention, "read_matrices", lambda *_: [matrix] * 12)
    made = made_params(*MODELS, seeds=2)
    data = attention.attention_data(made, made_numbers(made))
    attentive = [name for name in MODELS if made.attends(name)]
    assert sorted(data.kinds["own"].of) == sorted(attentive)
    assert data.texts == [tuple(source), tuple(target)]
    assert data.kinds["own"].of["gru_additive"][11] == (0, 1, [5] * 420, [(0, 0), (1, 2)])
    assert data.kinds["forced"].lines == [4] * 12
    # the best one on the development set comes first
    assert [*data.labels][:2] == ["local_p_general_feed", "local_m_general_feed"]
    size = len(json.dumps(asdict(data), separators=(",", ":")))
    assert size / len(attentive) < 1.2e6 / 24
