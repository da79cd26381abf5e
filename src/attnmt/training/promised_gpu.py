"""Stop a job that has been promised a GPU and finds none: `python -m attnmt.training.promised_gpu`.

The Snakefile calls it before a stage that asks for a GPU, in jobs on other machines and wherever
`--resources gpu=` grants GPUs. The stage itself would take the processor, and a training of hours would
silently take weeks.
"""

import platform
import re
import sys

import torch


def fault() -> str | None:
    """Say why torch can use no GPU here and what helps; return None if it can use one."""
    place = f"PyTorch {torch.__version__} on {platform.node()}"
    if not torch.cuda.is_available():
        if torch.version.cuda or torch.version.hip:
            cure = "the driver, or what the job may see, is at fault: compare nvidia-smi in a job"
        else:
            cure = "this is the build for processors: install the one for GPUs"
        why = f"{place} finds none; {cure}"
    elif not _has_kernels():
        number = "{}.{}".format(*torch.cuda.get_device_capability())
        why = f"{place} has no kernels for its capability {number}; install a build that has them"
    else:
        try:
            torch.ones(8, device="cuda").sum().item()
            return None
        except RuntimeError as error:
            why = f"{place} cannot compute on it: {str(error).partition(chr(10))[0]}"
    return (
        f"this job asked for a GPU, and {why} (docs/cluster.md); to compute on processors instead, add "
        f"--resources gpu=0 to snakemake's command"
    )


def _has_kernels() -> bool:
    """Say whether this build has machine code for the GPU, or code that its driver can translate."""
    here = torch.cuda.get_device_capability()
    for name in torch.cuda.get_arch_list():
        if known := re.fullmatch(r"(sm|compute)_(\d+)(\d)[a-z]?", name):
            built = int(known[2]), int(known[3])
            if built <= here and (known[1] == "compute" or built[0] == here[0]):
                return True
    return torch.version.hip is not None


if __name__ == "__main__" and (reason := fault()):
    sys.exit(f"error: {reason}")
