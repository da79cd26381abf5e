"""Align words; write the dictionaries of both directions, and the aligner's own error rate.

Called by dvc.yaml as `python stages/lexicon.py params.yaml`.

The aligner learns from the training text alone, so that the dictionaries know nothing of a test set; the
aligned set is then aligned by what was learned.

Reads   data/<profile>/tokens/<train>.en, .de
                              <aligned>.en, .de, .links (gold, where known)
Writes  data/<profile>/lexicon/{en-de, de-en}.tsv  source word, target word, p(target | source), count
                               <aligned>.links     the aligner's links, Pharaoh, English-German
                               aligner.json        which aligner, and its error rate
"""

from pathlib import Path

from attnmt.config import load_params
from attnmt.data.aligner import SYSTEM, Aligner
from attnmt.data.lexicon import count_links, write_lexicon
from attnmt.data.links import format_links, read_links
from attnmt.data.parallel import count_parallel_lines, spread_pairs
from attnmt.errors import InputError
from attnmt.files import atomic_path, write_json, write_lines
from attnmt.layout import Layout
from attnmt.metrics.aer import aer
from attnmt.stage import run_stage


def main(params_file: Path) -> None:
    """Write the dictionaries of the profile that ``params_file`` describes."""
    params = load_params(params_file)
    layout, settings, name = Layout(params.profile), params.lexicon, params.sets.aligned
    train, aligned = (
        (layout.tokens / f"{part}.en", layout.tokens / f"{part}.de")
        for part in (params.sets.train, name)
    )
    gold_file = layout.tokens / f"{name}.links"
    gold = read_links(gold_file) if gold_file.exists() else []
    lines = count_parallel_lines(aligned)
    if gold and len(gold) != lines:
        raise InputError(
            f"{gold_file}: {len(gold):,} lines where the text has {lines:,}; "
            f"run the tokenise stage again"
        )
    aligner = Aligner(spread_pairs(*train, settings.max_pairs))
    counts = count_links(spread_pairs(*train, settings.max_pairs), aligner.learned_links())
    own = [aligner.align(*pair) for pair in spread_pairs(*aligned, lines)]
    result = {
        "system": SYSTEM,
        "set": name,
        "lines": lines,
        "aer": aer(own, [g.sure for g in gold], [g.possible for g in gold]) if gold else None,
        "sure": sum(len(g.sure) for g in gold),
        "possible": sum(len(g.possible) for g in gold),
    }
    with atomic_path(layout.lexicon) as folder:
        folder.mkdir()
        write_lexicon(folder / "en-de.tsv", counts, settings.min_count)
        backward = {(target, source): count for (source, target), count in counts.items()}
        write_lexicon(folder / "de-en.tsv", backward, settings.min_count)
        write_lines(folder / f"{name}.links", map(format_links, own))
        write_json(folder / "aligner.json", result)
    rate = "no gold links" if result["aer"] is None else f"AER {result['aer']:.3f} on {name}"
    print(f"{counts.total():,} links of {len(counts):,} pairs of words; {SYSTEM}: {rate}")


if __name__ == "__main__":
    run_stage(main, __doc__)
