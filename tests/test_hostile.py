"""Every hostile value through every output: letters, pages, logs, the terminal, the verifier's words.

A new output is covered by a function here that is registered with `output`.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
import structlog
from sqlmodel import select

from pbem.cli.exit_codes import CommandError, run
from pbem.cli.log_output import open_log
from pbem.cli.main import main
from pbem.cli.output import letter_text, print_table
from pbem.cli.pages import archive_page_of, page_words
from pbem.engine.data.chronicle import PressLetter, SeatOrders
from pbem.engine.data.messages import msg, plain_english
from pbem.letters.layout import strip_controls
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from pbem.mail.outbound import OutgoingLetter, compose
from pbem.pages.archive.index import IndexEntry, index_page, read_entries
from pbem.pages.desk import desk_page
from pbem.pages.dice import dice_page
from pbem.pages.printed import Document, Heading, Lines, Plain, to_pdf
from pbem.server import outbox_sender
from pbem.store import tables
from tests.audit import standalone
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail
from tests.harness.server import changed, open_server
from tests.hostile import HEADERS, LINES, ONE_LINE, OUTPUTS, PAGE, TOKEN, VALUES, objections, output
from tests.pages.archives import chronicle_of as told_of
from tests.pages.archives import held
from tests.pages.desks import begun, desk_of


def header(value: str) -> str:
    """A value as somebody can send it in a field: folded lines, anything else as it is."""
    return " ".join(value.replace("\x00", "").splitlines())[:900]


class Written(NamedTuple):
    """What a server holds after letters with a value were answered, and the Message-IDs of all that it wrote."""

    database: bytes
    names: tuple[str, ...]


@cache
def written(value: str) -> Written:
    """Answer letters that hold a value wherever it may be: field, orders, commands, press. Players read plain text."""
    with TemporaryDirectory() as place:
        house = PlayedGame(Path(place))
        with house.server.session() as session:
            for row in session.exec(select(tables.Seat)).all():
                row.format, row.language = "text", "es" if row.name == "south" else "en"
        seat = house.addresses["north"]
        more = {"Subject": header(value), "Message_ID": f"<{abs(hash(value))}@x>", "In_Reply_To": header(value)[:80]}
        for text in (
            f"ORDERS T1\nMOVE {value} TO s2\n{value}\nEND\n",
            f"PRESS south\n{value}\npbem+g1-north-{TOKEN}@games.example\nENDPRESS\n",
            f"SET NAME {value}\n",
            f"{value}\n",
            f"APPEAL #1 {value}\n",
            "STATUS\n",
        ):
            house.receive(mail(f"{header(value)[:60]} <{ANN}>", seat, text, **{**more, "Message_ID": None}))
        house.receive(mail(f'"{header(value)[:60]}" <eve@evil.test>', "pbem@games.example", f"{value}\n", **more))
        with house.server.session() as session:
            names = tuple(row.message_id for row in session.exec(select(tables.Outbox)).all())
            assert len(session.exec(select(tables.Game)).all()) == 1
        house.server.engine.dispose()
        return Written(Path(place, "pbem.db").read_bytes(), names)


def answered(value: str, folder: Path, form: str) -> tuple[bytes, ...]:
    """All letters that come of those that hold a value, for players who read them in one format."""
    database, names = written(value)
    (folder / "pbem.db").write_bytes(database)
    server = changed(open_server(folder), renderer=TextLetters(SENTINEL))
    with server.session() as session:
        for row in session.exec(select(tables.Outbox).where(tables.Outbox.format == "text")).all():
            row.format = form
    made = outbox_sender.render(server, names)
    assert len(made) == len(names) > 5
    server.engine.dispose()
    return made


def first_wrong(letters: tuple[bytes, ...]) -> bytes:
    """The first letter behind the first with something wrong, else the first, which the test itself looks at."""
    return next((letter for letter in letters[1:] if objections(HEADERS, letter)), letters[0])


@output("letters as text", HEADERS)
def letters_as_text(value: str, folder: Path) -> bytes:
    return first_wrong(answered(value, folder, "text"))


@output("letters as HTML", HEADERS)
def letters_as_html(value: str, folder: Path) -> bytes:
    return first_wrong(answered(value, folder, "html"))


@output("letters to be heard", HEADERS)
def letters_to_be_heard(value: str, folder: Path) -> bytes:
    return first_wrong(answered(value, folder, "reader"))


@output("fields of a letter", HEADERS)
def fields(value: str, folder: Path) -> bytes:
    try:
        return compose(
            OutgoingLetter(
                message_id="<a@b>",
                sender="pbem@games.example",
                sender_name=value,
                recipient="ann@players.example",
                subject=value,
                text=value,
                date=datetime(2030, 1, 1, tzinfo=UTC),
                in_reply_to=value,
                list_unsubscribe="pbem@games.example",
            )
        )
    except ValueError:
        return b"Subject: refused\r\n\r\n"


@output("the log for people", ONE_LINE)
def log_for_people(value: str, folder: Path) -> str:
    return logged(value, "console")


@output("the log for programs", ONE_LINE)
def log_for_programs(value: str, folder: Path) -> str:
    return logged(value, "json")


def logged(value: str, style: Any) -> str:
    before = structlog.get_config()
    try:
        with redirect_stderr(io.StringIO()) as output:
            log = open_log(style)
            log.warning("letter taken", sender=value, nested={"a": [value]}, to=f"pbem+g1-north-{TOKEN}@x")
            try:
                raise ValueError(value)
            except ValueError:
                log.exception("it failed")
        return output.getvalue()
    finally:
        structlog.configure(**before)


@output("a table on the terminal", ONE_LINE)
def table(value: str, folder: Path) -> str:
    with redirect_stdout(io.StringIO()) as output:
        print_table([("NAME", "MAIL"), (value, "x")])
    return output.getvalue()


@output("a document for paper", LINES)
def on_paper(value: str, folder: Path) -> str:
    """The words that are laid out; that they are words and no markup tests/pages/test_printed.py says."""
    document = Document(value, "en", value, (Heading(value), Lines(((0, value),)), Plain(value)), (value,)).to_json()
    assert to_pdf(Document(value, "en", value, (Lines(((0, value),)),))).startswith(b"%PDF-")
    return "\n".join(
        [
            document["title"],
            document["foot"],
            *document["under"],
            document["parts"][0]["text"],
            document["parts"][2]["text"],
        ]
    )


@output("the last words of a command", LINES)
def last_words(value: str, folder: Path) -> str:
    def stop() -> None:
        raise CommandError(f"there is no {value}")

    with redirect_stderr(io.StringIO()) as output, suppress(SystemExit):
        run(stop)
    return output.getvalue()


@output("a letter on the terminal", LINES)
def letter_on_terminal(value: str, folder: Path) -> str:
    raw = f"To: {header(value)}\r\nSubject: {header(value)}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{value}"
    return letter_text(raw.encode("utf-8", "replace"))


@output("a game on the terminal", ONE_LINE)
def game_on_terminal(value: str, folder: Path) -> str:
    """What held it, and whoever sits there."""
    home = at_home(folder)
    with closing(sqlite3.connect(folder / "data" / "pbem.sqlite3")) as opened, opened:
        opened.execute("UPDATE game SET state = 'held', held_why = ?", (value,))
        opened.execute("UPDATE person SET name = ?", (value,))
        opened.execute("UPDATE due SET cause = ?", (value,))
        opened.execute("UPDATE outbox SET state = 'failed', last_text = ?, recipient = ?", (value, value))
    return (
        run_command("game", "show", "ceuta-1", *home)
        + run_command("mail", "queue", *home)
        + run_command("game", "list", *home)
    )


@output("a letter handed in by its path", LINES)
def handed_in(value: str, folder: Path) -> str:
    home = at_home(folder)
    name = value.replace("\x00", "").replace("/", "_").encode("utf-8", "replace")[:200].decode("utf-8", "ignore")
    path = folder / f"{name}.eml"
    path.write_bytes(f"From: x@y.test\r\nTo: {header(value)}\r\n\r\n{value}\r\n".encode("utf-8", "replace"))
    return run_command("mail", "deliver", path, *home) + run_command(
        "mail", "deliver", folder / f"{name} is not here", *home
    )


@output("a chart of one's own", LINES)
def chart(value: str, folder: Path) -> str:
    home = at_home(folder)
    path = folder / "mine.txt"
    path.write_text(f"{chart_text()}\n{value}\n", "utf-8", errors="replace")
    return run_command("game", "new", "ceuta-9", "--scenario", "castillejos", "--overlay", f"fire={path}", *home)


@output("names of all kinds in a command", LINES)
def names(value: str, folder: Path) -> str:
    home, bare = at_home(folder), value.replace("\x00", "")
    output = run_command("game", "new", bare, "--scenario", "castillejos", *home)
    output += run_command("game", "new", "ceuta-9", "--scenario", bare, *home)
    output += run_command("seat", "invite", "ceuta-1", "spain", f"{bare}@x.test", "--name", bare, *home)
    output += run_command("seat", "invite", "ceuta-1", "spain", "q@x.test", "--name", bare, *home)
    output += run_command("mail", "read", bare, *home) + run_command("mail", "block", bare, *home)
    return output + run_command("game", "show", "ceuta-1", *home)


@output("the verifier's words", LINES)
def verifier(value: str, folder: Path) -> str:
    told_by = run_command("verify", "--full", evidence(value, folder))
    return told_by + by_one_file(folder / "evidence")


@output("the verifier's page", PAGE)
def verifier_page(value: str, folder: Path) -> str:
    """It puts what it is given into the page as text, by no way that would read it as HTML."""
    made = dice_page()
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert way not in made
    assert "default-src 'none'" in made
    return "\n".join(line for line in made.split("\n") if value in line and "<script" not in line)[:1000]


@output("the data in an order desk", PAGE)
def order_desk(value: str, folder: Path) -> str:
    """Whatever somebody called himself or wrote, it ends no element of the page."""
    text = json.dumps(_desk_data())
    for name in ("Vergara", "Nudos", "games.example"):
        text = text.replace(name, json.dumps(value)[1:-1])
    made = desk_page(page_words(), {**json.loads(text), "title": [value, value]})
    held = re.findall(r'<script type="application/json" id="desk">(.*)</script>\n<script>', made, re.DOTALL)
    assert len(held) == 1
    assert json.loads(held[0])["title"] == [value, value]
    return str(held[0])


@cache
def _desk_data() -> Any:
    return desk_of("africa1860", begun("africa1860", "castillejos"), "spain")


@output("the page of a game", PAGE)
def page_of_a_game(value: str, folder: Path) -> str:
    """Whatever stands in orders, letters or results, the page holds it as data, and the game's name in its title."""
    about = told_of("africa1860", 2)
    last = about.chapters[-1]._replace(
        orders=(SeatOrders(value, value, (value,)),),
        origins=(value,) * len(about.chapters[-1].seen),
    )
    hostile = about._replace(
        game=value,
        chapters=(*about.chapters[:-1], last),
        result=(msg("{value}", value=value),),
        over=True,
        letters=(PressLetter(1, value, (value,), value),),
    )
    made = archive_page_of(hostile, "en")
    data = held(made)
    assert data["result"] == [[strip_controls(value)] * 2]
    assert data["letters"][0]["text"] == strip_controls(value)
    assert made.count("<script") == made.count("</script>") == 2
    title = re.findall(r"<title>(.*)</title>", made, re.DOTALL)
    return str(title[0])


