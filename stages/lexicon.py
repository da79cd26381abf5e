"""Align the training words and write the dictionaries of both directions.

Called by dvc.yaml as `python stages/lexicon.py params.yaml`.

Reads   data/<profile>/prepared/<train>.<language>.tok
Writes  data/<profile>/lexicon/{en-de, de-en}.tsv
            source word, target word, p(target | source), count
"""

from pathlib import Path

from attnmt.config import load_params
from attnmt.data.aligner import Aligner
from attnmt.data.lexicon import write_lexicon
from attnmt.data.parallel import spread_pairs
from attnmt.files import atomic_path
from attnmt.layout import Layout
from attnmt.stage import run_stage


def main(params_file: Path) -> None:
    """Write the dictionaries of the profile that ``params_file`` describes."""
    params = load_params(params_file)
    layout, settings = Layout(params.profile), params.lexicon
    en, de = (layout.prepared / f"{params.sets.train}.{language}.tok" for language in ("en", "de"))
    aligner = Aligner(spread_pairs(en, de, settings.max_pairs), settings.iterations)
    links = aligner.linked_words()
    with atomic_path(layout.lexicon("en-de").parent) as folder:
        folder.mkdir()
        write_lexicon(folder / "en-de.tsv", links, settings.min_count)
        reversed_links = {(target, source): count for (source, target), count in links.items()}
        write_lexicon(folder / "de-en.tsv", reversed_links, settings.min_count)
    print(
        f"{len(aligner):,} pairs aligned; {links.total():,} links of {len(links):,} pairs of words"
    )


if __name__ == "__main__":
    run_stage(main, __doc__)
