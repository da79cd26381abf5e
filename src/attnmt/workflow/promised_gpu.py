"""Stop a job that has been promised a GPU and finds none: `python -m attnmt.workflow.promised_gpu`.

The Snakefile calls it before a stage that asks for a GPU, but only in jobs on other machines. The stage
itself would take the processor, and a training of hours would silently take weeks.
"""

import platform
import sys

import torch


def fault() -> str | None:
    """Say why torch finds no GPU here and what helps; return None if it finds one."""
    if torch.cuda.is_available():
        return None
    if torch.version.cuda or torch.version.hip:
        why = "the node's driver, or what the job may see, is at fault: compare nvidia-smi in a job"
    else:
        why = "this PyTorch is the build for processors: install the one for GPUs"
    return (
        f"this job asked for a GPU, and PyTorch {torch.__version__} finds none on {platform.node()}; "
        f"{why}; to compute on processors instead, add --resources gpu=0 to snakemake's command"
    )


if __name__ == "__main__" and (reason := fault()):
    sys.exit(f"error: {reason}")
