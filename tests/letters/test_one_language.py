"""A letter is of one language: no English word in a Spanish one, no Spanish word in an English one.

Held against all words that the project itself says in the other language (`languages`); what players wrote, addresses,
and the words that commands and names have in both are left out.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from pbem.engine.orders.names import distance
from pbem.letters.catalogue import read_po_file
from pbem.letters.ruling_records import Ruling
from pbem.server.catalogue import COMMANDS_BY_ROLE
from tests.letters.languages import SHARED, WORD, both, english, key, names, spanish, words

ROOT = Path(__file__).resolve().parents[1]
STORIES = sorted([*ROOT.glob("letters/stories/*.txt"), *ROOT.glob("sessions/*.txt")])
APART = re.compile(
    # Addresses, proofs and files, what is quoted or shown as it has to be sent, dice to throw again.
    r"\S+@\S+|\S+/\S+|pbem\S*|\S+\.(?:py|txt|json|html|toml)|«[^»]*»|`[^`]*`|\"[^\"]*\"|#\w+|https?:\S+"
    r"|printf .*|openssl .*|'label .*"
    # Hashes and their beginnings.
    r"|\b(?=[0-9a-f]*\d)[0-9a-f]{4,}\b"
    # The state of the log, what another player wrote, and what a session says is attached.
    r"|# SEEN .*|--witness .*|^\| .*|^\(attached: .*\)$"
    r"|\b(?:HELP|AYUDA|SET|LANG|WHY|ODDS|TEST|DICE|PRESS|ENDPRESS|REOPEN|PROCESS|HOLD|RESUME|DEADLINE|EXTEND) .*"
)


MODERATOR = re.compile(
    r"^ *(?:- )?(?:Motivo|Reason|Decisión M\d+ del moderador|Ruling M\d+ of the moderator|Eso responde al [^:]*"
    r"|That answers [^:]*|El moderador ha dado [^:]*|The moderator has [^:]*): .*(?:\n.+)*",
    re.MULTILINE,
)
"""What a moderator wrote in his language, to the end of its paragraph."""
CONDUCT = re.compile(r"^(?:El código de conducta|The code of conduct)\n(?:.+\n)+", re.MULTILINE)
"""What a director lays down in his language."""


NAMED = re.compile(r"Tetuan\s+Teams|Los\s+(?:Tercios|Leones)")
"""What a director and captains of the stories call a tournament and teams: the same in all languages."""
LABEL = re.compile(r"\(\S+[>/][^()]*\)")
"""What a roll is called where it is thrown again, and in the log: the same in all languages."""


def golden():
    for path in sorted(ROOT.glob("games/*/golden/*/report-*.txt")):
        text = path.read_text("utf-8")
        yield f"{path.parent.parent.parent.name}-{path.parent.name}-{path.stem}", text


LETTERS = list(golden())
OWN = "A field before the errata Viejo Segundo"
"""The title of a scenario that a golden turn was given, and counters of it."""


@cache
def beside_one_another() -> frozenset[tuple[str, ...]]:
    """What is written in both languages, as HELP of any role has it."""
    written = [
        (record.example_in("en"), record.example_in("es"))
        if isinstance(record, Ruling)
        else (record.form.example, record.form.spanish)
        for records in COMMANDS_BY_ROLE.values()
        for record in records
    ]
    return frozenset(pair for english, spanish in written for pair in ((english, spanish), (spanish, english)))


def foreign(text: str, own_text: str = "") -> dict[str, str]:
    """Find words of the other language in a letter but for those that the player wrote, and slips from them.

    Where a line shows what is written in both languages side by side, nothing is foreign.
    """
    own = {key(word) for word in WORD.findall(own_text)}
    lines = [
        line
        for line in NAMED.sub("", LABEL.sub("", CONDUCT.sub("", MODERATOR.sub("", text)))).split("\n")
        if not re.search(r"\S {3,}\S|^ {30}|^(?:CONSULTAR  ASK|ASK  CONSULTAR)$", line)
        and tuple(line.split("  ")) not in beside_one_another()
    ]
    both = [
        {
            word: line
            for line in reversed(lines)
            for word in WORD.findall(APART.sub(" ", line))
            if key(word) not in own and key(word) in words
        }
        for words in (english(), spanish())
    ]
    own_slips = [word.lower() for word in own if word.isupper()]
    both = [
        {word: line for word, line in word.items() if all(distance(word.lower(), slip) > 1 for slip in own_slips)}
        for word in both
    ]
    # What most of a letter is of is its language.
    return min(both, key=len)


def answers(path: Path):
    """The letters that a story shows, each with the last that was written to us before it."""
    text = ""
    for part in re.split(r"^-- ", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        if not head.startswith("out"):
            text = f"{head}\n{body}"
            continue
        for letter in re.split(r"^(?=\[\[|##- )", body, flags=re.MULTILINE):
            yield letter, text


def test_an_answer_is_of_one_language(subtests):
    for path in STORIES:
        with subtests.test(path.stem):
            assert [foreign_words for letter, text in answers(path) if (foreign_words := foreign(letter, text))] == []


CATALOGUES = sorted(Path("pbem").absolute().glob("**/locale/es.po"))


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parent.parent.name)
def test_no_sentence_of_a_catalogue_holds_english(path):
    sentences = read_po_file(path, "es").values()
    assert sentences
    assert {line: hits for line in sentences if (hits := words(line) & english())} == {}


@pytest.mark.parametrize("path", sorted(Path("pbem").absolute().glob("games/*/rules.es.txt")), ids=str)
def test_no_rule_is_told_in_english(path):
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) == len(path.with_name("rules.txt").read_text("utf-8").splitlines())
    assert {line: hits for line in lines if (hits := words(line) & english())} == {}


@pytest.mark.parametrize(("name", "text"), LETTERS, ids=[name for name, _ in LETTERS])
def test_a_report_is_of_one_language(name, text):
    assert foreign(text, OWN) == {}


def test_the_words_of_both_languages_are_named():
    in_english, in_spanish = both()
    assert {word for word in (in_english & in_spanish) - names() if len(word) > 1} == SHARED


def test_the_lists_are_long():
    assert min(len(english()), len(spanish())) > 1000
    assert english().isdisjoint(spanish())
    assert {"orders", "MOVE", "the", "of", "shock", "awaited", "REOPEN"} <= english()
    assert {"órdenes", "MOVER", "los", "de", "choque", "plazo", "ALTO"} <= spanish()


def test_a_foreign_word_is_found():
    moved, read = "El turno de España: MOVE Leon", "la tabla da none"
    assert foreign(f"Su carta\n{moved}\n{read}\n") == {"MOVE": moved, "none": read}
    assert foreign(f"Su carta\n{moved}\n", "MOVE Leon TO Nudos") == {}
    assert foreign("your letter\nOrders of España") == {"España": "Orders of España"}
