"""MLflow shows the runs; ``mlflow ui`` in the project's folder opens it.

The files of a training are the record, and MLflow is only a view of it. While a training runs, its
curves go to MLflow in batches (live.py). If MLflow is not installed, is unreachable or fails, one
warning says so and the training goes on. Later ``attnmt track`` (importing.py) fills the gap from the
files.

Each experiment of this project is an experiment in MLflow. Each training and each ensemble is a run in
it, with its scores. The tag ``system`` of a run is the same for all seeds. One more run carries the
report. The run of a training is found by its tags ``run`` (the model's name), ``fingerprint`` and
``started``, so a training that resumes continues its run.

The training calls ``live.training_run``. At the end stages/report.py adds everything else
(``importing.log_results``), so that no stage before it waits seconds for MLflow's import. These two
never raise an error; the other functions may. score_metrics.py logs scores.
store.py connects to MLflow and finds experiments in it, and runs.py finds and fills runs.
"""
