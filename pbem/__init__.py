"""A play-by-email adjudication server for board wargames."""

from pbem import names_of_1_0

__version__ = "1.1.0"

names_of_1_0.install()
