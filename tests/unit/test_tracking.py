"""MLflow's view of the runs, in a real store in a temporary folder."""

import importlib
import json
import logging
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from filelock import FileLock, Timeout
from small_experiment import ROOT, make_experiment
from tracking_inputs import STARTED, training, write, write_report, write_scores, write_training

from attnmt.config import load_params
from attnmt.config.model import TrainedEnsemble
from attnmt.errors import InputError
from attnmt.files.text_file import write_json
from attnmt.scoring.numbers import read_numbers
from attnmt.tracking import live, store
from attnmt.tracking import runs as mlflow_runs
from attnmt.tracking.importing import add_report, import_missing, log_results
from attnmt.tracking.score_metrics import add_scores

mlflow = pytest.importorskip("mlflow", reason="mlflow, of the extra 'workflow', is not installed")
LocalArtifactRepository = importlib.import_module(
    "mlflow.store.artifact.local_artifact_repo"
).LocalArtifactRepository

EXPERIMENT = load_params(ROOT / "params.yaml", ROOT)


@pytest.fixture(scope="module")
def fresh_store(tmp_path_factory):
    """Return the bytes of an empty database: migrating one takes a second, copying it takes none."""
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        store.connect()
    return (folder / "mlflow.db").read_bytes()


@pytest.fixture
def project(tmp_path, monkeypatch, fresh_store):
    """Return a project folder with an empty store in the default place."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    Path("mlflow.db").write_bytes(fresh_store)
    return tmp_path


def runs(name=None):
    client = store.connect()
    experiment = client.get_experiment_by_name("demo")
    all_runs = client.search_runs([experiment.experiment_id]) if experiment else []
    return [run for run in all_runs if name in (None, run.info.run_name)]


def train(**about):
    """Finish a training without a curve."""
    with training(**about) as run:
        run.finish({})


def curve(run, name):
    points = store.connect().get_metric_history(run.info.run_id, name)
    return [(point.step, point.value) for point in sorted(points, key=lambda point: point.step)]


def test_a_training_has_a_run_with_all_that_is_known(project):
    with training() as run:
        run.log(10, {"train_cost": 5.5, "learning_rate": 1.0})
        run.log(20, {"train_cost": 4.5, "learning_rate": 0.5})
        run.finish({"best_step": 20, "perplexity": {"test1": 8.5}, "dataset_digest": "786c"})
    (tracked,) = runs("base")
    expected = {"run": "base", "seed": "1", "fingerprint": "f1", "started": STARTED}
    assert expected.items() <= tracked.data.tags.items()
    assert {"commits": "['abc', 'def']", "code": "c1"}.items() <= tracked.data.tags.items()
    assert tracked.inputs.dataset_inputs[0].dataset.digest == "d" * 36
    expected = {"model.layers": "2", "model.size": "8", "training.learning_rate": "1.0"}
    assert tracked.data.params == expected
    assert curve(tracked, "train_cost") == [(10, 5.5), (20, 4.5)]
    assert tracked.data.metrics["perplexity.test1"] == 8.5
    assert tracked.info.status == "FINISHED"


def test_a_resumed_training_continues_its_run_without_doubled_points(project):
    def killed():
        with training() as run:
            run.log(10, {"train_cost": 5.5})
            run.log(20, {"train_cost": 4.5})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        killed()
    assert runs("base")[0].info.status == "KILLED"
    with training() as run:  # from the checkpoint of step 10
        run.log(20, {"train_cost": 4.5, "dev_cost": 5.0})
        run.log(30, {"train_cost": 3.5})
        run.finish({})
    (tracked,) = runs("base")
    assert curve(tracked, "train_cost") == [(10, 5.5), (20, 4.5), (30, 3.5)]
    assert curve(tracked, "dev_cost") == [(20, 5.0)]
    assert tracked.info.status == "FINISHED"


@pytest.mark.parametrize("other", [{"fingerprint": "f2"}, {"started": "2026-01-03T03:04:05+00:00"}])
def test_another_training_has_another_run_with_its_own_curve(project, other):
    """It has other settings or data, or it repeats the first. The first run keeps its points."""
    for about, cost in (({}, 5.5), (other, 5.25)):
        with training(**about) as run:
            run.log(10, {"train_cost": cost})
    found = sorted(curve(run, "train_cost") for run in runs("base"))
    assert found == [[(10, 5.25)], [(10, 5.5)]]


def test_points_are_sent_in_batches(project, monkeypatch):
    monkeypatch.setattr(mlflow_runs, "METRICS_A_BATCH", 3)
    with training() as run:
        for step in range(10):
            run.log(step, {"train_cost": float(step)})
        assert curve(runs("base")[0], "train_cost") == []
        monkeypatch.setattr(live, "BATCH_SECONDS", 0)
        run.log(10, {"train_cost": 10.0})
        assert len(curve(runs("base")[0], "train_cost")) == 11


def test_a_short_training_is_left_to_the_import(project):
    write_training()
    with training(after=60) as run:
        run.log(10, {"train_cost": 5.5})
        run.finish({})
    assert runs("base") == []
    assert import_missing(EXPERIMENT) == ["base"]
    assert_complete()


def assert_complete():
    """Check that MLflow has all of the training that ``write_training`` writes."""
    (tracked,) = runs("base")
    assert curve(tracked, "train_cost") == [(10, 5.5), (20, 4.5)]
    assert tracked.info.status == "FINISHED"


def test_an_error_of_the_training_passes_through(project):
    with pytest.raises(ZeroDivisionError), training():
        raise ZeroDivisionError
    assert runs("base")[0].info.status == "FAILED"


def test_without_mlflow_a_training_warns_once_and_goes_on(project, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with caplog.at_level(logging.WARNING), training() as run:
        run.log(1, {"train_cost": 1.0})
        run.flush()
        run.finish({"best_step": 1})
    assert len(caplog.records) == 1
    assert "attnmt track" in caplog.text
    with pytest.raises(InputError, match="installed"):
        import_missing(EXPERIMENT)


def test_a_store_that_breaks_midway_gives_one_warning_and_is_completed_later(
    project, monkeypatch, caplog
):
    write_training()
    with caplog.at_level(logging.WARNING), training() as run:
        run.log(10, {"train_cost": 5.5})
        run.flush()
        with monkeypatch.context() as patch:
            patch.setattr(mlflow.MlflowClient, "log_batch", lambda *_, **__: 1 / 0)
            run.log(20, {"train_cost": 4.5})
            run.flush()
            run.flush()
        run.finish({})
    assert len(caplog.records) == 1
    assert runs("base")[0].info.status == "RUNNING"
    assert import_missing(EXPERIMENT) == ["base"]
    assert_complete()


def test_a_run_whose_first_call_breaks_off_gets_its_parameters_and_data_later(project, monkeypatch):
    write_training()
    with monkeypatch.context() as patch:
        patch.setattr(mlflow.MlflowClient, "log_batch", lambda *_, **__: 1 / 0)
        train()
    assert runs("base")[0].data.params == {}
    assert import_missing(EXPERIMENT) == ["base"]
    assert_complete()
    assert runs("base")[0].data.params
    assert len(runs("base")[0].inputs.dataset_inputs) == 1
    train()
    assert len(runs("base")[0].inputs.dataset_inputs) == 1


def test_a_server_that_never_answers_costs_seconds(project, monkeypatch, caplog):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{silent.getsockname()[1]}")
        begun = time.monotonic()
        with caplog.at_level(logging.WARNING, "attnmt"), training() as run:
            run.log(1, {"train_cost": 1.0})
            run.finish({})
        assert time.monotonic() - begun < 8
    assert [record.name for record in caplog.records].count("attnmt.tracking.live") == 1


def with_ensembles(**members):
    """Return the root's experiment with other ensembles."""
    common = {"family": "luong", "average": "logits", "seed": 1}
    ensembles = {
        name: TrainedEnsemble.model_construct(members=names, entry=name, **common)
        for name, names in members.items()
    }
    return EXPERIMENT.model_copy(update={"ensembles": ensembles})


