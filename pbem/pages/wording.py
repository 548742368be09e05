"""Define the languages of a page, and translate its sentences to all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.engine.data.languages import language_of, supported_languages
from pbem.engine.data.messages import Msg, msg
from pbem.pages.binder import escape_text

Says = Callable[[str, Msg], str]
"""(language, sentence) -> the sentence as the language has it."""

MAP_WORDS: Mapping[str, Msg] = {
    "map": msg("Map"),
    "zoom": msg("Size of the map"),
    "closer": msg("Larger"),
    "farther": msg("Smaller"),
    "fit": msg("All of the map"),
    "by_mouse": msg("Wheel, + or -: larger and smaller. Drag to look elsewhere; 0 shows all."),
    "by_finger": msg("Two fingers: larger and smaller. Drag to look elsewhere."),
}
"""The sentences below every map."""


def language_names() -> dict[str, str]:
    """Return the languages' own names by their codes, in the order of sentences."""
    return {code: language_of(code).name for code in supported_languages()}


def buttons() -> str:
    """Return a button for each language, English pressed."""
    return "\n".join(
        f'<button type="button" class="language" lang="{escape_text(code)}" aria-pressed="{str(code == "en").lower()}">'
        f"{escape_text(name)}</button>"
        for code, name in language_names().items()
    )


def in_language(versions: Sequence[str], language: str) -> str:
    """Return the version of a sentence in a language, else in English."""
    return dict(zip(supported_languages(), versions, strict=False)).get(language, versions[0])


def in_all_languages(says: Says, sentence: Msg) -> list[str]:
    """Return a sentence in each of the languages, in their order."""
    return [says(language, sentence) for language in supported_languages()]


def translate_words(says: Says, words: Mapping[str, Msg]) -> dict[str, list[str]]:
    """Return words by their names, each in all of the languages."""
    return {name: in_all_languages(says, sentence) for name, sentence in words.items()}