@output("the list of games", PAGE)
def list_of_games(value: str, folder: Path) -> str:
    """A game's title is text in the list, and what the list holds is read back as it was."""
    games = [IndexEntry("ceuta-1", (value, value), 3, True)]
    made = index_page(games, plain_english, "en")
    assert read_entries(made) == tuple(games)
    assert read_entries(made.replace('"ceuta-1"', json.dumps(value))) in ((), tuple(games))
    return "".join(re.findall(r"<li>(.*)</li>", made, re.DOTALL))


def evidence(value: str, folder: Path) -> Path:
    """Letters to be checked with the value in their names and in what they attach."""
    place = folder / "evidence"
    place.mkdir()
    name = value.replace("\x00", "").replace("/", "_").encode("utf-8", "replace")[:200].decode("utf-8", "ignore")
    body = f"pbemdice/v1\nleaf {value}\n{value}\n"
    raw = f"From: x@y.test\r\nSubject: {header(value)}\r\n\r\n{body}"
    (place / f"{name}.eml").write_bytes(raw.encode("utf-8", "replace"))
    (place / "pbemdice.txt").write_bytes(body.encode("utf-8", "replace"))
    sample = "\n".join(["pbemdice/v1/bundle", f"game {value}", f"log {value}"])
    (place / f"{name[:50]} too.txt").write_bytes(sample.encode("utf-8", "replace"))
    return place