PAIR = ["base", "base_reverse"]
TRACKED = with_ensembles(ensemble=PAIR)


@pytest.fixture
def imported(project):
    """Return a client of a store that has two trainings, an ensemble and their scores."""
    for model in PAIR:
        write_training(model)
    write_scores("ensemble")
    assert import_missing(TRACKED) == ["base", "base_reverse", "ensemble"]
    return store.connect()


def names_of_runs():
    return sorted(run.info.run_name for run in runs())


@pytest.mark.parametrize("name", ["base", "ensemble"])
def test_a_run_that_is_deleted_tracked_and_restored_is_there_once(imported, caplog, name):
    (run,) = runs(name)
    imported.delete_run(run.info.run_id)
    assert import_missing(TRACKED) == []
    assert f"{name} had been deleted in MLflow; it is restored" in caplog.text
    assert names_of_runs() == ["base", "base_reverse", "ensemble"]
    assert runs(name)[0].info.run_id == run.info.run_id


def test_of_a_training_that_is_there_twice_the_finished_run_is_kept(imported, caplog):
    (run,) = runs("base")
    for status in ("RUNNING", "FINISHED"):
        double = imported.create_run(run.info.experiment_id, 2 * run.info.start_time, run.data.tags)
        imported.set_terminated(double.info.run_id, status)
    imported.update_run(run.info.run_id, status="FAILED")
    assert import_missing(TRACKED) == ["base"]  # its scores go to the one that is kept
    assert "was in MLflow twice; run" in caplog.text
    (kept,) = [one for one in runs() if one.data.tags["run"] == "base"]
    assert kept.info.run_id == double.info.run_id


