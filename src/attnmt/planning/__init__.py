"""What running an experiment would take, before it runs: ``attnmt plan``."""
