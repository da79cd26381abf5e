"""Luong, Pham and Manning (EMNLP 2015), from text to tables.

These packages come in the order in which data flows, and each one imports only from those before it:
``corpora``, ``text``, ``model``, ``training``, ``decoding``, ``scoring``, ``reporting``.
"""
