"""From raw text to ids: tokens, subwords, vocabularies and batches; the dictionary of aligned words."""
