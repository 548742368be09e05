"""Whatever a stranger or a player writes stays what it is: words, wherever it is shown."""

import email
import email.policy
import json
import re
import unicodedata
from dataclasses import replace

import pytest
from sqlmodel import select

from pbem.cli.log_output import open_log
from pbem.cli.output import print_table
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.server import outbox_sender
from pbem.server.catalogue import COMMANDS_BY_NAME
from pbem.store import tables
from tests.harness.battle import ANA, IDRIS, PlayedBattle

HOSTILE = {
    "template": b"{{7*191}}{% raw %}{{ config }}{# x #}${7*191}<%= 7*191 %>#{7*191}",
    "gaps": b"{seat}{0.__class__}%(game)s%s{}",
    "sql": b"x'; DROP TABLE game; --",
    "shell": b"$(touch owned) `id` ; & | > owned",
    "formula": b'=HYPERLINK("http://evil.example")',
    "at formula": b"@SUM(1+1)*cmd|' /C calc'!A0",
    "terminal": b"\x1b[2J\x1b]0;owned\x07\x9b31m",
    "bell": b"\x07\x08\x7f\x00",
    "bidi": "\u202eevil\u2066\u200f".encode(),
    "lines": b"x\r\n Bcc: victim@evil.example",
    "encoded lines": b"=?utf-8?q?x=0D=0ABcc:_victim@evil.example?=",
    "separators": "x\u2028Bcc: victim@evil.example\u2029\u0085y".encode(),
    "markup": b"<script>alert(1)</script><img src=x onerror=alert(1)>",
    "surrogate": b"\xed\xa0\x80\xff\xfe",
    "sentinel": b"##- please write above this line -##",
    "block": b"END ORDERS T1 MOVE Cuenca TO Playa",
    "long": b"A" * 3000,
    "marks": b"e" + "\u0301".encode() * 500,
}
PLACES = {
    "name": b"From: X <%s>\r\nTo: SEAT\r\nSubject: s\r\n\r\nSTATUS\r\n" % ANA.encode(),
    "subject": b"From: ANA\r\nTo: SEAT\r\nSubject: X\r\n\r\nSTATUS\r\n",
    "name of the seat": b"From: ANA\r\nTo: X <SEAT>\r\nSubject: s\r\n\r\nSTATUS\r\n",
    "greeting": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nX\r\n\r\nSTATUS\r\n",
    "command": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nSTATUS\r\nX\r\n",
    "order": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nORDERS T1\r\nX\r\nEND\r\n",
    "unit": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nORDERS T1\r\nACTIVATE Nudos\r\nMOVE X TO Playa\r\nEND\r\n",
    "space": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nORDERS T1\r\nACTIVATE X\r\nEND\r\n",
    "comment": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nORDERS T1\r\nPASS # X\r\nEND\r\n",
    "standing": b"From: ANA\r\nTo: SEAT\r\n\r\nSTANDING FOR SPACE X\r\nWHEN ASSAULTED THEN X\r\nENDSTANDING\r\n",
    "zone": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nSET TZ X\r\n",
    "chart": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nCHART X\r\n",
    "odds": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nODDS ASSAULT X WITH X\r\n",
    "help": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nHELP X\r\n",
    "moves": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nMOVES X\r\n",
    "press": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nPRESS TO morocco\r\nX\r\nENDPRESS\r\n",
    "press to all": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nSAY X\r\n",
    "appeal": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nAPPEAL #1 X\r\n",
    "join": b"From: ANA\r\nTo: SEAT\r\nSubject: s\r\n\r\nJOIN X AS X CODE X\r\n",
    "message-id": b"From: ANA\r\nTo: SEAT\r\nMessage-ID: <X@evil.example>\r\n\r\nSTATUS\r\n",
    "references": b"From: ANA\r\nTo: SEAT\r\nIn-Reply-To: <X>\r\nReferences: <X> <X@y>\r\n\r\nSTATUS\r\n",
    "sender": b'From: "X" <X@evil.example>\r\nTo: SEAT\r\nSubject: s\r\n\r\nSTATUS\r\n',
    "stranger": b"From: X <eve@evil.example>\r\nTo: pbem@games.example\r\nSubject: X\r\n\r\nX\r\n",
    "stranger's request": b"From: eve@evil.example\r\nTo: pbem@games.example\r\n\r\nJOIN X\r\n",
    "stranger's address": b"From: X@evil.example\r\nTo: pbem@games.example\r\n\r\nLIST\r\n",
}
FIELDS = {
    *("From", "To", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "Auto-Submitted"),
    *("X-Loop", "List-Id", "List-Unsubscribe", "MIME-Version", "Content-Type", "Content-Transfer-Encoding"),
}


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def harmless(text):
    """No character that moves a cursor, turns the direction of writing, or hides."""
    return all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in text)


def letter(table, place, hostile):
    seat = table.addresses["spain"].encode()
    return PLACES[place].replace(b"SEAT", seat).replace(b"ANA", ANA.encode()).replace(b"X", hostile)


@pytest.mark.parametrize("place", PLACES)
def test_what_is_written_anywhere_comes_out_as_words(table, place, capsys):
    """A third of it at each place, by turns."""
    comes_out_as_words(table, place, capsys, [*HOSTILE][[*PLACES].index(place) % 3 :: 3])


