"""The languages that a page has at once, and its sentences in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.core.data.messages import Msg

__all__ = ["LANGUAGES", "Says", "both", "worded"]

LANGUAGES = ("en", "es")

Says = Callable[[str, Msg], str]
"""(language, sentence) -> the sentence as the language has it."""


def both(says: Says, said: Msg) -> list[str]:
    """Return a sentence in each of the `LANGUAGES`, in their order."""
    return [says(language, said) for language in LANGUAGES]


def worded(says: Says, words: Mapping[str, Msg]) -> dict[str, list[str]]:
    """Return words by their names, each in all of the `LANGUAGES`."""
    return {name: both(says, sentence) for name, sentence in words.items()}
