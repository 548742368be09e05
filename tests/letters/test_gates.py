"""Every role by every gate: what a letter has to pass before anything in it is done, whoever wrote it.

A cell of `TABLE` tells what comes of a letter that does not pass: verdict and outcome as they stand in the inbox, then
a piece of each answer, in quotes; nothing behind them means that nobody is answered.
"""

import base64
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from pbem.mail import RAW_OCTETS
from pbem.runtime.blocklist import Blocklist
from pbem.runtime.limits import LIMITS
from pbem.runtime.transaction import Server
from pbem.server import intake, outbox_sender, service
from pbem.server.intake import ReceivedLetter
from tests.harness.battle import ANA
from tests.harness.letters import PlainLetters, mail
from tests.harness.server import changed
from tests.harness.tournament import DIRECTOR
from tests.hostile import HEADERS, VALUES, objections
from tests.letter_places import ENTRANT, EVE, MODERATOR, MX, House, opened
from tests.letters import treasurer


class Role(NamedTuple):
    """Who writes: the games he writes of, the address that he writes to, his own, and what he asks."""

    games: str
    to: str
    email: str
    question: str = "STATUS"


ROLES = {
    "seat": Role("africa1860", "spain", ANA),
    "moderator": Role("africa1860", "moderator", MODERATOR),
    "entrant": Role("tournament", "entrant", ENTRANT),
    "director": Role("tournament", "director", DIRECTOR),
    "stranger": Role("africa1860", "server", EVE, "LIST"),
}


class Desk(NamedTuple):
    """A server, and one who writes to it."""

    server: Server
    role: Role
    house: House
    folder: Path

    def letter(self, text: str = "", **headers: str) -> bytes:
        """Write a letter of his; of his question, unless it has a text."""
        return mail(
            headers.pop("sender", self.role.email),
            self.house.addresses[self.role.to],
            text or self.role.question,
            **headers,
        )

    def send(self, *letters: bytes, server: Server | None = None) -> str:
        """Have letters taken in; tell what came of the last one."""
        for raw in letters:
            done = service.deliver(server or self.server, raw)
        answers = [answer.decode("utf-8", "replace") for answer in done.answers]
        return f"{done.verdict} {done.outcome}" + "".join(f" {answer_kind(answer)!r}" for answer in answers)


SENTENCES = (
    "More than ",
    "as if a program had sent it",
    "A fault of this server",
    "could not be read",
    "is too long for me to read",
    "A letter may have at most",
    "went to others beside me",
    "is not where I write to you",
    "from where none of your seat came before",
    "its From is false",
    "Nothing is decided yet",
    "This code is not",
    "I did not understand your letter",
    "the same Message-ID but another content",
    "that I do not read",
)
"""What answers are told apart by."""


def answer_kind(answer: str) -> str:
    """Name the sentences of an answer that tell what a gate found; else its kind."""
    sentences = [sentence for sentence in SENTENCES if sentence in re.sub(r"\s+", " ", answer)]
    kind = re.search(r"^kind: (\S+)", answer, re.M)
    return " + ".join(sentences) or (kind[1] if kind else "")


def blocked(desk: Desk) -> str:
    """His address is on the list of those who are not read."""
    listed = Blocklist(desk.folder / "blocked")
    listed.put((desk.role.email,))
    return desk.send(desk.letter(), server=changed(desk.server, blocked=listed))


def forged(desk: Desk) -> str:
    """The mail provider has found that the From is false."""
    vouching = changed(desk.server, authserv_id=MX)
    domain = desk.role.email.partition("@")[2]
    return desk.send(desk.letter(Authentication_Results=f"{MX}; dmarc=fail header.from={domain}"), server=vouching)


def elsewhere(desk: Desk) -> str:
    """It came from another address than the one that he is written to at."""
    return desk.send(desk.letter(sender="somebody@else.example"))


def many(desk: Desk) -> str:
    """He has written as often as he may within the hour."""
    few = changed(desk.server, letters_an_hour=3)
    return desk.send(*(desk.letter() for _ in range(4)), server=few)


def too_many(desk: Desk) -> str:
    """He has been told so."""
    few = changed(desk.server, letters_an_hour=3)
    return desk.send(*(desk.letter() for _ in range(7)), server=few)


