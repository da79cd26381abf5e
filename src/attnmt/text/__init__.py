"""From raw text to ids: tokens, subwords, vocabularies, batches; the dictionary of aligned words."""
