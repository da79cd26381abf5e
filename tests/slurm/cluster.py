"""A real SLURM cluster of one node, this machine, with two pretended GPUs.

Two partitions share the node: ``low``, and ``high``, whose jobs send those of ``low`` back into the
queue. A job must name its partition. The daemons listen only on 127.0.0.1. Their configuration must
lie in /etc/slurm, because Snakemake's plug-in does not pass ``SLURM_CONF`` on to its jobs.
"""

import os
import platform
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

INSTALL = "apt-get install slurmctld slurmd slurm-client munge slurm-wlm-basic-plugins"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol")
ETC = Path("/etc/slurm")
MARK = "# tests/slurm wrote this file and deletes it.\n"
SECONDS = 30.0  # the longest that a daemon may take to start or to stop
NULL_DEVICE = os.makedev(1, 3)

SLURM_CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
MinJobAge=86400
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=64000 Gres=gpu:2
PartitionName=low Nodes=ALL PriorityTier=1
PartitionName=high Nodes=ALL PriorityTier=2
"""


def obstacle() -> str | None:
    """Say why this machine cannot be the cluster; return None if it can."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"{', '.join(missing)} not found; on Debian, {INSTALL}"
    if os.geteuid() != 0:
        return "starting SLURM's daemons needs root"
    for file in (ETC / "slurm.conf", ETC / "gres.conf"):
        if file.exists() and not file.read_text().startswith(MARK):
            return f"{file} is another cluster's; run this on a machine without SLURM"
    if (ETC / "slurm.conf").exists() and "UP" in slurm("scontrol", "ping"):
        return "these tests run already"
    return None


@contextmanager
def one_node(folder: Path) -> Iterator[None]:
    """Run the cluster with its state and logs in ``folder``, and leave nothing else behind."""
    host = platform.node().partition(".")[0]
    settings = SLURM_CONF.format(host=host, folder=folder, cpus=os.cpu_count())
    for name in ("state", "spool"):
        (folder / name).mkdir()
    for number in range(2):
        os.mknod(folder / f"gpu{number}", 0o20600, NULL_DEVICE)
    (folder / "key").write_bytes(secrets.token_bytes(1024))
    (folder / "key").chmod(0o400)
    munge = [f"--{name}-file={folder / name}" for name in ("key", "pid", "seed")]
    with ExitStack() as stack:
        stack.enter_context(_file(ETC / "slurm.conf", settings))
        stack.enter_context(_file(ETC / "gres.conf", f"Name=gpu File={folder}/gpu[0-1]\n"))
        socket = folder / "munge.socket"
        # By force: munge refuses a folder that only root can enter.
        munged = ("munged", "--foreground", "--force", f"--socket={socket}", *munge)
        stack.enter_context(_daemon(folder, *munged))
        _wait(f"munge ({folder}/munged.log)", socket.exists)
        stack.enter_context(_daemon(folder, "slurmctld", "-D"))
        stack.enter_context(_daemon(folder, "slurmd", "-D"))
        _wait(
            f"the node ({folder}/slurm*.log)",
            lambda: "idle" in slurm("sinfo", "--noheader", "--format=%T"),
        )
        stack.callback(_end_jobs)
        yield


def slurm(*command: str) -> str:
    """Run one of SLURM's commands and return its output, errors included."""
    result = subprocess.run(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return result.stdout


def jobs(folder: Path) -> list[dict[str, str]]:
    """Return what SLURM knows about every job sent from a folder, finished ones included."""
    lines = slurm("scontrol", "--oneliner", "show", "jobs").splitlines()
    all_jobs = [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in lines]
    return [job for job in all_jobs if job.get("WorkDir") == str(folder)]


@contextmanager
def _file(path: Path, text: str) -> Iterator[None]:
    path.parent.mkdir(exist_ok=True)
    path.write_text(MARK + text)
    try:
        yield
    finally:
        path.unlink()


@contextmanager
def _daemon(folder: Path, *command: str) -> Iterator[None]:
    with (folder / f"{command[0]}.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def _end_jobs() -> None:
    slurm("scancel", "--user=root")
    _wait("the end of all jobs", lambda: not slurm("squeue", "--noheader"))


def _wait(what: str, done: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < end, f"SLURM: {what} took more than {SECONDS:.0f} s"
        time.sleep(0.2)
