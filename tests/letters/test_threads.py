"""Letters of a game as mail programs gather them: one thread a turn, all references to letters that exist."""

from __future__ import annotations

import email
import email.policy
import re
from email.message import EmailMessage
from typing import Any

import pytest
from sqlmodel import col, select

from pbem.letters import outbox
from pbem.runtime.terms import Terms
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import PEOPLE, PlayedBattle

APART = re.compile(r"NOT|no orders|NO |confirm|sin órdenes|no hay|confirme|too late|tarde|no se encontr")
"""What subjects say of letters that were not carried out."""
ASKED = [
    "STATUS",
    "HELP",
    "hello, what now?",
    "ORDERS T{turn}\nDANCE\nEND",
    "SET TZ Europe/Madrid",
    "MAP",
    "EXTEND 24h",
    "PRESS TO ALL\ngood luck\nENDPRESS",
    "CHART",
    "SET NOTIFY DAILY 18",
    "SET NOTIFY ALL",
    "RESIGN",
    "STATUS\nMAP",
]


class Mailboxes:
    """What each player got and wrote, in order, as his mail program has it."""

    def __init__(self, table):
        self.table, self.seen, self.number = table, 0, 0
        self.boxes: dict[str, list[EmailMessage]] = {seat: [] for seat in table.addresses}
        self.sent: set[str] = set()

    def fetch(self):
        """Put what was written into the mailboxes."""
        with self.table.server.session() as session:
            rows = session.exec(select(tables.Outbox).order_by(col(tables.Outbox.id))).all()
            pairs = [(row, row.message_id) for row in rows[self.seen :]]
            self.seen = len(rows)
        people = {who: seat for seat, (who, _) in zip(self.table.addresses, PEOPLE, strict=False)}
        for row, name in pairs:
            (raw,) = outbox_sender.render(self.table.server, (name,))
            if row.recipient in people:
                self.boxes[people[row.recipient]].append(email.message_from_bytes(raw, policy=email.policy.default))

    def answer(self, seat, text):
        """Answer the last letter of a turn, as mail programs do; what was written before is fetched."""
        last = next(box for box in reversed(self.boxes[seat]) if "players" not in box["Message-ID"])
        self.number += 1
        made = EmailMessage(policy=email.policy.SMTP)
        made["From"], made["To"] = dict(zip(self.table.addresses, PEOPLE, strict=False))[seat][0], last["Reply-To"]
        made["Subject"] = re.sub(r"^(?:Re: )?", "Re: ", last["Subject"])
        made["Message-ID"], made["Date"] = f"<{self.number}@players.example>", self.table.clock.at
        made["In-Reply-To"] = last["Message-ID"]
        made["References"] = f"{last['References'] or ''} {last['Message-ID']}".strip()
        made.set_content(text)
        self.boxes[seat].append(email.message_from_bytes(made.as_bytes(), policy=email.policy.default))
        self.table.deliver(made.as_bytes())
        self.fetch()


def ids(letter, *names):
    return [ident for name in names for ident in re.findall(r"<[^<>]+>", letter[name] or "")]


def groups(letters, joined):
    """The conversation of each letter by its Message-ID; `joined` gives the letters that one goes with."""
    of: dict[str, str] = {}

    def top(name):
        while of.setdefault(name, name) != name:
            name = of[name]
        return name

    for letter in letters:
        for other in joined(letter):
            of[top(letter["Message-ID"])] = top(other)
    return {letter["Message-ID"]: top(letter["Message-ID"]) for letter in letters}


def as_gmail(letters):
    """By references to letters that are there, and the same subject but for Re:."""

    def stem(letter):
        return re.sub(r"^(?:\w\w: )+", "", letter["Subject"])

    there = {letter["Message-ID"]: stem(letter) for letter in letters}
    return groups(
        letters, lambda letter: [x for x in ids(letter, "References", "In-Reply-To") if there.get(x) == stem(letter)]
    )


def as_mutt(letters):
    """By the nearest letter above that is there: In-Reply-To, else the last of the references."""
    there = {letter["Message-ID"] for letter in letters}

    def above(letter):
        names = [*ids(letter, "In-Reply-To"), *reversed(ids(letter, "References"))]
        return [name for name in names if name in there][:1]

    return groups(letters, above)


def as_thunderbird(letters):
    """By all references, to letters that are not there too (jwz.org/doc/threading)."""
    return groups(letters, lambda letter: ids(letter, "References", "In-Reply-To"))