def test_an_experiment_that_was_deleted_comes_back_with_its_runs(imported, caplog):
    imported.delete_experiment(imported.get_experiment_by_name("demo").experiment_id)
    assert import_missing(TRACKED) == []
    assert "demo had been deleted in MLflow; it is restored with its runs" in caplog.text
    assert names_of_runs() == ["base", "base_reverse", "ensemble"]
    imported.delete_experiment(imported.get_experiment_by_name("demo").experiment_id)
    train(started="2026-01-03T03:04:05+00:00")  # a training that is watched live
    assert names_of_runs() == ["base", "base", "base_reverse", "ensemble"]


def test_an_ensemble_gets_another_run_when_its_members_change(project):
    for model in PAIR:
        write_training(model, fingerprint=f"f_{model}")
    write_scores("ensemble", 25.5, aer=0.25)
    client, params, numbers = store.connect(), TRACKED, read_numbers("demo")
    with pytest.raises(InputError, match="base with fingerprint f_base has no run"):
        add_scores(client, params, numbers, "base")
    assert [add_scores(client, params, numbers, "ensemble") for _ in range(2)] == [True, False]
    (tracked,) = runs("ensemble")
    described = {"members": "['base', 'base_reverse']", "average": "logits", "family": "luong"}
    assert tracked.data.params == described | {"direction": "forward"}
    assert tracked.inputs.dataset_inputs[0].dataset.digest == "d" * 36
    expected = {"bleu": 25.5, "bleu_unk": 25.5, "aer": 0.25, "test2/aer": 0.25}
    assert tracked.data.metrics == expected
    assert tracked.info.status == "FINISHED"
    write_training("base_reverse", fingerprint="f_other")
    assert add_scores(client, params, numbers, "ensemble")
    assert len(runs("ensemble")) == 2


