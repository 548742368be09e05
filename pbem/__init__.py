"""A play-by-email adjudication server for board wargames."""

__version__ = "1.0.0"