def by_one_file(place: Path) -> str:
    verify = standalone.load()
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err, suppress(SystemExit):
        verify.main([str(place)])
    return out.getvalue() + err.getvalue()


@cache
def chart_text() -> str:
    return run_command("chart", "fire")


HOMES: dict[str, Path] = {}


def at_home(folder: Path) -> tuple[str, ...]:
    """A server with a game in a folder; the options that lead there."""
    shutil.copytree(HOMES["waiting"], folder, dirs_exist_ok=True)
    return ("--config", str(folder / "pbem.toml"))


def run_command(*words: object) -> str:
    """All that a command says, however it ends; a bug of ours is none of the ways."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert ended.value.code != 70, err.getvalue()
    return out.getvalue() + err.getvalue()


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    run_command("init", folder)
    own = ("--config", folder / "pbem.toml")
    run_command("game", "new", "ceuta-1", "--scenario", "castillejos", *own)
    for seat in ("spain", "morocco"):
        run_command("seat", "invite", "ceuta-1", seat, f"{seat}@players.test", *own)
    run_command("game", "start", "ceuta-1", *own)
    HOMES["waiting"] = folder


COSTLY = {
    "letters as text",
    "letters as HTML",
    "letters to be heard",
    "a game on the terminal",
    "a letter handed in by its path",
    "a chart of one's own",
    "names of all kinds in a command",
    "the page of a game",
}
"""Outputs that take a second for all values; other outputs of the same kind are tried with each at once."""

FIRST = ("terminal", "nul", "bidi", "header", "odd line ends", "template", "html", "marks")
"""A value of each kind."""


def harmful(name: str, values: Iterable[str], folder: Path) -> dict[str, list[str]]:
    """Put values through an output; what is wrong with it, by the name of the value."""
    kind, make = OUTPUTS[name]
    wrong = {}
    for called in values:
        place = folder / str(list(VALUES).index(called))
        place.mkdir()
        if harms := objections(kind, make(VALUES[called], place)):
            wrong[called] = harms[:3]
    assert not (Path.cwd() / "owned").exists()
    return wrong


@pytest.mark.parametrize("name", OUTPUTS)
def test_no_value_does_harm_in(name, tmp_path):
    assert harmful(name, FIRST if name in COSTLY else VALUES, tmp_path) == {}


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(COSTLY))
def test_none_of_all_values_does_harm_in(name, tmp_path):
    assert harmful(name, VALUES, tmp_path) == {}


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        (LINES, "\x1b[2J"),
        (LINES, "a\u202eb"),
        (LINES, f"pbem+g1-north-{TOKEN}@x"),
        (ONE_LINE, "x\nFORGED: yes"),
        (PAGE, "<SCRIPT>"),
        (HEADERS, b"Bcc: x\r\n\r\n"),
        (HEADERS, b"To: x\n\ny"),
        (HEADERS, b"To: x\r\n\r\n\x1b"),
    ],
)
def test_harm_is_found(kind, made):
    assert objections(kind, made)


def test_every_value_is_something_that_json_can_tell():
    assert json.loads(json.dumps(VALUES)) == VALUES
