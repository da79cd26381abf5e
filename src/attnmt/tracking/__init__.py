"""MLflow shows the trainings; ``mlflow ui`` in the project's folder opens it.

The files of a training are the record, and MLflow is only a view of it. Each training is a run, found by
its fingerprint and its start: live.py writes it while the training runs, importing.py writes what is
missing from the files, both by runs.py. store.py connects. ``live.training_run`` and
``importing.log_results`` never raise an error; the other functions may.
"""
