"""Where every file of a profile lies: the one place that names them, beside dvc.yaml.

All paths are relative to the project's folder, where stages run.
"""

from dataclasses import dataclass
from pathlib import Path


def run_name(model: str, seed: int) -> str:
    """Name one training: ``<model>-<seed>``. The same name serves files, MLflow and reports."""
    return f"{model}-{seed}"


@dataclass(frozen=True)
class Layout:
    """The files of one profile."""

    profile: str

    @property
    def raw(self) -> Path:
        """``<set>.en``, ``<set>.de`` and, where gold links are known, ``<set>.links`` (Pharaoh)."""
        return Path("data", self.profile, "raw")

    @property
    def downloads(self) -> Path:
        """Fetched files, kept: no output of a stage, so that no engine deletes them."""
        return Path("data", "downloads", self.profile)

    @property
    def prepared(self) -> Path:
        """Tokens, vocabularies, ids and ``summary.json``."""
        return Path("data", self.profile, "prepared")

    def lexicon(self, direction: str) -> Path:
        """Dictionary of one direction."""
        return Path("data", self.profile, "lexicon", f"{direction}.tsv")

    def model(self, run: str) -> Path:
        """Final weights, configuration, history and metrics of a run."""
        return Path("models", self.profile, run)

    def checkpoints(self, run: str) -> Path:
        """Checkpoints of a run; not an output, so that no engine deletes it before a retry."""
        return Path("checkpoints", self.profile, run)

    def translations(self, run: str) -> Path:
        """Translations of the test sets."""
        return Path("translations", self.profile, run)

    def scores(self, run: str) -> Path:
        """All scores of a run with what they are scores of."""
        return Path("scores", self.profile, f"{run}.json")

    def alignments(self, run: str) -> Path:
        """Links and alignment error rate of a run."""
        return Path("alignments", self.profile, run)

    @property
    def reports(self) -> Path:
        """Tables and figures; in git."""
        return Path("reports", self.profile)
