"""Download or copy the raw text of all sets.

Called by dvc.yaml as `python stages/corpus.py params.yaml`.

Reads   experiments/<experiment>/text/ or another folder that corpus.text names, if the text is local
        data/downloads/<experiment>/, if the text is downloaded. Files that are not there yet come from
            the network. If ATTNMT_MIRROR names a folder, only that folder is read
Writes  data/<experiment>/raw/<set>.<language>    one sentence per line
                              <set>.<language>.2  other references, if known
                              <set>.links         gold word links, if known
        data/downloads/<experiment>/              the downloaded files, which are kept
"""

import attnmt.first_import  # isort: skip  # noqa: F401  before all that takes time to load

from pathlib import Path

from attnmt.config import load_params
from attnmt.corpora.raw_text import write_downloaded, write_local
from attnmt.files.atomic import atomic_folder
from attnmt.files.yaml_file import YamlFile
from attnmt.layout import Layout
from attnmt.workflow.stage import run_stage

# The parameters that decide the outputs
PARAMS = ("languages", "sets", "corpus")


def main(params_file: Path) -> None:
    """Write the raw text of the experiment that ``params_file`` describes."""
    params = load_params(params_file)
    layout = Layout(params.experiment)
    with atomic_folder(layout.raw) as folder:
        if params.local_text:
            write_local(params.local_text, params.languages, params.sets, folder)
        elif params.corpus.kind != "local":
            line = YamlFile.read(params_file).line(["corpus", "accept"])
            write_downloaded(
                params.corpus.chosen,
                params.languages.codes,
                params.sets,
                folder,
                layout.downloads,
                params.corpus.accept,
                f"{params_file}:{line}: corpus.accept",
            )


if __name__ == "__main__":
    run_stage(main, __doc__)
