"""Files of text, JSON and YAML: read strictly, written whole or not at all."""
