"""The languages that a page has at once, and its sentences in all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.engine.data.languages import known, language_of
from pbem.engine.data.messages import Msg
from pbem.pages.binder import worded_in

Says = Callable[[str, Msg], str]
"""(language, sentence) -> the sentence as the language has it."""


def tongues() -> dict[str, str]:
    """Return what the languages of a page call themselves, by their codes, in the order of its sentences."""
    return {code: language_of(code).name for code in known()}


def buttons() -> str:
    """Return a button for each language, English pressed."""
    return "\n".join(
        f'<button type="button" class="language" lang="{worded_in(code)}" aria-pressed="{str(code == "en").lower()}">'
        f"{worded_in(name)}</button>"
        for code, name in tongues().items()
    )


def in_language(said: Sequence[str], language: str) -> str:
    """Return of a sentence in each language that in one; English where there is none of it."""
    return dict(zip(known(), said, strict=False)).get(language, said[0])


def both(says: Says, said: Msg) -> list[str]:
    """Return a sentence in each of the languages, in their order."""
    return [says(language, said) for language in known()]


def worded(says: Says, words: Mapping[str, Msg]) -> dict[str, list[str]]:
    """Return words by their names, each in all of the languages."""
    return {name: both(says, sentence) for name, sentence in words.items()}
