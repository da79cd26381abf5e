"""MLflow's view of the trainings, in a real store in a temporary folder."""

import json
import logging
import socket
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from small_experiment import ROOT
from tracking_inputs import CONFIG, FACTS, STARTED, training, write_scores, write_training

from attnmt.config import load_params
from attnmt.errors import InputError
from attnmt.files.csv_file import write_csv
from attnmt.files.text_file import write_json
from attnmt.tracking import store
from attnmt.tracking.importing import import_missing, log_results
from attnmt.training.provenance import Provenance

mlflow = pytest.importorskip("mlflow", reason="mlflow, of the extra 'workflow', is not installed")
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


def curve(run, name="dev_cost"):
    points = store.connect().get_metric_history(run.info.run_id, name)
    return sorted((point.step, point.value) for point in points)


def row(step, dev_cost):
    return {"step": step, "train_cost": dev_cost + 1, "dev_cost": dev_cost}


def assert_complete():
    """Check that MLflow has all of the training that ``write_training`` writes."""
    (tracked,) = runs("base")
    assert curve(tracked) == [(10, 5.25), (20, 5.0)]
    assert tracked.data.params["training.learning_rate"] == "1.0"
    assert tracked.data.tags["device"] == "cpu"
    assert tracked.data.metrics["perplexity.test1"] == 8.5
    assert tracked.data.metrics["target_words_per_second"] == 99.5
    assert tracked.data.metrics["test1.bleu"] == 20.5
    assert tracked.info.status == "FINISHED"
    assert tracked.info.end_time - tracked.info.start_time == 60_000


def test_a_training_has_a_run_that_grows_while_it_runs(project):
    with training() as run:
        run.log(row(10, 5.5))
        (tracked,) = runs("base")
        assert (curve(tracked), tracked.info.status) == ([(10, 5.5)], "RUNNING")
        run.log(row(20, 4.5))
        run.end({"best_step": 20, "perplexity": {"test1": 8.5}, "dataset_digest": "786c"})
    (tracked,) = runs("base")
    assert {"fingerprint": "f1", "started": STARTED}.items() <= tracked.data.tags.items()
    assert tracked.data.params["shape.layers"] == str(CONFIG["shape"]["layers"])
    assert curve(tracked, "train_cost") == [(10, 6.5), (20, 5.5)]
    assert tracked.data.metrics["perplexity.test1"] == 8.5
    assert tracked.info.status == "FINISHED"


def test_a_stopped_training_goes_on_in_its_run_without_doubled_points(project):
    def stopped():
        with training() as run:
            run.log(row(10, 5.5))
            run.log(row(20, 4.5))
            raise SystemExit(75)

    with pytest.raises(SystemExit):
        stopped()
    assert runs("base")[0].info.status == "KILLED"
    with training() as run:  # from the checkpoint of step 10
        run.log(row(20, 4.5))
        run.log(row(30, 3.5))
        run.end({})
    (tracked,) = runs("base")
    assert curve(tracked) == [(10, 5.5), (20, 4.5), (30, 3.5)]
    assert tracked.info.status == "FINISHED"


@pytest.mark.parametrize("other", [{"fingerprint": "f2"}, {"started": "2026-01-03T03:04:05+00:00"}])
def test_another_training_has_another_run_with_its_own_curve(project, other):
    """It has other settings or data, or it repeats the first."""
    for facts, cost in (({}, 5.5), (other, 5.25)):
        with training(**facts) as run:
            run.log(row(10, cost))
    assert sorted(curve(run) for run in runs("base")) == [[(10, 5.25)], [(10, 5.5)]]


def test_a_short_training_is_left_to_the_import_which_adds_nothing_twice(project):
    write_training()
    with training(after=60) as run:
        run.log(row(10, 5.5))
        run.end({})
    assert runs("base") == []
    assert import_missing(EXPERIMENT) == ["base"]
    assert_complete()
    before = Path("mlflow.db").read_bytes()
    assert import_missing(EXPERIMENT) == []
    assert Path("mlflow.db").read_bytes() == before
    write_scores("base", 21.5, aer=0.25)  # evaluated again
    assert import_missing(EXPERIMENT) == ["base"]
    (tracked,) = runs("base")
    assert curve(tracked) == [(10, 5.25), (20, 5.0)]
    assert {"test1.bleu": 21.5, "test1.aer": 0.25}.items() <= tracked.data.metrics.items()
    assert import_missing(EXPERIMENT) == []


def test_scores_of_an_earlier_training_stay_away_from_a_new_one(project):
    write_training()
    path = Path("models/demo/base/metrics.json")
    write_json(path, json.loads(path.read_text()) | {"perplexity": {"test1": 7.5}})  # trained again
    assert import_missing(EXPERIMENT) == ["base"]
    assert "test1.bleu" not in runs("base")[0].data.metrics


def test_a_model_that_was_trained_elsewhere_is_named_unless_its_training_is_published(
    project, caplog
):
    write_training()
    other = Path("runs/demo/base.json")
    write_json(other, json.loads(other.read_text()) | {"fingerprint": "f2"})
    assert import_missing(EXPERIMENT) == []
    assert str(other) in caplog.text
    write_csv(
        Path("reports/demo/runs.csv"),
        Provenance,
        [Provenance(**json.loads(other.read_text()) | {"fingerprint": "f1"})],
    )
    assert import_missing(EXPERIMENT) == ["base"]
    assert_complete()


