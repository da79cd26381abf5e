# The stages of dvc.yaml as Snakemake rules: parallel on this machine, or on a cluster with --profile.
#   snakemake -j2                            the demo
#   snakemake -j2 --config experiment=captions  another experiment; -n shows what would run
# Each stage is a rule of the same name. Afterwards `attnmt commit --experiment captions` tells DVC what
# was made.
import os
import signal
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.jobs import Job
from snakemake.logging import logger

from attnmt.config import DEMO
from attnmt.errors import InputError
from attnmt.files.yaml_file import suggestion
from attnmt.first_import import refuse_other_code
from attnmt.layout import Layout
from attnmt.workflow import engine_stop, retries
from attnmt.workflow.dependencies import STAGE
from attnmt.workflow.graph import compare_stages, read_stages
from attnmt.workflow.record import write_plan

KEYS = ("experiment", "conda")  # of --config; conda is an environment that each job runs in
for key in config:
    if key not in KEYS:
        raise WorkflowError(f"error: --config: unknown key {key!r}{suggestion(key, KEYS)}")
EXPERIMENT = str(config.get("experiment", DEMO))
# Jobs on other machines read this file too; only the process that plans them asks what has changed.
PLANS = workflow.is_main_process
if PLANS:
    logger.info(f"{EXPERIMENT}: looking for what has changed")
# A scheduler warns with this signal, and the stage then saves. It would end Snakemake, and the stage
# with it.
signal.signal(signal.SIGUSR1, lambda *_: None)

LAYOUT, DRY = Layout(EXPERIMENT), workflow.output_settings.dryrun
try:
    refuse_other_code()
    stages = compare_stages(EXPERIMENT) if PLANS else read_stages(EXPERIMENT)
    RULES = [stage for stage in stages if stage.name != STAGE]  # which ran just now
    if PLANS and not DRY:
        write_plan(LAYOUT.plan, RULES)
except (InputError, OSError) as error:
    raise WorkflowError(f"error: {error}")  # Snakemake shows it without a traceback
if workflow.remote_exec:
    os.environ.update(ATTNMT_ELSEWHERE="yes")  # MLflow's file is not for several machines (tracking/store.py)


def command(stage, resources):
    """Return a stage's command. Where it has been promised a GPU, it first looks for one."""
    promised = workflow.remote_exec or "gpu" in workflow.global_resources
    looks = promised and resources.get("gpu")
    return "python -m attnmt.training.promised_gpu && " * bool(looks) + stage.command


def status_file(name):
    """Return the file into which a stage that fails writes its exit status (workflow/retries.py)."""
    return LAYOUT.marker(name).with_suffix(".status")


def marked(stage):
    """Return the file by which Snakemake knows whether a stage is done; a dry run removes none.

    Content says what is done (src/attnmt/workflow/record.py), and the times of files say nothing.
    """
    path = LAYOUT.marker(stage.name)
    if PLANS and stage.done:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    elif PLANS and DRY:
        return str(path.with_suffix(".todo"))
    elif PLANS:
        path.unlink(missing_ok=True)
        status_file(stage.name).unlink(missing_ok=True)
    return str(path)


if PLANS:
    retries.heed(Job, status_file)
# Where --set-resources or a profile names a kind of stage, such as train, it means all of these stages.
CHOSEN = workflow.resource_settings._parsed_overwrite_resources
MARKERS = {stage.name: marked(stage) for stage in RULES}


onstart:
    if workflow.touch:
        raise WorkflowError("error: --touch sets times, and content says what is done; leave it out")
    engine_stop.heed()


onerror:
    engine_stop.end()


rule all:
    input:
        list(MARKERS.values()),
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
            [ancient(MARKERS[name]) for name in stage.before],
        output:
            done=MARKERS[stage.name],
        log:
            f"logs/{EXPERIMENT}/{stage.name}.log",
        params:
            command=lambda wildcards, resources, stage=stage: command(stage, resources),
            status=str(status_file(stage.name)),
        priority: stage.priority
        threads: stage.threads
        resources:
            **stage.resources,
        conda:  # which snakemake --lint asks for
            lambda wildcards: config.get("conda")  # None means the environment of Snakemake itself
        shell:
            # With a trap the shell waits for a stage that is told to end and saves what it has.
            "trap : TERM USR1 HUP; export ATTNMT_PLANNED=yes; {{ {params.command}; }} > {log} 2>&1"
            " && touch {output.done} || {{ status=$?; echo $status > {params.status}; exit $status; }}"

    for chosen in (stage.kind, stage.name):
        workflow.get_rule(stage.name).resources.update(CHOSEN.get(chosen, {}))