def test_what_is_imported_is_not_imported_again(imported):
    params = with_ensembles(ensemble=PAIR, ensemble_later=["base", "gru_self"])
    write("models/demo/gru_self/history.csv", "step\n")  # not finished
    for name in ("gru_self", "ensemble_later", "no_longer_in_the_parameters"):
        write_scores(name)
    assert import_missing(params) == []
    before = Path("mlflow.db").read_bytes()
    assert import_missing(params) == []
    assert Path("mlflow.db").read_bytes() == before
    assert_complete()
    (tracked,) = runs("base")
    assert curve(tracked, "dev_cost") == [(10, 5.25), (20, 5.0)]
    assert tracked.data.metrics["target_words_per_second"] == 99.5
    assert tracked.data.metrics["perplexity.test1"] == 8.5
    assert tracked.data.tags["device"] == "cpu"
    assert tracked.info.end_time - tracked.info.start_time == 60_000
    write_scores("base", 21.5)
    assert import_missing(params) == ["base"]
    assert runs("base")[0].data.metrics["bleu"] == 21.5


def test_scores_of_an_earlier_training_stay_away_from_a_new_one(project):
    write_training("base")
    path = Path("models/demo/base/metrics.json")
    write_json(path, json.loads(path.read_text()) | {"dev_perplexity": 7.5})  # trained again
    assert import_missing(EXPERIMENT) == ["base"]
    assert "bleu" not in runs("base")[0].data.metrics


def artifacts(run_name):
    """Return the content of each file of a run."""
    (run,) = runs(run_name)
    folder = Path(run.info.artifact_uri)
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


def test_the_address_of_an_experiments_runs_names_a_view_with_their_scores(project, monkeypatch):
    client = store.connect()
    assert store.runs_address(client, "demo") is None
    client.create_experiment("another")
    train()
    experiment = client.get_experiment_by_name("demo")
    columns = json.loads(experiment.tags["mlflow.sharedViewState.scores"])["selectedColumns"]
    assert columns[:2] == ["metrics.`bleu`", "metrics.`bleu_unk`"]
    number = experiment.experiment_id
    view = "workflowType=machine_learning&viewStateShareKey=scores"
    page = f"#/experiments/{number}/runs?{view}"
    assert store.runs_address(client, "demo") == f"http://127.0.0.1:5000/{page}"
    assert store.runs_address(client, "demo", 5002) == f"http://127.0.0.1:5002/{page}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://server:80/")
    assert store.runs_address(client, "demo", 5002) == f"http://server:80/{page}"


def test_a_new_report_replaces_the_one_before(project, monkeypatch):
    train(started="2099-01-01T00:00:00Z")
    params, client = make_experiment(Path()), store.connect()
    names = ["tables/table1.md", "figures/figure5.svg", "index.html"]
    write_report(*names, "tables/.hidden.csv")
    assert add_report(client, params)
    header = Path("reports/demo/scores.csv").read_text()
    assert artifacts("Report") == {name: name for name in names} | {"scores.csv": header}
    before = Path("mlflow.db").read_bytes()
    assert not add_report(client, params)
    assert Path("mlflow.db").read_bytes() == before
    Path("reports/demo/figures/figure5.svg").unlink()
    write("reports/demo/tables/table1.md", "another")
    assert add_report(client, params)
    changed = {"tables/table1.md": "another", "index.html": "index.html", "scores.csv": header}
    assert artifacts("Report") == changed
    assert not add_report(client, params)
    write("reports/demo/tables/table1.md", "a third")
    with monkeypatch.context() as patch:
        patch.setattr(LocalArtifactRepository, "log_artifact", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            add_report(client, params)
    write("reports/demo/tables/table1.md", "another")  # the report before is there again
    assert add_report(client, params)
    assert artifacts("Report") == changed
    assert [run.info.run_name for run in runs()] == ["base", "Report"]  # below what is trained


def test_an_import_includes_the_report_and_a_stage_only_warns_of_its_faults(project, caplog):
    params = make_experiment(Path())
    shutil.move("models", "put_away")  # as in a fresh clone
    write_report("index.html")
    assert import_missing(params) == ["Report"]
    assert import_missing(params) == []
    shutil.move("put_away", "models")
    for name in params.models:
        write_training(name)
    history = Path("models/demo/plain/history.csv")
    shutil.move(history, "history.csv")
    log_results(params)
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [record.levelname for record in warnings] == ["WARNING"]
    assert "history.csv: no such file" in caplog.text
    shutil.move("history.csv", history)
    assert "plain" in import_missing(params)
    assert runs("plain")[0].data.metrics["bleu"] == 20.5
    seeds = [run for run in runs() if run.info.run_name.startswith("local_p")]
    assert {run.data.tags["system"] for run in seeds} == {"local_p"}  # so that MLflow groups them
    assert import_missing(params) == []


def test_a_folder_may_have_any_name(tmp_path, monkeypatch):
    folder = tmp_path / "c#? %20" / "project"
    folder.mkdir(parents=True)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n"
        "from attnmt.tracking import store\n"
        "client = store.connect()\n"
        "assert store.experiment_id(client, 'demo') == store.experiment_id(client, 'demo')"
    )
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)


