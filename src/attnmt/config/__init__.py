"""The parameters of an experiment, typed and explained. Unknown keys are refused before anything runs.

``systems.yaml`` describes the paper's systems for every experiment. ``params.yaml`` holds the demo's
parameters, ``experiments/*/params.yaml`` those of the other experiments.
"""

from attnmt.config.corpus import File, Source
from attnmt.config.experiment import CpuISA, LengthPenalty, SearchRules
from attnmt.config.model import Cell, ModelShape, Precision, System, TrainingSettings
from attnmt.config.params import DEMO, Params, load_params, params_file
from attnmt.config.systems import (
    ALIGNER,
    CONSTANT,
    DIAGONAL,
    SYSTEMS,
    Column,
    TableEntry,
    TableRow,
)
from attnmt.config.text import (
    DIRECTIONS,
    LINKS,
    Direction,
    Encoding,
    Language,
    Languages,
    Rule,
    Sets,
    Tokenize,
)
from attnmt.config.trainings import Training

__all__ = [
    "ALIGNER", "CONSTANT", "DEMO", "DIAGONAL", "DIRECTIONS", "LINKS", "SYSTEMS", "Cell",
    "Column", "CpuISA", "Direction", "Encoding", "File", "Language", "Languages", "LengthPenalty",
    "ModelShape", "Params", "Precision", "Rule", "SearchRules", "Sets", "Source", "System",
    "TableEntry", "TableRow", "Tokenize", "Training", "TrainingSettings", "load_params",
    "params_file",
]  # fmt: skip