def test_an_error_of_the_training_passes_through(project):
    with pytest.raises(ZeroDivisionError), training():
        raise ZeroDivisionError
    assert runs("base")[0].info.status == "FAILED"


def warnings(caplog):
    return [one for one in caplog.records if one.name == "attnmt.tracking.runs"]


def train(caplog):
    """Train with tracking that fails; check that this is said once, with the cure."""
    caplog.clear()
    with caplog.at_level(logging.WARNING), training() as run:
        run.log(row(10, 5.5))
        run.log(row(20, 4.5))
        run.end({"best_step": 1})
    (warning,) = warnings(caplog)
    assert "attnmt track" in warning.getMessage()
    return warning.getMessage()


def test_without_mlflow_a_training_goes_on(project, monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    train(caplog)
    write_training()
    log_results(EXPERIMENT)
    assert len(warnings(caplog)) == 2
    with pytest.raises(InputError, match="installed"):
        import_missing(EXPERIMENT)


def test_a_store_that_breaks_midway_is_completed_later(project, monkeypatch, caplog):
    write_training()
    with caplog.at_level(logging.WARNING), training() as run:
        run.log(row(10, 5.25))
        with monkeypatch.context() as patch:
            patch.setattr(mlflow.MlflowClient, "log_batch", lambda *_, **__: 1 / 0)
            run.log(row(20, 5.0))
        run.end({})
    assert len(warnings(caplog)) == 1
    assert runs("base")[0].info.status == "RUNNING"
    assert import_missing(EXPERIMENT) == ["base"]
    assert curve(runs("base")[0]) == [(10, 5.25), (20, 5.0)]
    assert runs("base")[0].info.status == "FINISHED"


def test_a_server_that_is_down_or_never_answers_costs_seconds(project, monkeypatch, caplog):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "1")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
        begun = time.monotonic()
        train(caplog)
    train(caplog)  # nobody listens now
    assert time.monotonic() - begun < 20


def test_a_store_that_cannot_be_written_or_is_of_another_version_is_left(project, caplog):
    with closing(sqlite3.connect("mlflow.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = 'f00'")
        database.commit()
    before = Path("mlflow.db").read_bytes()
    train(caplog)
    assert Path("mlflow.db").read_bytes() == before
    Path("mlflow.db").write_text("not a database")
    assert "SQLite cannot write" in train(caplog)
    with pytest.raises(InputError, match=r"mlflow\.db"):
        import_missing(EXPERIMENT)


def test_the_address_of_an_experiments_runs(project, monkeypatch):
    client = store.connect()
    client.create_experiment("another")
    number = store.experiment_id(client, "demo")
    page = f"#/experiments/{number}/runs?workflowType=machine_learning"
    assert store.runs_address(client, "demo") == f"http://127.0.0.1:5000/{page}"
    assert store.runs_address(client, "demo", 5002) == f"http://127.0.0.1:5002/{page}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://server:80/")
    assert store.runs_address(client, "demo", 5002) == f"http://server:80/{page}"


def test_two_trackings_at_once_write_one_curve_once(project, monkeypatch):
    write_training()
    search = mlflow.MlflowClient.search_runs

    def slow(*query):
        found = search(*query)
        time.sleep(0.5)  # the other tracking searches, too
        return found

    store.connect()
    with monkeypatch.context() as patch, ThreadPoolExecutor() as pool:
        patch.setattr(mlflow.MlflowClient, "search_runs", slow)
        added = list(pool.map(import_missing, [EXPERIMENT] * 2))
    assert sorted(added) == [[], ["base"]]
    assert_complete()


def test_two_processes_may_start_without_a_store(tmp_path, monkeypatch):
    folder = tmp_path / "c#? %20"  # and a folder may have any name
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n"
        "from attnmt.tracking.runs import LiveRun\n"
        f"config, facts = {CONFIG | {'seed': 1}}, {FACTS}\n"
        "with LiveRun(config | {'model': sys.argv[1]},"
        " facts | {'fingerprint': sys.argv[1]}, 0) as run:\n"
        "    run.log({'step': 1, 'dev_cost': 1.0}); run.end({})\n"
    )
    command, models = [sys.executable, "-c", script], ["base", "base_reverse"]
    jobs = [subprocess.Popen([*command, model], stderr=subprocess.PIPE) for model in models]
    assert [job.communicate()[1] for job in jobs] == [b""] * 2
    # Read by itself, because in this process MLflow keeps the store of an earlier test's folder.
    with closing(sqlite3.connect("mlflow.db")) as database:
        names = [name for (name,) in database.execute("SELECT name FROM runs ORDER BY name")]
    assert names == models


def test_a_job_on_another_machine_does_not_touch_the_default_store(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv(store.ELSEWHERE, "yes")
    assert "several machines" in train(caplog)
    assert list(tmp_path.iterdir()) == []
