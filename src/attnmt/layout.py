"""Where every file of an experiment lies, and the names of those that several modules read.

Paths are relative to the project's folder, where stages run, unless ``root`` names another.
"""

from dataclasses import dataclass
from pathlib import Path

# In the folder of a model
WEIGHTS, CONFIG, HISTORY = "weights.safetensors", "config.json", "history.csv"
METRICS = "metrics.json"
SUMMARY = "summary.json"  # of tokens, and of encoded text
ALIGNER = "aligner.json"  # beside the dictionaries
ORIGIN, LAST = "origin.json", "last.safetensors"  # beside checkpoints


@dataclass(frozen=True)
class Layout:
    """The files of one experiment."""

    experiment: str
    root: Path = Path()

    @property
    def raw(self) -> Path:
        """``<set>.<language>`` and, where gold links are known, ``<set>.links`` (Pharaoh)."""
        return Path(self.root, "data", self.experiment, "raw")

    @property
    def local_text(self) -> Path:
        """The text of an experiment that brings its own."""
        return Path(self.root, "experiments", self.experiment, "text")

    @property
    def downloads(self) -> Path:
        """Downloaded files. As they are not outputs, neither DVC nor Snakemake deletes them."""
        return Path(self.root, "data", "downloads", self.experiment)

    @property
    def tokens(self) -> Path:
        """``<set>.<language>``, ``<set>.links`` where known, and ``summary.json``."""
        return Path(self.root, "data", self.experiment, "tokens")

    def encoded(self, family: str) -> Path:
        """Tokens, vocabularies and ids as a family reads them, and ``summary.json``."""
        return Path(self.root, "data", self.experiment, "encoded", family)

    @property
    def dictionary(self) -> Path:
        """The dictionaries, and the aligner's own ``<set>.links`` and ``aligner.json``."""
        return Path(self.root, "data", self.experiment, "dictionary")

    def dictionary_file(self, source: str, target: str) -> Path:
        """The dictionary from one language to the other, given by their codes."""
        return self.dictionary / f"{source}-{target}.tsv"

    def model(self, name: str) -> Path:
        """Final weights, configuration, history and metrics of a model."""
        return Path(self.root, "models", self.experiment, name)

    def provenance(self, name: str) -> Path:
        """When, where and how fast a model was trained (:mod:`attnmt.training.provenance`)."""
        return Path(self.root, "runs", self.experiment, f"{name}.json")

    @property
    def published(self) -> Path:
        """The same of all trainings of a published experiment; in git."""
        return self.reports / "runs.csv"

    def checkpoints(self, name: str) -> Path:
        """Checkpoints of a model. As they are not outputs, nothing deletes them before a retry."""
        return Path(self.root, "checkpoints", self.experiment, name)

    def translations(self, name: str) -> Path:
        """Translations of the test sets and links of the aligned set, by a model or an ensemble."""
        return Path(self.root, "translations", self.experiment, name)

    def offset(self, name: str) -> Path:
        """The step whose attention links a word. A model without attention has no such file."""
        return self.translations(name) / "offset.json"

    def scores(self, name: str) -> Path:
        """All numbers of a model, an ensemble, or links that no model makes."""
        return Path(self.root, "scores", self.experiment, f"{name}.csv")

    def metrics(self, name: str) -> Path:
        """The few of these numbers that ``dvc metrics`` shows."""
        return Path(self.root, "scores", self.experiment, f"{name}.json")

    def counts(self, name: str) -> Path:
        """The counts of each sentence behind these numbers (:mod:`attnmt.scoring.counts`)."""
        return Path(self.root, "scores", self.experiment, f"{name}.npz")

    @property
    def score_table(self) -> Path:
        """Every number, ours and the paper's (:mod:`attnmt.scoring.score_table`); in git."""
        return self.reports / "scores.csv"

    @property
    def claims(self) -> Path:
        """The verdicts on the claims that the experiment tests; in git."""
        return self.reports / "claims.csv"

    @property
    def set_aside(self) -> Path:
        """Outputs of models that are no longer in the parameters."""
        return Path(self.root, "set-aside")

    @property
    def depends(self) -> Path:
        """The code and the parameters of each stage (:mod:`attnmt.workflow.dependencies`)."""
        return Path(self.root, "depends", self.experiment)

    @property
    def plan(self) -> Path:
        """The stages that Snakemake has planned. Their jobs read this file."""
        return Path(self.root, ".stages", self.experiment, "plan.json")

    def marker(self, stage: str) -> Path:
        """An empty file that Snakemake sees where a stage is done."""
        return Path(self.root, ".stages", self.experiment, f"{stage}.done")

    def record(self, stage: str) -> Path:
        """What the outputs of a stage were made of (:mod:`attnmt.workflow.record`)."""
        return Path(self.root, ".stages", self.experiment, f"{stage}.json")

    @property
    def reports(self) -> Path:
        """The report: ``scores.csv``, ``tables``, ``figures`` and ``index.html``; in git."""
        return Path(self.root, "reports", self.experiment)
