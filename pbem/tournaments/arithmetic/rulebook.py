"""Quote the rules by number, ``[E4.3]``, in the reader's language."""

from __future__ import annotations

from functools import cache
from importlib import resources

from pbem.engine.data.sources import read_rules, rule_lines


@cache
def _text(language: str) -> str:
    return read_rules(resources.files(__package__), language)


@cache
def _by_number(language: str) -> dict[str, str]:
    pairs = (line.split(maxsplit=1) for line in _text(language).splitlines() if line.strip())
    return {number: words for number, words in pairs}


def rule_numbers() -> tuple[str, ...]:
    """Return all rule numbers in order: E1, E1.1, ..."""
    return tuple(_by_number("en"))


def rule_text(number: str, language: str) -> str:
    """Return a rule without its number; raise KeyError if there is none.

    The text is English if the language has no translation.
    """
    return _by_number(language)[number]


def rules_below(number: str, language: str) -> tuple[str, ...]:
    """Return the lines of a rule and its subrules, each with its number.

    Empty if no rule has that number.
    """
    return rule_lines(_text(language), number)
