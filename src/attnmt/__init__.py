"""Luong, Pham and Manning (EMNLP 2015), from text to tables.

Rooms, in the order in which data flows; imports run one way, along this line:
``data`` -> ``model`` -> ``training`` -> ``decoding`` -> ``metrics`` -> ``reporting``.
"""