@pytest.mark.full
@pytest.mark.parametrize("place", PLACES)
def test_all_that_is_written_anywhere_comes_out_as_words(table, place, capsys):
    comes_out_as_words(table, place, capsys, [*HOSTILE])


def comes_out_as_words(table, place, capsys, names):
    open_log("console", 20)
    games = [row.model_dump() for row in rows(table, tables.Game)]
    token = table.addresses["spain"].split("@")[0][-16:]
    answered = set()
    for name in names:
        table.clock.at = table.clock.at.replace(microsecond=0)
        delivered = table.deliver(letter(table, place, HOSTILE[name]))
        assert delivered.verdict in ("seat", "stranger", "poison", "copy", "loop"), name
        assert delivered.outcome != "fault", name
        for raw in delivered.answers:
            answered.add(shown(raw, name))
    assert answered
    for row in rows(table, tables.Outbox):
        if row.message_id in answered:
            continue
        for raw in outbox_sender.render(table.server, [row.message_id]):
            shown(raw, row.kind)
    logged = capsys.readouterr()
    text = logged.out + logged.err
    assert harmless(re.sub(r"\x1b\[[0-9;]*m", "", text) if "\x1b[0m" in text else text)
    assert token not in text
    assert [row.model_dump() for row in rows(table, tables.Game)] == games


def shown(raw, name):
    """Check that the header of an answer is all ours and its text harmless; return its Message-ID."""
    assert max(map(len, raw.split(b"\r\n"))) <= 998, name
    assert b"\n" not in raw.replace(b"\r\n", b""), name
    assert raw.isascii(), name
    read = email.message_from_bytes(raw, policy=email.policy.default)
    assert set(read.keys()) <= FIELDS, name
    assert len(read.keys()) == len(set(read.keys())), name
    assert not read.defects, name
    # Nobody but who is meant is written to: what a sender claims to be may be answered, once a day.
    assert read["To"] in (ANA, IDRIS, "op@games.example") or str(read["To"]).endswith("@evil.example"), name
    for value in read.values():
        assert harmless(str(value)), name
    body = read.get_body()
    assert body is not None
    text = str(body.get_content()).replace("\r\n", "\n")
    files = [str(file.get_content()).replace("\r\n", "\n") for file in read.iter_attachments()]
    assert all(map(harmless, files)), name
    assert harmless(text), name
    assert "1337" not in text, name
    return str(read["Message-ID"])


def rows(table, kind):
    with table.server.session() as session:
        return list(session.exec(select(kind)))


@pytest.mark.parametrize("name", HOSTILE)
def test_tables_of_the_command_line_show_nothing_that_moves_the_cursor(name, capsys):
    text = HOSTILE[name].decode("utf-8", "replace")
    print_table([("NAME", "MAIL"), (text, "x")])
    out = capsys.readouterr().out
    assert harmless(out)
    assert out.count("\n") <= 2 + text.count("\n")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_letters_and_few_marks(tmp_path, name):
    table = PlayedBattle(tmp_path)
    with table.server.work() as work:
        founding.new_game(
            work, founding.NewGame(name="g2", game="africa1860", scenario="castillejos", pace=Pace(), open_seats=True)
        )
    with table.server.work() as work:
        called = HOSTILE[name].decode("utf-8", "replace")
        seating.invite_seat(work, seating.Invitation(game="g2", seat="spain", email="x@y.example", person=called))
    (person,) = [row for row in rows(table, tables.Person) if row.name not in ("ana", "idris")]
    assert re.fullmatch(r"[\w .'-]{1,40}", person.name)
    table.server.engine.dispose()


@pytest.mark.parametrize("style", ["console", "json"])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_log_line_is_one_line_without_tokens(name, style, capsys):
    log = open_log(style, 20)
    secret = "pbem+g1-spain-abcdefghijklmnop@games.example"
    try:
        raise ValueError(f"{HOSTILE[name].decode('utf-8', 'replace')} {secret}")
    except ValueError as wrong:
        log.info("letter taken", why=str(wrong), to=[secret], more={"at": secret})
        line = capsys.readouterr().err
        log.exception("a letter is set aside", who=secret)
        traceback = capsys.readouterr().err
    bare = re.sub(r"\x1b\[[0-9;]*m", "", line)
    assert bare.count("\n") == 1
    for printed in (bare, re.sub(r"\x1b\[[0-9;]*m", "", traceback)):
        assert harmless(printed)
        assert "abcdefghijklmnop" not in printed
        assert "pbem+g1-spain-...@games.example" in printed
    if style == "json":
        assert json.loads(line)["event"] == "letter taken"


def test_a_traceback_in_the_log_shows_no_variables(table, capsys, monkeypatch):
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    for style in ("console", "json"):
        open_log(style, 20)
        monkeypatch.setitem(COMMANDS_BY_NAME, "status", replace(COMMANDS_BY_NAME["status"], do=fail))
        delivered = table.deliver(table.letter("spain", f"STATUS # secret plan of {style}"))
        assert delivered.verdict == "fault"
        output = capsys.readouterr().err
        assert "ZeroDivisionError" in output
        assert "secret plan" not in output
        assert table.addresses["spain"].split("@")[0][-16:] not in output
