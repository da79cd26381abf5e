"""The parameters of an experiment, typed and explained. Unknown keys are refused before anything runs.

``systems.yaml`` describes the paper's systems for every experiment. ``params.yaml`` holds the demo's
parameters, ``experiments/*/params.yaml`` those of the other experiments.
"""

from attnmt.config.corpus import (
    ChoiceCorpus,
    DownloadCorpus,
    File,
    License,
    LocalCorpus,
    SetFiles,
    Source,
)
from attnmt.config.decoding import Decoding, Evaluation, LinkStep, Machine
from attnmt.config.experiment import Experiment
from attnmt.config.languages import DIRECTIONS, LINKS, RULES, Direction, Language, Languages, Rule
from attnmt.config.model import (
    Attention,
    Average,
    Cell,
    Ensemble,
    Entry,
    Family,
    Fault,
    Model,
    ModelShape,
    Precision,
    Score,
    System,
    Training,
)
from attnmt.config.params import DEMO, Params, load_params, params_file
from attnmt.config.systems import ALIGNER, DIAGONAL, TABLES, Systems, TableRow
from attnmt.config.text import Dictionary, Encoding, Pieces, Sets, Tokenize
from attnmt.config.trainings import SYSTEMS

__all__ = [
    "ALIGNER",
    "DEMO",
    "DIAGONAL",
    "DIRECTIONS",
    "LINKS",
    "RULES",
    "SYSTEMS",
    "TABLES",
    "Attention",
    "Average",
    "Cell",
    "ChoiceCorpus",
    "Decoding",
    "Dictionary",
    "Direction",
    "DownloadCorpus",
    "Encoding",
    "Ensemble",
    "Entry",
    "Evaluation",
    "Experiment",
    "Family",
    "Fault",
    "File",
    "Language",
    "Languages",
    "License",
    "LinkStep",
    "LocalCorpus",
    "Machine",
    "Model",
    "ModelShape",
    "Params",
    "Pieces",
    "Precision",
    "Rule",
    "Score",
    "SetFiles",
    "Sets",
    "Source",
    "System",
    "Systems",
    "TableRow",
    "Tokenize",
    "Training",
    "load_params",
    "params_file",
]
