"""What a game is held to besides its own tests: laws, fog, canonical text, replay, cases, rule numbers, mutants.

For games of the house and those that packages bring; `checks` is where to begin. What plays a game never imports it.
"""

from pbem.engine.testing.checks import Check, Proof, cases_in, checks, laws
from pbem.engine.testing.laws import Broken, GameLaws

__all__ = ["Broken", "Check", "GameLaws", "Proof", "cases_in", "checks", "laws"]