def test_a_copied_project_does_not_write_into_the_first(
    project, monkeypatch, tmp_path_factory, caplog
):
    params = make_experiment(Path())
    write_report("index.html")
    monkeypatch.setattr(store, "DEFAULT_URI", store.store_uri())
    train()
    assert add_report(store.connect(), params)
    copy = tmp_path_factory.mktemp("copied") / "project"
    shutil.copytree(project, copy)
    monkeypatch.chdir(copy)
    write("reports/demo/index.html", "another")
    with pytest.raises(InputError, match=r"mlflow\.db.*copied or moved; delete"):
        add_report(store.connect(), params)
    for fingerprint in ("f1", "f2"):  # known, and new
        caplog.clear()
        train(fingerprint=fingerprint)
        assert re.search(r"mlflow\.db.*copied or moved; delete", caplog.text)
        assert len(caplog.records) == 1
    monkeypatch.chdir(project)
    assert artifacts("Report")["index.html"] == "index.html"
    assert len(runs("base")) == 1


def test_two_processes_may_start_without_a_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n"
        "from attnmt.tracking import live\n"
        "with live.training_run(experiment='demo', model=sys.argv[1], seed=1,"
        " fingerprint='f', started='2026-01-02', params={}, tags={}) as run:\n"
        "    run.log(1, {'train_cost': 1.0}); run.finish({})\n"
    )
    command, models = [sys.executable, "-c", script], ["base", "base_reverse"]
    jobs = [subprocess.Popen([*command, model], stderr=subprocess.PIPE) for model in models]
    assert [job.communicate()[1] for job in jobs] == [b""] * 2
    # The jobs used the default store. Its address is absolute here: MLflow keeps a relative one open.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    assert sorted(run.info.run_name for run in runs()) == models


@pytest.fixture
def held_lock(project, monkeypatch):
    """Hold the lock of the store, as another process does while it opens a new database."""
    monkeypatch.setattr(store, "LOCK_SECONDS", 0.01)
    with FileLock(store.LOCK):
        yield


@pytest.mark.parametrize("module", ["mlflow", "mlflow.store.tracking.sqlalchemy_store"])
def test_mlflow_is_imported_before_the_lock_is_taken(held_lock, monkeypatch, module):
    """The import takes seconds. If it held the lock, the last of many jobs would wait too long."""
    with pytest.raises(Timeout):
        store.connect()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=module):
        store.connect()


def test_jobs_do_not_wait_for_each_other_before_a_server(held_lock, monkeypatch):
    found = MagicMock()
    monkeypatch.setattr(mlflow, "MlflowClient", found)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://server:80/")
    assert store.connect() is found.return_value


def test_a_job_on_another_machine_does_not_touch_the_default_store(
    tmp_path, monkeypatch, caplog, fresh_store
):
    """The curves are left to `attnmt track`, unless a server is named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv(store.ELSEWHERE, "yes")
    with training() as run:
        run.log(1, {"train_cost": 1.0})
    assert "several machines" in caplog.text
    assert "attnmt track" in caplog.text
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/of_a_server.db")
    Path("of_a_server.db").write_bytes(fresh_store)
    with training():
        pass
    assert len(runs()) == 1
