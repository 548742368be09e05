"""Letters that change nothing and come again and again: programs that answer and do not say that they are programs."""

import email

import pytest
from sqlmodel import select

from pbem.engine.data.canon import loads
from pbem.server import rendering
from pbem.store import tables
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.server import changed

NOTES = {
    "English": "I am away until Monday and read no mail. In urgent cases write to carl@players.example.",
    "Spanish": "Estoy de vacaciones hasta el lunes.\n\nUn saludo",
    "nothing": "",
}


@pytest.mark.parametrize("note", NOTES)
def test_the_same_words_are_answered_three_times_a_week(house, note):
    answers = []
    for hour in range(12):
        house.write("north", NOTES[note].replace(" ", "  " if hour % 2 else " "))
        answers += [row for row in house.sent() if row.kind == "help"]
        house.clock.forward(hours=12)
    last = [text_of(row) for row in answers]
    assert len(last) == 3
    assert ["For a week I answer no more" in text for text in last] == [False, False, True]
    assert house.write("north", "STATUS").outcome == "status"
    house.clock.forward(days=8)
    assert house.write("north", NOTES[note]).outcome != "repeated"


def test_other_words_are_answered_but_not_without_end(house):
    house.server = changed(house.server, letters_an_hour=5)
    outcomes = []
    for hour in range(6):
        outcomes += [house.write("north", f"note {hour} {n}").outcome for n in range(4)]
        house.clock.forward(hours=1)
    assert outcomes.count("help") == 15
    assert set(outcomes) == {"help", "repeated"}


def test_questions_and_orders_are_answered_however_often_they_come(house):
    for text, outcome in (
        ("STATUS", "status"),
        ("ORDERS T1\nMOVE Ant TO s2\nEND", "receipt"),
        ("HELP", "help"),
        ("SET TZ", "refusal"),
    ):
        assert {house.write("north", text).outcome for _ in range(6)} == {outcome}


SIGNS = ("Auto-Submitted", "X-Loop", "List-Id", "List-Unsubscribe")
"""What a provider may take away of the signs that a letter of ours has."""


class Servers:
    """Two servers; each has a seat whose player's address is that of the seat at the other."""

    def __init__(self, folder, stripped):
        self.stripped, self.passed = stripped, 0
        self.houses = [self.begin(folder / name, f"{name}.example") for name in ("one", "two")]
        first, two = self.houses
        self.register(first, two.addresses["north"])
        self.register(two, first.addresses["north"])

    @staticmethod
    def begin(folder, domain):
        folder.mkdir()
        house = PlayedGame(folder)
        house.server = changed(house.server, domain=domain, letters_an_hour=3)
        house.addresses = {seat: to.replace("games.example", domain) for seat, to in house.addresses.items()}
        return house

    @staticmethod
    def register(house, address):
        with house.server.session() as session:
            row = session.exec(select(tables.Address).where(tables.Address.email == ANN)).one()
            row.email = address

    def pass_on(self):
        """Give each letter to the other server, once; how many there were."""
        before = self.passed
        for house, other in (self.houses, self.houses[::-1]):
            for row in house.sent():
                if row.recipient == other.addresses["north"]:
                    letter = email.message_from_bytes(rendering.compose_letter(house.server, row, loads(row.model)))
                    letter["Return-Path"] = f"<{row.envelope_sender}>"
                    for name in self.stripped:
                        del letter[name]
                    other.receive(letter.as_bytes())
                    self.passed += 1
        return self.passed - before


@pytest.mark.parametrize(
    "stripped",
    [(), pytest.param(SIGNS[:2], marks=pytest.mark.full), SIGNS],
    ids=["whole", "without two signs", "without any sign"],
)
def test_two_servers_do_not_answer_each_other_without_end(tmp_path, stripped):
    servers = Servers(tmp_path, stripped)
    first, two = servers.houses
    days = []
    for _ in range(2):
        before = servers.passed
        for text in (
            "STATUS",
            "ORDERS T1\nDANCE\nEND",
            "hello",
            "PRESS TO ALL\nORDERS T1\nMOVE Ant TO s2\nEND\nENDPRESS",
        ):
            first.receive(mail(ANN, first.addresses["north"], text))
        for _ in range(4):
            while servers.pass_on() and servers.passed < 500:
                pass
            for house in servers.houses:
                house.clock.forward(hours=6)
                house.tick()
        days.append(servers.passed - before)
    # What may change nothing in a day on either side, and the letters of the game itself.
    assert max(days) <= (2 * 3 * 3 + 12 if len(stripped) > 2 else 12), days
    assert two.all(tables.Inbox)
