"""Checks of a game besides its own tests.

They are laws, fog, canonical text, replay, cases, rule numbers and mutants, for shipped games and those of
packages; begin with `checks`. Code that plays a game never imports this.
"""

from pbem.engine.testing.checks import Check, Proof, cases_in, checks, laws
from pbem.engine.testing.laws import GameLaws, LawViolation

__all__ = ["Check", "GameLaws", "LawViolation", "Proof", "cases_in", "checks", "laws"]
