"""The words of each language, taken from what the project itself says in both: sentences, rules, briefs, orders.

A word that both have, in sentences that say the same, is of neither; those are named (`SHARED`), so that a word that
slips into sentences of the other language is noticed and does not silently become one of both.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from pbem.engine.data.languages import read_display_names
from pbem.letters.catalogue import read_po_file

PBEM = Path(__file__).resolve().parents[2] / "pbem"
GAMES = sorted(path.parent for path in PBEM.glob("games/*/rules.txt"))
WORD = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(r"\{\w*:\|([^}|]*)\|([^}|]*)\}")
_GAP = re.compile(r"\{[^}]*\}")
_COMMAND = re.compile(
    r"\bpbem(?:\[| [a-z]+).*?(?=[;,.:`]|$)|--\w+|`[^`]*`|\w+=\w+|\S+\.(?:py|txt|json|html|md)\b|\S+@\S+|\bT\d+\.\w+"
)
"""What is typed as it stands: commands of the command line and their options, files, addresses, phases."""


def key(word: str) -> str:
    """A word as it is looked up: that of an order in capitals, every other in small letters."""
    return word if word.isupper() else word.lower()


def words(text: str) -> set[str]:
    """The words of a sentence as `key` has them, those of its gaps left out."""
    plain = _COMMAND.sub(" ", _GAP.sub(" ", _COUNTED.sub(r" \1 \2 ", text)))
    return {key(word) for word in WORD.findall(plain)}


def sentences() -> Iterator[tuple[str, str]]:
    """All that is said in English, with what is said in its place in Spanish."""
    for path in sorted(PBEM.glob("**/locale/es.po")):
        yield from read_po_file(path, "es").items()
    for game in GAMES:
        yield game.joinpath("rules.txt").read_text("utf-8"), game.joinpath("rules.es.txt").read_text("utf-8")
        for brief in sorted(game.glob("briefs/*.toml")):
            texts = tomllib.loads(brief.read_text("utf-8"))
            yield " ".join(texts["en"].values()), " ".join(texts["es"].values())
        for chart in sorted(game.glob("charts/*.txt")):
            yield chart.read_text("utf-8"), ""
        for phrases in import_module(f"pbem.games.{game.name}.orders").VOCABULARY.table.values():
            yield phrases[0], phrases[1] if len(phrases) > 1 else ""


@cache
def names() -> frozenset[str]:
    """What places and counters are called in orders, and so in letters of both languages."""
    own_names: set[str] = set()
    for game in GAMES:
        for path in game.glob("scenarios/*.toml"):
            for counter, place in re.findall(r'"\w+ \w+ (\S+) [^"]* at (\w+)"', path.read_text("utf-8")):
                own_names |= {counter, place}
        for path in game.glob("maps/*.spaces.csv"):
            own_names.update(line.split(",")[0] for line in path.read_text("utf-8").splitlines()[1:])
        for language in read_display_names(game / "locale" / "names.toml").values():
            own_names.update(language.names)
    # Letters call seats as their language does.
    own_names -= {"spain", "morocco", "british", "french", "SW", "NW"}
    own_names.add("Húsares")
    return frozenset(key(word) for name in own_names if "/" not in name for word in WORD.findall(name))


@cache
def both() -> tuple[frozenset[str], frozenset[str]]:
    """All the words of what is said in English, and all of what is said in Spanish."""
    english: set[str] = set()
    spanish: set[str] = set()
    for in_english, in_spanish in sentences():
        english |= words(in_english)
        spanish |= words(in_spanish)
    return frozenset(english), frozenset(spanish)


SHARED = frozenset(
    """
    HOSPITAL
    AR ART BM CAB CNV DE DR GIF HTML ID II III IL INF IR JSON KB NE NO NZ OF PF PNG SE SEEN UIDVALIDITY UTC art atom
    barrosa
    quite wargames
    azambujeira columbeira maubourg roliça soult torres usagre vedras
    SB bh buchholz director final sonneborn
    DKIM SPF bermeja bot bots byte bytes castillejos cerro ceuta control convoy decide del dice divide en es europe
    bye byes error donnell martín rif ríos
    factor he hospital html inf interceptor la me message mover no peninsular plan
    puerco
    ras sea tetuán total use wad
    SB bh
    """.split()  # noqa: SIM905 - a list of words is read best as words
)
"""Words that both languages have: in letters they are of neither."""
CODES = frozenset({"DB", "NE", "SE"})
"""What charts call results, and directions, in letters of both languages."""


@cache
def english() -> frozenset[str]:
    """Words that no Spanish letter has."""
    return frozenset(word for word in both()[0] - SHARED - CODES - names() if len(word) > 1)


@cache
def spanish() -> frozenset[str]:
    """Words that no English letter has."""
    return frozenset(word for word in both()[1] - SHARED - names() if len(word) > 1)
