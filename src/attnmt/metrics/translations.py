"""The translations of a test set against its references, with both of the paper's BLEUs."""

from dataclasses import asdict
from typing import Any

from attnmt.data.tokenizer import MosesTokenizer
from attnmt.metrics.bleu import nist_bleu, tokenised_bleu

Sentences = list[list[str]]


def score_translations(
    translations: Sentences, references: Sentences, moses: MosesTokenizer, samples: int
) -> dict[str, Any]:
    """Return tokenised BLEU and NIST BLEU with their intervals.

    Args:
        translations: tokens of every sentence.
        references: likewise.
        moses: of the target language; hyphens are joined before scoring, and for NIST tokens too.
        samples: of the bootstrap.
    """
    tokens, reference_tokens = (
        [" ".join(moses.join_hyphens(line)) for line in text] for text in (translations, references)
    )
    written, reference_written = (
        [moses.detokenize(line) for line in text] for text in (translations, references)
    )
    return {
        "tokenised": asdict(tokenised_bleu(tokens, reference_tokens, samples)),
        "nist": asdict(nist_bleu(written, reference_written, samples)),
    }
