"""From raw text to ids: sources, corpus, tokens, vocabularies, batches, links, dictionaries."""
