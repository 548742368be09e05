"""Read the rules of tournaments by number, ``[E4.3]``, in the reader's language."""

from __future__ import annotations

from functools import cache
from importlib import resources

from pbem.engine.data.sources import contents_of, read_rules, rule_lines


@cache
def _text(language: str) -> str:
    return read_rules(resources.files(__package__), language)


def rules_below(number: str, language: str) -> tuple[str, ...]:
    """Return the lines of a rule and those below it; without a number the chapters.

    A line begins with its number. It is English if the language has no translation.
    """
    return rule_lines(_text(language), number) if number else contents_of(_text(language))
