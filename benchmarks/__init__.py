"""The speed of this program and of its peers, which take turns in one run. README.md says more."""