PROGRAMS = {"Gmail": as_gmail, "mutt": as_mutt, "Thunderbird": as_thunderbird}
GAMES: dict[str, Any] = {
    "africa1860": {"scenario": "castillejos", "game": "africa1860", "seats": ("spain", "morocco")},
    "peninsular": {"scenario": "barrosa", "game": "peninsular", "seats": ("french", "british")},
}


@pytest.fixture(
    scope="module",
    params=[game if game == "africa1860" else pytest.param(game, marks=pytest.mark.full) for game in GAMES],
)
def played(request, tmp_path_factory):
    """Three turns that end by their deadlines, with letters of many kinds; one player writes Spanish, one English."""
    table = PlayedBattle(tmp_path_factory.mktemp("threads"), terms=Terms(reminder_hours=24), **GAMES[request.param])
    boxes = Mailboxes(table)
    boxes.fetch()
    for day in range(9):
        with table.server.session() as session:
            turn = session.exec(select(tables.Phase.turn).order_by(col(tables.Phase.id).desc())).first()
        for seat in table.addresses:
            for text in ASKED[day % 3 :: 3]:
                boxes.answer(seat, text.format(turn=turn))
        table.wait(48 * 60)
        boxes.fetch()
    yield boxes
    table.server.engine.dispose()


def turn_of(letter):
    match = re.match(r"\[g1\] (T\d+)( .*)?$", letter["Subject"])
    return match and (match[1], match[2])


def ours(letters):
    return [letter for letter in letters if "@games.example" in letter["Message-ID"]]


def test_letters_of_many_kinds_are_tried(played):
    kinds = {letter["Message-ID"].split(".")[-4] for box in played.boxes.values() for letter in ours(box)}
    assert {"report", "status", "refusal", "help", "settings", "answer", "confirm", "press"} <= kinds
    turns = {turn_of(letter)[0] for box in played.boxes.values() for letter in ours(box) if turn_of(letter)}
    assert len(turns) >= 3


def test_all_letters_of_a_turn_have_one_subject_but_those_not_carried_out(played):
    for box in played.boxes.values():
        others = {turn_of(letter)[1] for letter in ours(box) if turn_of(letter)} - {None}
        assert others
        assert all(APART.search(what) for what in others), others


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("sent", [True, False], ids=["with his own letters", "without"])
def test_a_turn_is_one_thread(played, program, sent):
    for box in played.boxes.values():
        letters = box if sent else ours(box)
        thread = PROGRAMS[program](letters)
        turns: dict[str, set[str]] = {}
        for letter in ours(box):
            if (turn := turn_of(letter)) and turn[1] is None:
                turns.setdefault(turn[0], set()).add(thread[letter["Message-ID"]])
        assert all(len(threads) == 1 for threads in turns.values()), turns
        assert len(set.union(*turns.values())) == len(turns), "each turn its own"
        if program == "Gmail":
            own = [letter for letter in ours(box) if (turn := turn_of(letter)) and turn[1]]
            assert all(thread[letter["Message-ID"]] not in set.union(*turns.values()) for letter in own), (
                "what was not carried out stands apart"
            )


def test_references_are_to_letters_that_exist_and_end_in_what_is_answered(played):
    for box in played.boxes.values():
        there = set[str]()
        for letter in box:
            if letter in ours(box):
                named = ids(letter, "References")
                assert set(named) <= there
                assert ids(letter, "In-Reply-To") == named[-1:]
            there.add(letter["Message-ID"])


def test_no_letter_that_may_be_dropped_begins_a_thread(played):
    assert set(outbox.OVERTAKEN_BY) < outbox._DROPPED
    roots = {
        ids(letter, "References")[0] for box in played.boxes.values() for letter in ours(box) if letter["References"]
    }
    kinds = {name.split(".")[-4] for name in roots if "@games.example" in name}
    assert kinds == {"report"}


def test_the_news_stand_first_in_text_and_page(played):
    for seat, box in played.boxes.items():
        report = next(letter for letter in reversed(ours(box)) if ".report." in letter["Message-ID"])
        text = report.get_body(("plain",)).get_content().splitlines()
        assert re.search(r"\d+-\d+", text[2]), text[:4]
        page = report.get_body(("html",)).get_content()
        shown = page[page.index("<body") :]
        assert 0 < shown.index(text[2]) < shown.index("##-"), seat