def after_many_forged(desk: Desk) -> str:
    """Somebody else has written in his name as often as he may within the hour, and was found out."""
    few = changed(desk.server, letters_an_hour=3, authserv_id=MX)
    domain = desk.role.email.partition("@")[2]
    false = f"{MX}; dmarc=fail header.from={domain}"
    return desk.send(*(desk.letter(Authentication_Results=false) for _ in range(5)), desk.letter(), server=few)


def costly(desk: Desk) -> str:
    """It holds more commands than one letter may."""
    return desk.send(desk.letter(f"{desk.role.question}\n" * 50))


def broken(desk: Desk) -> str:
    """Its header is longer than any header."""
    return desk.send(desk.letter(X_Long="y" * 70_000))


def large(desk: Desk) -> str:
    """It has more octets than are read."""
    return desk.send(desk.letter("x" * 80 + "\n" + "y" * RAW_OCTETS))


def twice(desk: Desk) -> str:
    """It came before, to the last octet."""
    letter = desk.letter()
    return desk.send(letter, letter)


def in_another_form(desk: Desk) -> str:
    """It came before under the same Message-ID, and a list has encoded it anew."""
    name = "<one@players.example>"
    text = base64.b64encode(desk.role.question.encode()).decode()
    anew = desk.letter(text, Message_ID=name, Content_Transfer_Encoding="base64")
    return desk.send(desk.letter(Message_ID=name), anew)


def after_a_forged_one(desk: Desk) -> str:
    """Somebody has sent the same words before, under the same Message-ID and a false From."""
    name, domain = "<one@players.example>", desk.role.email.partition("@")[2]
    forged = desk.letter(Message_ID=name, Authentication_Results=f"{MX}; dmarc=fail header.from={domain}")
    text = base64.b64encode(desk.role.question.encode()).decode()
    anew = desk.letter(text, Message_ID=name, Content_Transfer_Encoding="base64")
    return desk.send(forged, anew, server=changed(desk.server, authserv_id=MX))


def same_id(desk: Desk) -> str:
    """Another letter came before under the same Message-ID."""
    name = "<one@players.example>"
    return desk.send(desk.letter("HELP", Message_ID=name), desk.letter(Message_ID=name))


def attached(desk: Desk) -> str:
    """What it asks stands in an attached file."""
    parts = 'multipart/mixed; boundary="b"'
    text = f"--b\n\n\n--b\nContent-Type: text/plain\nContent-Disposition: attachment\n\n{desk.role.question}\n--b--\n"
    return desk.send(desk.letter(text, Content_Type=parts))


def handed_on(desk: Desk) -> str:
    """Others can read the address that it went to."""
    return desk.send(desk.letter(Cc="friend@elsewhere.example"))


def automatic(desk: Desk) -> str:
    """A machine wrote it."""
    return desk.send(desk.letter(Auto_Submitted="auto-replied"))


def automatic_again(desk: Desk) -> str:
    """A machine wrote another one within the day."""
    automatic(desk)
    return automatic(desk)


def vacation(desk: Desk) -> str:
    """A machine wrote it, and it says nothing to do."""
    return desk.send(desk.letter("I am away until Monday.", Auto_Submitted="auto-replied"))


def faulty(desk: Desk) -> str:
    """Reading it failed by a fault of ours."""
    received = ReceivedLetter("me", "INBOX", 1, 1, desk.server.clock.now(), desk.letter())
    with desk.server.work() as work:
        outcome = intake.set_letter_aside(work, received, "a bug")
    answers = [answer.decode("utf-8", "replace") for answer in outbox_sender.render(desk.server, outcome.answers)]
    return " ".join((outcome.verdict, outcome.outcome, *(repr(answer_kind(answer)) for answer in answers)))


GATES: Mapping[str, Callable[[Desk], str]] = {
    letter.__name__: letter
    for letter in (
        blocked,
        automatic,
        automatic_again,
        vacation,
        faulty,
        forged,
        elsewhere,
        many,
        too_many,
        after_many_forged,
        costly,
        broken,
        large,
        twice,
        in_another_form,
        after_a_forged_one,
        same_id,
        attached,
        handed_on,
    )
}

