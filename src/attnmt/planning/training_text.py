"""What will be trained on of a text that no stage has read yet."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from attnmt.config import Encoding, Languages, Tokenize
from attnmt.corpora.parallel import Files, count_parallel_lines
from attnmt.errors import InputError
from attnmt.files.text_file import iter_lines
from attnmt.text.encode import learned_cutters, words_read
from attnmt.text.tokens import Reason, splitter, why_dropped

SAMPLE = (
    20_000  # of a text with twice as many pairs, at least so many evenly spread ones are looked at
)


@dataclass(frozen=True)
class TrainingText:
    """The pairs of a training text that were looked at: all of them, or every nth of a long text."""

    files: Files
    codes: tuple[str, str]  # of source and target
    lines: int  # pairs of the whole text
    every: int  # 1 if all pairs were looked at
    rows: list[list[list[str]]]  # the tokens of both sides of each pair that is kept
    left_out: Counter[Reason]  # the others, by reason

    @classmethod
    def read(cls, languages: Languages, files: Files, settings: Tokenize, name: str) -> Self:
        """Tokenize the pairs of the set ``name``, as the tokens stage does.

        Raises:
            InputError: if the files cannot be read or their numbers of lines differ, or if none of the
                pairs that are looked at is kept.
        """
        lines = count_parallel_lines(files)
        every = max(1, lines // SAMPLE)
        sides = [
            splitter(side, name in settings.tokenized, settings)
            for side in (languages.source, languages.target)
        ]
        rows: list[list[list[str]]] = []
        left_out: Counter[Reason] = Counter()
        for number, pair in enumerate(zip(*map(iter_lines, files), strict=True)):
            if number % every == 0:
                row = [tokens(line) for tokens, line in zip(sides, pair, strict=True)]
                if why := why_dropped(row, settings):
                    left_out[why] += 1
                else:
                    rows.append(row)
        if not rows:
            raise InputError(
                f"{name}: no training pair is left: {left_out['long']:,} are longer than "
                f"{settings.max_length} tokens, {left_out['empty']:,} have an empty side; give text "
                f"with a sentence in each line"
            )
        return cls(files, languages.codes, lines, every, rows, left_out)

    def whole(self, count: int) -> int:
        """Return about how often the whole text has what the pairs looked at have ``count`` times."""
        return round(count * self.lines / (len(self.rows) + self.left_out.total()))

    @property
    def pairs(self) -> int:
        """The pairs that are kept."""
        return self.whole(len(self.rows))

    def words(self, encoding: Encoding | None = None) -> dict[str, Counter[str]]:
        """Return how often the kept pairs have each word or piece of a family, by language.

        Without ``encoding``, return it for the tokens. Only pairs that were looked at count.

        Raises:
            InputError: if the text cannot be cut into pieces.
        """
        counts: dict[str, Counter[str]] = {}
        for at, (code, file) in enumerate(zip(self.codes, self.files, strict=True)):
            counts[code] = Counter()
            for row in self.rows:
                counts[code].update(_read(row[at], encoding, str(file)))
        if encoding is None or encoding.pieces is None:
            return counts
        # How often a piece must occur is said for the whole text.
        often = {
            code: Counter({word: self.whole(count) for word, count in words.items()})
            for code, words in counts.items()
        }
        _, cutters = learned_cutters(often, encoding.pieces)
        pieces: dict[str, Counter[str]] = {}
        for code, words in counts.items():
            pieces[code] = Counter()
            for word, count in words.items():
                for piece in cutters[code].cut([word]):
                    pieces[code][piece] += count
        return pieces


def _read(tokens: Sequence[str], encoding: Encoding | None, place: str) -> Sequence[str]:
    return words_read(" ".join(tokens), encoding, place) if encoding else tokens
