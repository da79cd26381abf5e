"""From tokens to what the models of a family read: words or pieces, vocabularies, ids."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attnmt.config import Encoding, Languages, Sets
from attnmt.corpora.parallel import count_parallel_lines
from attnmt.errors import InputError
from attnmt.files.progress import progress
from attnmt.files.text_file import iter_lines, sha256, write_json, write_text
from attnmt.layout import SUMMARY
from attnmt.text.encoded import training_digest, write_encoded
from attnmt.text.pieces import WORD_END, Cutter, learn_codes
from attnmt.text.vocabulary import Vocabulary, build_vocabulary

Codes = tuple[str, str]  # the codes of source and target


def encode_sets(
    tokens: Path, folder: Path, languages: Languages, sets: Sets, encoding: Encoding
) -> dict[str, Any]:
    """Write text, codes, vocabularies, ids and ``summary.json`` of all sets into ``folder``.

    Text is streamed. Only the word counts of a text and the places where its sentences begin are in
    memory.

    Returns:
        The summary: the codes of source and target; for each set its ``lines`` and, by language,
        ``tokens``, the share of ``unknown`` ones and the text's ``sha256``; the sizes of the
        vocabularies; whether tokens are ``pieces``; ``digest``, the digest of every byte that a
        training reads.

    Raises:
        InputError: if the files of a set are missing or do not fit each other, or if pieces cannot
            be learned from the training text or cannot represent a text (naming file and line).
    """
    codes = languages.codes
    lines = {
        name: count_parallel_lines(tokens / f"{name}.{code}" for code in codes)
        for name in sets.all()
    }
    summary: dict[str, Any] = {
        "languages": list(codes),
        "sets": {name: {"lines": count, "text": {}} for name, count in lines.items()},
        "vocabulary": {},
        "pieces": encoding.pieces is not None,
    }
    paths = [tokens / f"{sets.train}.{code}" for code in codes]
    cutters = _learn_pieces(
        dict(zip(codes, paths, strict=True)), lines[sets.train], folder, encoding
    )
    for language in codes:
        for name in sets.all():  # the training set first
            path = folder / f"{name}.{language}.tok"
            sentences = _sentences(tokens / f"{name}.{language}", encoding, lines[name], "words")
            cutter = cutters.get(language)
            counts = _write_text(path, map(cutter.cut, sentences) if cutter else sentences)
            if name == sets.train:
                vocabulary = build_vocabulary(counts, encoding.vocabulary)
                vocabulary.save(folder / f"vocab.{language}")
                summary["vocabulary"][language] = len(vocabulary)
            summary["sets"][name]["text"][language] = _describe(path, counts, vocabulary)
            read = progress(iter_lines(path), f"{path.stem}, ids", lines[name], "lines")
            ids = (vocabulary.encode(line.split()) for line in read)
            write_encoded(folder, name, language, ids)
    summary["digest"] = training_digest(folder)
    write_json(folder / SUMMARY, summary)
    return summary


def _sentences(path: Path, encoding: Encoding, total: int, what: str) -> Iterator[list[str]]:
    """Yield the words of a file of ``total`` lines of tokens; ``what`` says what they are read for."""
    lines = progress(iter_lines(path), f"{path.name}, {what}", total, "lines")
    for number, line in enumerate(lines, start=1):
        words = words_read(line, encoding, f"{path}:{number}")
        if not words:
            raise InputError(f"{path}:{number}: no words in this line; run the tokens stage again")
        yield words


def words_read(line: str, encoding: Encoding, place: str) -> list[str]:
    """Return the words that a family reads from a line of tokens; ``place`` names the line in an error.

    Raises:
        InputError: if words are to be cut into pieces and the line holds subword-nmt's own mark.
    """
    text = line.lower() if encoding.lowercase else line
    if encoding.pieces and WORD_END in text:
        raise InputError(
            f"{place}: the text holds {WORD_END!r}, with which subword-nmt marks the end of "
            f"a word; take it out, write &lt;/w&gt;, or have Moses tokenize the raw text"
        )
    words = text.split()
    return words[-encoding.length :] if encoding.length else words


def _learn_pieces(
    texts: Mapping[str, Path], lines: int, folder: Path, encoding: Encoding
) -> dict[str, Cutter]:
    """Learn and write the codes of both languages; return a cutter for each, or {} if words stay whole.

    Pieces that are rare in a language's own training text are split again, as subword-nmt's authors
    advise. So no piece is left that only the other language has.
    """
    if encoding.pieces is None:
        return {}
    counts = {code: Counter[str]() for code in texts}
    for code, path in texts.items():
        for words in _sentences(path, encoding, lines, "words to cut"):
            counts[code].update(words)
    codes = learn_codes(sum(counts.values(), Counter()), encoding.pieces.merges)
    write_text(folder / "codes", codes)
    threshold = encoding.pieces.threshold
    return {code: Cutter.of_text(codes, count, threshold, code) for code, count in counts.items()}


def _write_text(path: Path, sentences: Iterable[list[str]]) -> Counter[str]:
    """Write a text as the family reads it; return the count of its words or pieces."""
    counts: Counter[str] = Counter()
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for units in sentences:
            stream.write(" ".join(units) + "\n")
            counts.update(units)
    return counts


def _describe(path: Path, counts: Counter[str], vocabulary: Vocabulary) -> dict[str, Any]:
    """Return what the summary says about one side of a set."""
    unknown = sum(count for word, count in counts.items() if word not in vocabulary)
    return {"tokens": counts.total(), "unknown": unknown / counts.total(), "sha256": sha256(path)}
