"""MLflow, a view of the runs; ``mlflow ui`` in the project's folder shows it.

The files of a training are the record. While it runs, its curves go to MLflow in batches (live.py); if
MLflow is not installed, is unreachable or fails, one warning says so, the training goes on, and
``attnmt track`` (importing.py) fills the gap from the files.

An experiment is an experiment. In it each training and each ensemble is a run with its scores; its tag
``tables`` names the tables that show it. One more run carries the report and the best model. The run
of a training is known by its tags ``run``, its name, and ``fingerprint``, so a training that resumes
continues it.

The training calls ``live.training_run``; stages/report.py brings all else when everything is there
(``importing.log_results``), so that no stage before it waits seconds for MLflow's import. These two
never raise; the other functions do. What is in scores and in a report stands in
score_metrics.py and report.py, what all say to MLflow itself in store.py.
"""
