"""The model of ``reference.py``, faster. Each file says what it computes and why that is faster."""
