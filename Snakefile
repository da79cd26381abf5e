# The stages of dvc.yaml as Snakemake rules: parallel on this machine, or on a cluster with --profile.
#   snakemake -j2                            the demo
#   snakemake -j2 --config experiment=captions  another experiment; -n shows what would run
# Each stage is a rule of the same name. Afterwards `attnmt commit --experiment captions` tells DVC what
# was made.
import os
import signal
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from attnmt.config import DEMO
from attnmt.errors import InputError
from attnmt.files.yaml_file import hint
from attnmt.layout import Layout
from attnmt.workflow import engine_stop
from attnmt.workflow.code import STAGE
from attnmt.workflow.first_import import refuse_other_code
from attnmt.workflow.graph import compare_stages, following, read_stages
from attnmt.workflow.record import write_order

KEYS = ("experiment", "conda")  # of --config; conda is an environment that each job runs in
for key in config:
    if key not in KEYS:
        raise WorkflowError(f"error: --config: unknown key {key!r}{hint(key, KEYS)}")
EXPERIMENT = str(config.get("experiment", DEMO))
# Jobs on other machines read this file too; only the process that plans them asks what has changed.
PLANS = workflow.is_main_process
if PLANS:
    logger.info(f"{EXPERIMENT}: looking for what has changed")
# A scheduler warns with this signal, and the stage then saves. It would end Snakemake, and the stage
# with it.
signal.signal(signal.SIGUSR1, lambda *_: None)

LAYOUT = Layout(EXPERIMENT)
try:
    refuse_other_code()
    stages = compare_stages(EXPERIMENT) if PLANS else read_stages(EXPERIMENT)
    RULES = [stage for stage in stages if stage.name != STAGE]  # which ran just now
    # A stage that is not done gets a new order. Snakemake goes by times: it runs a stage that is older
    # than its order.
    for stage in RULES if PLANS else ():
        write_order(LAYOUT.order(stage.name), stage, again=not stage.done)
except (InputError, OSError) as error:
    raise WorkflowError(f"error: {error}")  # Snakemake shows it without a traceback
if workflow.remote_exec:
    os.environ.update(ATTNMT_ELSEWHERE="yes")  # MLflow's file is not for several machines (tracking/store.py)


def command(stage, resources):
    """Return a stage's command. In a job on another machine, a stage that asks for a GPU first looks for it."""
    looks = workflow.remote_exec and resources.get("gpu")
    return "python -m attnmt.workflow.promised_gpu && " * bool(looks) + stage.command


@cache
def repeated():
    """Return the stages that option -R repeats, with all that follow."""
    return following(RULES, workflow.dag_settings.forcerun)


def age(stage):
    """Return how the times of a stage's inputs count.

    The content of a stage that is done is known to be up to date, so its inputs count as old.
    """
    return ancient if stage.done and stage.name not in repeated() else str


onstart:
    if workflow.touch:
        raise WorkflowError("error: --touch sets times, and content says what is done; leave it out")
    engine_stop.heed()


onerror:
    engine_stop.end()


rule all:
    input:
        [path for stage in RULES for path in stage.outputs if path not in stage.absent],
    default_target: True
    message:
        f"All stages of experiment {EXPERIMENT}"


for stage in RULES:

    rule:
        name:
            stage.name
        message:
            f"{stage.name}: {stage.description}"
        input:
            lambda wildcards, stage=stage: [
                age(stage)(path) for path in stage.inputs if path not in stage.absent
            ],
            order=lambda wildcards, stage=stage: age(stage)(str(LAYOUT.order(stage.name))),
        output:
            [
                path if Path(path).suffix else directory(path)
                for path in stage.outputs
                if path not in stage.absent
            ],
        log:
            f"logs/{EXPERIMENT}/{stage.name}.log",
        params:
            command=lambda wildcards, resources, stage=stage: command(stage, resources),
        priority: stage.priority
        threads: stage.threads
        resources:
            **stage.resources,
        conda:
            lambda wildcards: config.get("conda")  # None means the environment of Snakemake itself
        shell:
            # With a trap the shell waits for a stage that is told to end and saves what it has.
            "trap : TERM USR1; export ATTNMT_ORDER={input.order}; {{ {params.command}; }} > {log} 2>&1"