TABLE: Mapping[str, Mapping[str, str]] = {
    "blocked": {
        "seat": "stranger blocked",
        "moderator": "stranger blocked",
        "entrant": "stranger blocked",
        "director": "stranger blocked",
        "stranger": "stranger blocked",
    },
    "automatic": {
        "seat": "auto automatic 'as if a program had sent it'",
        "moderator": "auto automatic 'as if a program had sent it'",
        "entrant": "auto automatic 'as if a program had sent it'",
        "director": "auto automatic 'as if a program had sent it'",
        "stranger": "auto silent",
    },
    "automatic_again": {
        "seat": "auto automatic",
        "moderator": "auto automatic",
        "entrant": "auto automatic",
        "director": "auto automatic",
        "stranger": "auto silent",
    },
    "vacation": {
        "seat": "auto silent",
        "moderator": "auto silent",
        "entrant": "auto silent",
        "director": "auto silent",
        "stranger": "auto silent",
    },
    "faulty": {
        "seat": "fault fault 'A fault of this server'",
        "moderator": "fault fault 'A fault of this server'",
        "entrant": "fault fault 'A fault of this server'",
        "director": "fault fault 'A fault of this server'",
        "stranger": "fault fault",
    },
    "forged": {
        "seat": "seat status 'its From is false'",
        "moderator": "moderator unauthentic",
        "entrant": "entrant unauthentic",
        "director": "director unauthentic",
        "stranger": "stranger unauthentic",
    },
    "elsewhere": {
        "seat": "seat status 'from where none of your seat came before'",
        "moderator": "moderator status 'is not where I write to you'",
        "entrant": "entrant status 'is not where I write to you'",
        "director": "director status 'is not where I write to you'",
        "stranger": "stranger answered-request 'answer'",
    },
    "many": {
        "seat": "seat status 'status'",
        "moderator": "moderator over-budget 'More than '",
        "entrant": "entrant over-budget 'More than '",
        "director": "director over-budget 'More than '",
        "stranger": "stranger answered-request 'answer'",
    },
    "too_many": {
        "seat": "seat status 'status'",
        "moderator": "moderator over-budget",
        "entrant": "entrant over-budget",
        "director": "director over-budget",
        "stranger": "stranger over-budget",
    },
    "after_many_forged": {
        "seat": "seat status 'status'",
        "moderator": "moderator status 'status'",
        "entrant": "entrant status 'status'",
        "director": "director status 'status'",
        "stranger": "stranger answered-request 'answer'",
    },
    "costly": {
        "seat": "seat refusal 'A letter may have at most'",
        "moderator": "moderator not-ruled 'A letter may have at most'",
        "entrant": "entrant refusal 'A letter may have at most'",
        "director": "director not-ruled 'A letter may have at most'",
        "stranger": "stranger answered-request 'A letter may have at most'",
    },
    "broken": {
        "seat": "seat refusal 'could not be read'",
        "moderator": "moderator not-ruled 'could not be read'",
        "entrant": "entrant refusal 'could not be read'",
        "director": "director not-ruled 'could not be read'",
        "stranger": "poison silent",
    },
    "large": {
        "seat": "seat refusal 'is too long for me to read'",
        "moderator": "moderator not-ruled 'is too long for me to read'",
        "entrant": "entrant refusal 'is too long for me to read'",
        "director": "director not-ruled 'is too long for me to read'",
        "stranger": "stranger answered-refused 'is too long for me to read'",
    },
    "twice": {
        "seat": "copy status 'status'",
        "moderator": "copy status 'status'",
        "entrant": "copy status 'status'",
        "director": "copy status 'status'",
        "stranger": "copy silent",
    },
    "in_another_form": {
        "seat": "copy status 'status'",
        "moderator": "copy status 'status'",
        "entrant": "copy status 'status'",
        "director": "copy status 'status'",
        "stranger": "stranger answered-request 'answer'",
    },
    "after_a_forged_one": {
        "seat": "copy status 'its From is false'",
        "moderator": "moderator status 'the same Message-ID but another content'",
        "entrant": "entrant status 'the same Message-ID but another content'",
        "director": "director status 'the same Message-ID but another content'",
        "stranger": "stranger answered-request 'answer'",
    },
    "same_id": {
        "seat": "seat status 'the same Message-ID but another content'",
        "moderator": "moderator status 'the same Message-ID but another content'",
        "entrant": "entrant status 'the same Message-ID but another content'",
        "director": "director status 'the same Message-ID but another content'",
        "stranger": "stranger answered-request 'answer'",
    },
    "attached": {
        "seat": "seat help 'that I do not read'",
        "moderator": "moderator help 'that I do not read'",
        "entrant": "entrant help 'that I do not read'",
        "director": "director help 'that I do not read'",
        "stranger": "stranger answered-stranger 'I did not understand your letter + that I do not read'",
    },
    "handed_on": {
        "seat": "seat status 'went to others beside me'",
        "moderator": "moderator status 'went to others beside me'",
        "entrant": "entrant status 'went to others beside me'",
        "director": "director status 'went to others beside me'",
        "stranger": "stranger answered-request 'answer'",
    },
}
"""What comes of it, by gate and role. Questions of a seat count a third each: it has not written too often yet."""


