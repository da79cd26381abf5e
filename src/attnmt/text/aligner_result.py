"""What the stage dictionary says about the outside aligner: ``aligner.json``."""

from attnmt.config import Params
from attnmt.files.json_file import Positive, Record, Text, read_model
from attnmt.layout import Layout


class AlignerResult(Record):
    """The aligner, and what the dictionaries were counted on."""

    system: Text
    pairs: Positive  # in the training text
    parts: Positive  # that this text was aligned in
    min_count: Positive

    def __str__(self) -> str:
        """Say how the dictionaries were made."""
        in_parts = f", in {self.parts} parts" if self.parts > 1 else ""
        linked = f"words linked {self.min_count} times or more"
        return f"{self.system}, {self.pairs:,} pairs{in_parts}, {linked}"


def read_aligner(params: Params) -> AlignerResult:
    """Read what the dictionary stage says about its aligner.

    Raises:
        InputError: if the file is missing or damaged.
    """
    path = Layout(params.experiment).dictionary / "aligner.json"
    return read_model(path, AlignerResult, "run the dictionary stage again")
