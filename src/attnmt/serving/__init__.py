"""The best model of an experiment behind a server that runs offline."""