@pytest.fixture(scope="module")
def houses() -> Iterator[Mapping[str, House]]:
    """The games that roles write of, as they were begun."""
    with opened("africa1860") as battle, opened("tournament") as cups:
        yield {"africa1860": battle, "tournament": cups}


@pytest.fixture
def treasury(houses, tmp_path, monkeypatch) -> Desk:
    """A server that knows one role more, and its treasurer."""
    monkeypatch.setattr(intake, "ROLE_FINDERS", (*intake.ROLE_FINDERS, treasurer.claim))
    house = houses["africa1860"]
    shutil.copytree(house.folder, tmp_path / "server")
    server = changed(house.serve(tmp_path / "server"), renderer=PlainLetters())
    house = house._replace(addresses={**house.addresses, "treasurer": treasurer.address(server)})
    return Desk(server, Role("africa1860", "treasurer", treasurer.EMAIL, "LIST"), house, tmp_path)


@pytest.mark.parametrize("gate", GATES)
def test_a_sixth_role_is_one_file_and_meets_the_same_gates(gate, treasury):
    assert GATES[gate](treasury) == TABLE[gate]["entrant"].replace("entrant", "treasurer")


@pytest.mark.parametrize(
    ("text", "came"),
    [
        ("Lista", "treasurer status 'status'"),
        ("Dear server,\n\nLIST\nHELP\n", "treasurer status 'status'"),
        ("LIST please", "treasurer refusal 'refusal'"),
        ("HOLD BECAUSE I can", "treasurer help 'help'"),
        ("LIST\nHOLD BECAUSE I can", "treasurer refusal 'refusal'"),
        ("ORDERS T1\nPASS\nEND", "treasurer refusal 'refusal'"),
    ],
)
def test_one_who_may_only_read_is_answered_and_changes_nothing(text, came, treasury):
    assert treasury.send(treasury.letter(text)) == came


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("role", ROLES)
def test_a_role_meets_a_gate(role, gate, houses, tmp_path):
    who = ROLES[role]
    shutil.copytree(houses[who.games].folder, tmp_path / "server")
    server = changed(houses[who.games].serve(tmp_path / "server"), renderer=PlainLetters())
    assert GATES[gate](Desk(server, who, houses[who.games], tmp_path)) == TABLE[gate][role]


RULED = {"moderator": "ANNOUNCE {}", "director": "ANNOUNCE {}", "entrant": "NAME {}", "seat": "SAY all {}"}
"""A line in which somebody may write as he likes, by role."""


@pytest.mark.parametrize("role", ROLES)
def test_a_hostile_value_in_a_letter_of_any_role_harms_no_answer(role, houses, tmp_path, subtests):
    """Each value as the text, behind a word that is known, as a reason, and in the subject."""
    who = ROLES[role]
    shutil.copytree(houses[who.games].folder, tmp_path / "server")
    many = LIMITS._replace(requests=10_000, strangers=10_000, at_domain=10_000)
    server = changed(houses[who.games].serve(tmp_path / "server"), letters_an_hour=10_000, limits=many)
    desk = Desk(server, who, houses[who.games], tmp_path)
    answered = 0
    for name, value in VALUES.items():
        in_field = " ".join(value.replace("\x00", "").splitlines())[:900]
        lines = (value, f"{who.question} {value}", RULED.get(role, "JOIN {}").format(value), f"HOLD BECAUSE {value}")
        with subtests.test(value=name):
            for text in lines:
                done = service.deliver(server, desk.letter(text, Subject=in_field))
                answered += len(done.answers)
                assert [objection for answer in done.answers for objection in objections(HEADERS, answer)] == []
    assert answered > 2 * len(VALUES) or role == "stranger"
