"""Make or fetch the raw text of a profile. A stage of dvc.yaml, and a command of its own.

    python stages/corpus.py params.yaml

writes, whole or not at all,

    data/<profile>/raw/<set>.en, <set>.de    one sentence a line
    data/<profile>/raw/<set>.links           gold word links, where the corpus has them

Fetched files are kept in data/downloads/<profile>/. With ATTNMT_MIRROR=<folder> they are read from
that folder and nothing is fetched.
"""

from pathlib import Path

from attnmt.config import load_params
from attnmt.data.corpus import write_downloaded, write_generated
from attnmt.files import atomic_path
from attnmt.layout import Layout
from attnmt.stage import run_stage


def main(params_file: Path) -> None:
    """Write the raw text of the profile that ``params_file`` describes."""
    params = load_params(params_file)
    layout = Layout(params.profile)
    with atomic_path(layout.raw) as folder:
        folder.mkdir()
        if params.corpus.kind == "grammar":
            write_generated(params.corpus, folder)
        else:
            write_downloaded(params.corpus, params.sets.train, folder, layout.downloads)


if __name__ == "__main__":
    run_stage(main, __doc__)
