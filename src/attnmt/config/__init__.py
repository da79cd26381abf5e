"""The parameters of an experiment, typed and explained. Unknown keys are refused before anything runs.

``systems.yaml`` describes the paper's systems for every experiment. ``params.yaml`` holds the demo's
parameters, ``experiments/*/params.yaml`` those of the other experiments.
"""

from attnmt.config.corpus import DownloadCorpus, File, Source
from attnmt.config.experiment import (
    CpuISA,
    Decoding,
    LengthPenalty,
    Machine,
    SearchRules,
)
from attnmt.config.languages import DIRECTIONS, LINKS, Direction, Language, Languages, Rule
from attnmt.config.model import Average, Cell, ModelShape, Precision, Recipe, System, Training
from attnmt.config.params import DEMO, Params, load_params, params_file
from attnmt.config.systems import (
    ALIGNER,
    CONSTANT,
    DIAGONAL,
    DICTIONARY,
    Column,
    TableEntry,
    TableRow,
)
from attnmt.config.text import Encoding, Sets, Tokenize
from attnmt.config.trainings import SYSTEMS

__all__ = [
    "ALIGNER",
    "CONSTANT",
    "DEMO",
    "DIAGONAL",
    "DICTIONARY",
    "DIRECTIONS",
    "LINKS",
    "SYSTEMS",
    "Average",
    "Cell",
    "Column",
    "CpuISA",
    "Decoding",
    "Direction",
    "DownloadCorpus",
    "Encoding",
    "File",
    "Language",
    "Languages",
    "LengthPenalty",
    "Machine",
    "ModelShape",
    "Params",
    "Precision",
    "Recipe",
    "Rule",
    "SearchRules",
    "Sets",
    "Source",
    "System",
    "TableEntry",
    "TableRow",
    "Tokenize",
    "Training",
    "load_params",
    "params_file",
]
