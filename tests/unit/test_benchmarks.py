"""The benchmarks: all systems do the same work, and the reports follow from the measurements."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.planning.cost import work
from attnmt.text.batches import make_batch
from benchmarks import cpu, page, products, workload
from benchmarks.cpu_page import _label, _peers
from benchmarks.measures import Spread, fastest, ratio
from benchmarks.page import PAGE, put_into_page
from benchmarks.peers import _links, joined, refuse_others
from benchmarks.systems import ALL, LABELS, SYSTEMS, without_biases
from benchmarks.systems.ours import OursTrainer
from benchmarks.systems.plain import PlainTrainer
from benchmarks.worker import WholeWorker
from benchmarks.workload import Pairs, Size

TINY = Size(layers=2, cells=8, words=30, batch=4, round=1, warm_up=1)


def pairs(*lengths: tuple[int, int]) -> Pairs:
    """Return sentence pairs of these lengths; their words are neither special nor padding."""
    rng = np.random.default_rng(0)
    sides = zip(*lengths, strict=True)
    return Pairs(*([rng.integers(3, 29, n, dtype=np.int32) for n in side] for side in sides))


@pytest.fixture
def tokens(tmp_path) -> Path:
    """Write token files of 12 short sentence pairs; return their folder."""
    lines = [" ".join(f"w{j}" for j in range(i % 5 + 1)) for i in range(12)]
    for name in ("train", workload.TEST):
        for language in ("en", "de"):
            (tmp_path / f"{name}.{language}").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_ours_and_the_peers_read_the_same_padded_batch():
    batch = pairs((5, 2), (3, 4))
    ours, peers = make_batch(*batch, reverse=False), workload.padded(batch, TINY.pad)
    assert ours.source.shape == peers.source.shape == (2, 5)
    assert ours.words.shape[1] == peers.target.shape[1] - 1 == 5
    for row, length in enumerate(peers.source_lengths.tolist()):
        assert ours.source[row, -length:].tolist() == peers.source[row, :length].tolist()
        predicted = int(ours.lengths[row])
        assert ours.words[row, :predicted].tolist() == peers.target[row, :predicted].tolist()
        following = peers.target[row, 1 : predicted + 1]
        assert ours.next_words[row, :predicted].tolist() == following.tolist()
        assert set(peers.target[row, predicted + 1 :].tolist()) <= {TINY.pad}
    assert workload.target_words(batch) == int(ours.lengths.sum()) == 8


def test_the_limit_is_the_time_of_all_flop_at_the_speeds_of_products():
    batches = [pairs((5, 4), (4, 3))]
    config = TINY.config()
    names = products.dominant(TINY, batches)
    flop = work(config).training(workload.mean_lengths(batches))
    words, of_word = products.limit(config, batches, dict.fromkeys(names, 7e9))
    assert of_word == flop
    assert words == pytest.approx(7e9 / flop)
    slower = dict.fromkeys(names, 7e9) | {"logits": 3.5e9}
    output = 2 * TINY.cells * TINY.words
    limit, _ = products.limit(config, batches, slower)
    assert 1 / limit == pytest.approx((flop + output) / 7e9)


def test_a_ratio_is_the_median_of_the_ratios_within_rounds():
    speeds = {"ours": [10.0, 40.0, 30.0], "a": [5.0, 10.0, 30.0], "b": [4.0, 4.0, 50.0]}
    assert Spread.of(speeds["ours"]) == (30, 10, 40)
    assert fastest(speeds, ["a", "b", "c"]) == "a"
    assert fastest(speeds, ["c"]) is None
    assert ratio(speeds, "ours", "a") == 2
    assert ratio(speeds, "ours", None) is None


def test_the_plain_loop_computes_our_losses_step_by_step():
    batches = [pairs((5, 4), (2, 6), (3, 1), (1, 1)), pairs((2, 2), (2, 2), (6, 3), (4, 5))]
    ours, plain = OursTrainer(TINY, 0.0, "fp32", 1), PlainTrainer(TINY, 0.0)
    for batch in batches * 3:
        expected = plain.train(plain.prepare(batch))
        assert ours.train(ours.prepare(batch)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_the_page_shows_the_committed_results(kind, tmp_path, monkeypatch):
    copy = tmp_path / "README.md"
    copy.write_text(PAGE.read_text())
    monkeypatch.setattr("benchmarks.page.PAGE", copy)
    put_into_page(kind, import_module(f"benchmarks.{kind}_page").render)
    assert copy.read_text() == PAGE.read_text(), f"run: python -m benchmarks.{kind} page"


def test_a_peer_has_no_biases_and_learns_none():
    peer = torch.nn.LSTM(2, 3)
    without_biases(peer)
    peer(torch.ones(1, 2))[0].sum().backward()
    for name, parameter in peer.named_parameters():
        assert ("bias" in name) == (parameter.grad is None) == (not parameter.any())


def test_a_system_trains_to_the_end_and_translates(tokens):
    size = Size(layers=1, cells=64, words=9, batch=2, round=1, warm_up=1)
    worker = WholeWorker("ours", size, tokens, 0.0, seed=1)
    before = worker.cost(workload.TEST)
    for epoch in range(1, 11):
        assert worker.train(epoch, 0.5)["words"] == 33 + 12  # each sentence has an end
    assert worker.cost(workload.TEST) < before - 0.5
    assert len(worker.translate()) == 12
    steps = [len(line) for line in worker.attended()]
    assert steps == [i % 5 + 2 for i in range(12)]  # each sentence has an end


def test_links_are_read_at_both_steps():
    assert _links([[3, 1, 0], [2]]) == {
        "same": [[(3, 0), (1, 1)], []],
        "next": [[(1, 0), (0, 1)], []],
    }


def test_attention_points_at_the_largest_weight():
    batch = pairs((3, 2), (1, 1))
    weights = torch.tensor([[[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0, 0, 1]], [[1.0, 0, 0]] * 3])
    assert workload.largest(weights, batch) == [[1, 0, 2], [0, 0]]


def test_a_processor_without_bf16_leaves_its_row_out(monkeypatch, capsys):
    listed = "ours,ours-bf16,plain"
    monkeypatch.setattr(cpu, "supported", lambda device: ["fp32", "bf16"])
    assert cpu._systems(listed, SYSTEMS) == listed.split(",")
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(cpu, "supported", lambda device: ["fp32"])
    assert cpu._systems(listed, SYSTEMS) == ["ours", "plain"]
    said = "ours, bf16 products: left out, because this processor cannot multiply in bf16\n"
    assert capsys.readouterr().out == said
    with pytest.raises(InputError, match="no other system is given"):
        cpu._systems("ours-bf16", SYSTEMS)


def test_results_keep_the_trainings_with_other_seeds():
    first = {"rates": [1.0], "systems": {"ours": [{"seed": 2, "bleu": 1}], "opennmt": []}}
    second = {"rates": [1.0], "systems": {"ours": [{"seed": 1, "bleu": 2}]}}
    trainings = [{"seed": 1, "bleu": 2}, {"seed": 2, "bleu": 1}]
    assert joined(first, second)["systems"] == {"ours": trainings, "opennmt": []}
    assert joined(first, first) == first
    assert joined(first, second | {"rates": [0.5]})["systems"] == second["systems"]
    assert joined({}, second) == second


def test_trainings_of_other_code_or_machines_are_refused_before_they_run(monkeypatch, tmp_path):
    machine = dict.fromkeys(["git_commit", "device", "instructions", "threads", "torch"], "a")
    refuse_others({}, machine)
    refuse_others({"machine": machine | {"started": "earlier"}}, machine)
    write_json(tmp_path / "cpu-b.json", {"peers": {"captions": {"machine": machine}}})
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    monkeypatch.setattr(cpu, "surroundings", lambda device: machine | {"git_commit": "b"})
    monkeypatch.setattr(cpu, "whole_trainings", lambda *_: pytest.fail("it trains"))
    fault = "have the git_commit a, and here it is b; name another file with --name"
    with pytest.raises(InputError, match=fault):
        cpu.peers(size="captions", systems="ours", seed=2, threads=1, name="b")


def test_trainings_with_seeds_set_the_instructions_of_the_experiment_before_all_else(monkeypatch):
    """torch takes them only before its first computation."""

    def stop(instructions: str) -> None:
        raise InputError(f"asked for {instructions}")

    monkeypatch.chdir(PAGE.parents[1])
    monkeypatch.setattr(cpu, "supported", lambda device: pytest.fail("it computes"))
    monkeypatch.setattr(cpu, "compute_with", stop)
    with pytest.raises(InputError, match="asked for avx2"):
        cpu.seeds(model="base", count=2, threads=1, name="")


def test_a_row_names_its_seeds_where_it_has_others_than_the_first():
    one = {"epochs": [{"dev_cost": 1}], "test_cost": 2, "bleu": 3, "ratio": 1, "signature": "s"}
    one |= {"aer": {"same": 0.5, "next": 0.9}}
    given = {"ours": (1, 2, 4), "opennmt": (1, 2)}
    systems = {name: [one | {"seed": seed} for seed in of] for name, of in given.items()}
    machine = {"device": "A", "threads": 1, "torch": "2", "started": "2026-11-27"}
    machine |= {"git_commit": "0" * 10}
    page = _peers("captions", {"rates": [1.0], "systems": systems, "machine": machine})[1]
    assert page.startswith("| seeds 1, 2, 4 |")
    assert f"\n| {LABELS['opennmt']} (seeds 1, 2) |" in page


def test_the_rows_of_ours_say_which_instructions_they_had():
    """Ours has kept to AVX2 since 2026-11-27. Only these rows change; peers always had all."""
    shown = {
        day: {name: _label(name, {"machine": {"started": f"{day}T00:00:00Z"}}) for name in LABELS}
        for day in ("2026-11-26", "2026-11-27")
    }
    assert shown["2026-11-27"] == LABELS
    ensemble = "ours, ensemble of 8, all instructions"
    older = LABELS | {"ours": LABELS[ALL], "ours-x8": ensemble}
    assert shown["2026-11-26"] == older


def test_trainings_and_translations_are_measured_with_both_kinds_of_instructions():
    assert {"ours", ALL} <= {*cpu.TRAINED.split(",")} & {*cpu.DECODED.split(",")}


def test_the_evidence_has_the_whole_trainings_of_the_benchmarks():
    """docs/evidence.md has a column for each program, and benchmarks/README.md a row."""
    (rows,) = (
        part.split("\n\n")[1] for part in PAGE.read_text().split("**Whole trainings, captions")[1:]
    )
    programs = [cells(line)[1:6] for line in rows.splitlines()[2:]]
    shown = (
        (PAGE.parents[1] / "docs/evidence.md").read_text().partition("| seeds 1, 2, 3 | ours |")[2]
    )
    assert [cells(line)[1:] for line in shown.splitlines()[2:7]] == [
        *map(list, zip(*programs, strict=True))
    ]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]
