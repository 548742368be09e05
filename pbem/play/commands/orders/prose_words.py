"""List the words that tell orders from questions in prose, in both languages."""

from __future__ import annotations

import re

from pbem.engine.orders.lex import fold

_SENTENCE = re.compile(r"(?<=[.;!?])(?=\s|$)|\n\s*\n|\n\s*[-*\u2022]\s*")
CLAUSE = re.compile(
    r"[,:;]|\b(?:then|but|while|luego|despu[e\u00e9]s|pero|sino|mientras)\b|\b(?:and|y)\s+(?=(?:to|that|que)\b)",
    re.IGNORECASE,
)
AND = re.compile(r"\b(?:and|y|e|or|o|nor|ni)\b", re.IGNORECASE)
NOT = re.compile(
    "not|dont|doesnt|cannot|cant|never|no|nunca|jamas|tampoco|neither|nor|ni|stays?|staying|remains?|keeps?|leaves?|waits?"
    "|halts?|queden?|quedese|quedar|quedarse|quedan?|permanezcan?|permanecen?|mantengan?|esperen?|esperar|dejen?|dejar"
    "|holds?|holding|aguant(?:a|e|an|en|ar)|resist(?:a|e|an|en|ir)"
)
"""Words of clauses that forbid an action or tell units to do nothing, in lower case without accents."""
WITHOUT = re.compile(
    r"\b(?:without|except|instead of|rather than|but not|sin|excepto|salvo|menos|en vez de|en lugar de)\b",
    re.IGNORECASE,
)
FILLING = re.compile("the|an?|at|to|with|and|of|led|by|on|el|la|los|las|al|en|con|y|de|que|por|mando")
"""Words of a line without a meaning of their own, in lower case without accents."""
_WORDS = (
    ("ASSAULT CHARGE", "attack attacks assault assaults storm take takes seize capture hit"),
    ("ASSAULT CHARGE", "atacar ataque ataquen ataca asaltar asalte asalten asalta asalto tomar tome tomen conquistar"),
    ("CHARGE", "charge charges cargar cargue carguen carga"),
    ("MOVE", "move moves go goes come comes march marches advance advances ride walk bring brings send sends return"),
    ("MOVE", "follow follows mover mueva muevan mueve ir va van vaya vayan vuelva vuelvan llevar lleve lleven lleva"),
    (
        "MOVE",
        "marchar marche marchen avanzar avance avancen avanza enviar envie envien traer traiga traigan pase pasen",
    ),
    ("FIRE", "fire fires shoot shoots shell bombard disparar dispare disparen bombardear bombardee fuego"),
    ("RETIRE", "retire withdraw replegar repliegue replieguen"),
)
VERBS_OF_WORD = {word: verbs.split() for verbs, words in _WORDS for word in words.split()}
"""The orders that a folded word asks for."""
EMPTY_WORDS = re.compile("please|thank|thanks|very|much|soon|possible|general|favor|posible|antes|gracias|hello|dear")

BRANCHES = re.compile(
    "artillery|guns|cannons?|batter(?:y|ies)|cavalry|horse|hussars|dragoons|lancers|cuirassiers|infantry|trains?|wagons?"
    "|convoys?|artilleria|canones|piezas|baterias?|caballeria|jinetes|husares|dragones|lanceros|coraceros|infanteria"
    "|carros|convoyes"
)
"""Folded words for kinds of troops: beside the name of no unit they may leave out whom the author meant."""

SPANISH_TROOPS = {"hussars": "husares", "lancers": "lanceros", "cuirassiers": "coraceros"}
"""English words for troops whose units bear Spanish names."""


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text that hold anything."""
    return [text_part for text_part in _SENTENCE.split(text) if text_part.strip()]


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks, and so orders nothing.

    A request with a question mark does not ask.
    """
    folded = fold(sentence)
    is_marked = "?" in sentence and not _REQUEST.search(folded)
    return is_marked or _ODDS_ASKED.search(folded) is not None


_REQUEST = re.compile(r"\b(?:please|por favor)\b")
_ODDS_ASKED = re.compile(
    r"\b(?:odds|chances?|likel(?:y|ihood)|probab(?:ly|ility|ilities|ilidad|ilidades)|posibilidad(?:es)?"
    r"|what if|how many|que pasa(?:ria)? si|cuant[oa]s?)\b"
)
"""Folded words of questions about odds, with a question mark or without."""
