"""A bilingual grammar that writes an English-German corpus with gold word alignments.

Both sentences are generated from one tree. Links are made together with the words, by these rules:

- *sure*: lexical counterparts. Content words (each part of ``oak table`` with *Eichentisch*),
  pronouns, articles and other determiners, prepositions, conjunctions, *not* with *nicht* or
  *kein*, modals, *will* with *wird*, the main verb with the German main verb wherever it stands,
  *to* with a free *zu*, and punctuation that both sides have.
- *possible*: function words inside another word or phrase: *the* in *im*, *do* and *is* (reading)
  with the German verb, *have* with the German auxiliary, a simple past also with the auxiliary of
  the Perfekt, ``'s`` with the genitive, a separated particle with the verb (sure with an English
  particle), a preposition that German renders by case, *sich* with the verb.
- *unlinked*: commas that only one side has.
"""

from attnmt.grammar.pairs import GoldPair, generate_pairs, generate_splits

__all__ = ["GoldPair", "generate_pairs", "generate_splits"]
