"""The parameters of an experiment: typed, documented, unknown keys refused before anything runs.

``params.yaml`` is the demo's and is commented; ``experiments/*/params.yaml`` are the others'.
"""

from attnmt.config.model import (
    Attention,
    Average,
    Cell,
    Direction,
    Ensemble,
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
from attnmt.config.run import Decoding, Evaluation, LinkStep, Machine
from attnmt.config.text import (
    ChoiceCorpus,
    DownloadCorpus,
    Encoding,
    File,
    GrammarCorpus,
    Lexicon,
    Licence,
    ParallelFiles,
    Pieces,
    Sets,
    Source,
    Tokenise,
)

__all__ = [
    "DEMO",
    "Attention",
    "Average",
    "Cell",
    "ChoiceCorpus",
    "Decoding",
    "Direction",
    "DownloadCorpus",
    "Encoding",
    "Ensemble",
    "Evaluation",
    "Family",
    "Fault",
    "File",
    "GrammarCorpus",
    "Lexicon",
    "Licence",
    "LinkStep",
    "Machine",
    "Model",
    "ModelShape",
    "ParallelFiles",
    "Params",
    "Pieces",
    "Precision",
    "Score",
    "Sets",
    "Source",
    "System",
    "Tokenise",
    "Training",
    "load_params",
    "params_file",
]
