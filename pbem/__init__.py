"""A play-by-email adjudication server for board wargames."""

__version__ = "0.1.0"
