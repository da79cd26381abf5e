"""From trained models to translations, links and scores of given translations."""
