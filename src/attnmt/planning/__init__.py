"""What running a profile would take, before it runs: ``attnmt plan``."""
