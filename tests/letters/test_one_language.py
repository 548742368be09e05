"""A letter is of one language: no English word in a Spanish one, no Spanish word in an English one.

Held against short lists of common words that the other language does not have; what players wrote, addresses, and the
words that commands and names have in both are left out.
"""

import re
from pathlib import Path

import pytest

from pbem.core.orders.names import distance
from pbem.reports.catalogue import read

ROOT = Path(__file__).resolve().parents[1]
STORIES = sorted([*ROOT.glob("letters/stories/*.txt"), *ROOT.glob("sessions/*.txt")])
ENGLISH = frozenset(
    """
    the and with your you yours were was is are not from this that these those which what who whom their there
    them been being because until unless every each other another letter letters orders order turn phase
    standing deadline answer wanted received queued carried awaited fight fires fire loses lost wins won
    losses holds moves morale against leader vanguard screen cavalry artillery infantry steps points winner
    loser none safe yes assault charge retreats eliminated demoralised activated fired space spaces unit units
    enemy here when where within before after above below nothing nobody everybody line lines word words rule
    rules chart charts map moderator game seat seats side sides spain morocco spanish british french effect
    heads check die roll rolls luck odds expected spent fresh MOVE ASSAULT WITH FIRE AT CHARGE ACTIVATE RETIRE
    STANDING WHEN THEN YES IF ELSE ENDIF STOP PASS END ORDERS LATER ENDSTANDING
    """.split()  # noqa: SIM905 - a list of words is read best as words
)
SPANISH = frozenset(
    """
    el los las una unos con su sus usted para por desde hasta pero porque cuando donde antes nada nadie todos
    cada carta cartas orden ordenes órdenes turno fase plazo respuesta recibidas faltan pierde vence bajas
    aguanta moral contra líder vanguardia cortina caballería artillería infantería pasos puntos asalto carga
    unidad unidades enemigo espacio regla reglas tabla mapa partida puesto bando españa marruecos dado dados
    tirada MOVER ASALTAR CON FUEGO ACTIVAR CARGAR REPLEGAR DOCTRINA CUANDO ENTONCES PASAR FIN ORDENES DESPUES
    FINDOCTRINA
    """.split()  # noqa: SIM905 - a list of words is read best as words
)
WORD = re.compile(r"[A-Za-zÁÉÍÓÚÜÑáéíóúüñ]+")
APART = re.compile(
    # Addresses, proofs and files, what is quoted or shown as it has to be sent, dice to throw again.
    r"\S+@\S+|\S+/\S+|pbem\S*|\S+\.(?:py|txt|json|html)|«[^»]*»|`[^`]*`|\"[^\"]*\"|#\w+|https?:\S+|printf .*|openssl .*"
    r"|\b(?:HELP|AYUDA|SET|LANG|WHY|ODDS|TEST|DICE|PRESS|ENDPRESS|REOPEN|PROCESS|HOLD|RESUME|DEADLINE|EXTEND) .*"
)


MODERATOR = re.compile(
    r"^ *(?:- )?(?:Motivo|Reason|Decisión M\d+ del moderador|Ruling M\d+ of the moderator|Eso responde al [^:]*"
    r"|That answers [^:]*|El moderador ha dado [^:]*|The moderator has [^:]*|Quizá quiso decir): .*(?:\n.+)*",
    re.MULTILINE,
)
"""What a moderator wrote in his language, to the end of its paragraph, and words like one that a player wrote."""


def golden():
    for path in sorted(ROOT.glob("games/*/golden/*/report-*.txt")):
        text = path.read_text("utf-8")
        yield f"{path.parent.parent.parent.name}-{path.parent.name}-{path.stem}", text


LETTERS = list(golden())
OWN = "A field before the errata"
"""The title of a scenario that a golden turn was given."""


def foreign(text: str, said: str = "") -> dict[str, str]:
    """The words of the other language in a letter that are not among those `said` to us or a slip from them.

    Where a line shows what is written in both languages side by side, nothing is foreign.
    """
    own = set(WORD.findall(said))
    lines = [line for line in MODERATOR.sub("", text).split("\n") if not re.search(r"\S {3,}\S", line)]
    both = [
        {
            word: line
            for line in reversed(lines)
            for word in WORD.findall(APART.sub(" ", line))
            if word not in own and (word in words or (word.lower() in words and not word.isupper()))
        }
        for words in (ENGLISH, SPANISH)
    ]
    own_slips = [word.lower() for word in own if word.isupper()]
    both = [
        {word: line for word, line in one.items() if all(distance(word.lower(), slip) > 1 for slip in own_slips)}
        for one in both
    ]
    # What most of a letter is of is its language.
    return min(both, key=len)


def answers(path: Path):
    """The letters that a story shows, and all that was written to us in it."""
    parts = [part.partition("\n") for part in re.split(r"^-- ", path.read_text("utf-8"), flags=re.MULTILINE)]
    told = "\n".join(body for head, _, body in parts if not head.startswith("out"))
    shown = [body for head, _, body in parts if head.startswith("out")]
    return told, [letter for body in shown for letter in re.split(r"^(?=\[\[|##- )", body, flags=re.MULTILINE)]


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_an_answer_is_of_one_language(path):
    told, letters = answers(path)
    assert [found for letter in letters if (found := foreign(letter, f"{told} spain"))] == []


CATALOGUES = sorted(Path("pbem").absolute().glob("**/locale/es.po"))


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parent.parent.name)
def test_no_sentence_of_a_catalogue_holds_english(path):
    said = [re.sub(r"\{[^}]*\}", " ", spanish) for spanish in read(path, "es").values()]
    found = {line: hits for line in said if (hits := set(foreign(f"{SURELY} {line}", COMMANDS)))}
    assert said
    assert found == {}


@pytest.mark.parametrize("path", sorted(Path("pbem").absolute().glob("games/*/rules.es.txt")), ids=str)
def test_no_rule_is_told_in_english(path):
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) == len(path.with_name("rules.txt").read_text("utf-8").splitlines())
    assert [line for line in lines if foreign(f"{SURELY} {line}")] == []


SURELY = "el la los su con para por desde hasta cada todos nada nadie cuando donde porque pero sus"
"""Enough Spanish to tell what language the rest is to be of."""
COMMANDS = "pbem game rule dice spain ORDERS END"
"""What a catalogue may hold of commands of the server, ids of seats in examples, and lines of blocks."""


@pytest.mark.parametrize(("name", "text"), LETTERS, ids=[name for name, _ in LETTERS])
def test_a_report_is_of_one_language(name, text):
    assert foreign(text, OWN) == {}


def test_the_lists_share_no_word():
    assert set() == ENGLISH & SPANISH


def test_a_foreign_word_is_found():
    moved, read = "El turno de España: MOVE Leon", "la tabla da none"
    assert foreign(f"Su carta\n{moved}\n{read}\n") == {"MOVE": moved, "none": read}
    assert foreign(f"Su carta\n{moved}\n", "MOVE Leon TO Nudos") == {}
    assert foreign("your letter\nOrders of España") == {"España": "Orders of España"}
