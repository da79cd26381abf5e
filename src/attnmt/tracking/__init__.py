"""MLflow shows the trainings; ``mlflow ui`` in the project's folder opens it.

The files of a training are the record, and MLflow is only a view of it. :func:`runs.fill` writes its
run, while it trains (``LiveRun``) and later from its files (``importing``).
"""
