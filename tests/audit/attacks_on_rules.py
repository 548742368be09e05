"""What a server could try without changing a die: where a phase is left off, what is counted, what is said beside it.

They are entered into the tables of `attacks`, each with an honest twin. What is got by each is said where it is made.
"""

from __future__ import annotations

from pbem.audit import bundle
from pbem.audit.bundle_parts import Ruling
from pbem.engine.data.canon import dumps
from tests.audit.attacks import DUE, OUT, SEALED, Case, attack, begun, closed, doubt, ended, honest
from tests.audit.simulated import ORDERS, first_phase, second_phase
from tests.audit.small_server import FIRST, GAME, SECOND, THROWS, Item, Server, closing
from tests.audit.tournament_server import TournamentServer, paired, standing
from tests.harness.leaf_chain import LeafChain

LATER = closing(1000)

# When the round of a segment is out its dice are known: who likes them stays, who does not leaves off for another.


def in_two_segments(first: int, grade: str = "B") -> Case:
    """A phase of which the first segment rolls so many of its throws, and the second the rest by a later round."""
    server, out = begun()
    slate = server.slate(FIRST, 1, ORDERS, 123)
    closed(server, out, slate)
    manifest = server.throw(FIRST, 1, THROWS[:first])
    server.roll(FIRST, 1, manifest)
    server.deadline(FIRST, LATER)
    server.answer(FIRST, 2, "morocco", "RETREAT TO Valle\n")
    second = server.slate(FIRST, 2, {"spain": (0, ""), "morocco": (1, "RETREAT TO Valle\n")}, 1000)
    server.close(FIRST, 2, second)
    out.append(server.send("spain", "closed", FIRST, "-", LATER + 30, slates=(second,)))
    last = server.throw(FIRST, 2, THROWS[first:], first=first + 1)
    server.roll(FIRST, 2, last)
    server.result(FIRST)
    shown = {"slates": (slate, second), "manifests": (manifest, last), "orders": server.own("spain", FIRST)}
    out.append(server.send("spain", "report", FIRST, grade, LATER + 700, **shown, **server.of_both(FIRST)))
    return Case(out)


@doubt("a segment that rolled nothing when its round was out, and another that rolls by the next", "timing", "C")
def _() -> Case:
    return in_two_segments(0)


@doubt("a segment left off before a throw that did not please", "timing", "C")
def _() -> Case:
    return in_two_segments(1)


@honest("a phase of two segments that claims no more than letters can prove of it")
def _() -> Case:
    return in_two_segments(1, "C")


# The number of a revision goes into what is sealed, and so into the dice: without a beacon it is a nonce.


def numbered(*numbers: int, public: bool = False) -> Case:
    """A game in which Spain's letters of orders have these numbers."""
    server = Server(public=public)
    server.open(FIRST, DUE)
    out = [server.send("spain", "welcome", FIRST)]
    for index, number in enumerate(numbers):
        text = "HOLD\n" if number else ""
        server.order(FIRST, "spain", number, text, DUE - 100 + index)
        own = (server.opened(FIRST, 1, "spain", number, text),)
        out.append(server.send("spain", "receipt", FIRST, orders=own))
    sent = {**ORDERS, "spain": (numbers[-1], "HOLD\n" if numbers[-1] else "")}
    closed(server, out, server.slate(FIRST, 1, sent, 123 if public else 0))
    return ended(server, out, "B" if public else "C")


@attack("a revision of a number that was ground", "orders")
def _() -> Case:
    return numbered(7412)


@attack("a second revision of a number that was ground", "orders")
def _() -> Case:
    return numbered(1, 7412)


@attack("a revision of a number that was ground, with a beacon", "orders")
def _() -> Case:
    return numbered(1, 3, public=True)


@honest("revisions one after another")
def _() -> Case:
    return numbered(1, 2, 3)


@attack("an answer of a number that was ground", "orders")
def _() -> Case:
    server = Server()
    server.alter["answer"] = lambda says: [(key, "9" if (key, value) == ("rev", "1") else value) for key, value in says]
    return Case([*first_phase(server), *second_phase(server)])


@honest("numbers that go on in the next attempt")
def _() -> Case:
    """Orders that still stand after a ruling keep their number."""
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    case = ended(server, out)
    again = FIRST.replace("~1", "~2")
    text = '{"line":"REOPEN T1.spain","number":1,"reason":""}'
    server.ruling(FIRST, 1, text)
    server.open(again, LATER, ruling="1")
    server.order(again, "spain", *ORDERS["spain"], DUE - 98)
    own = (server.opened(again, 1, "spain", *ORDERS["spain"]),)
    return Case([*case.items, server.send("spain", "receipt", again, orders=own, rulings=(Ruling(1, text),))])


# What all were told of a ruling is JSON that every program must read alike.


def told_in(text: str) -> Case:
    """The first phase is played, and opened again by a ruling of which all were told this text."""
    server = Server()
    out = first_phase(server)
    again = FIRST.replace("~1", "~2")
    server.ruling(FIRST, 1, text)
    server.open(again, LATER, ruling="1")
    return Case([*out, server.send("spain", "receipt", again, rulings=(Ruling(1, text),))])


def nested(levels: int) -> str:
    return f'{{"line":"REOPEN T1.spain","more":{"[" * levels}{"]" * levels}}}'


for _name, _text in {
    "in JSON of a hundred levels": nested(99),
    "with brackets in what it says": '{"line":"REOPEN T1.spain","reason":"\\\\\\"' + "[" * 200 + '"}',
    "with a number of 5,000 digits": f'{{"line":"REOPEN T1.spain","number":{"7" * 5000}}}',
    "whose words an odd blank parts": '{"line":"REOPEN\\u001cT1.spain"}',
}.items():
    honest(f"a ruling {_name}")(lambda text=_text: told_in(text))  # type: ignore[misc]
for _name, _text in {
    "in JSON of more levels than some programs read": nested(100),
    "in JSON without end": nested(100_000),
    "in JSON with a number that is none": '{"line":"REOPEN T1.spain","number":NaN}',
    "in a list": '{"line":["REOPEN T1.spain"]}',
    "with a blank that some programs do not know": '{"line":"REOPEN\\ufeffT1.spain"}',
    "in signs beyond the sixteenth bit": '{"line":"' + "\\ud83c\\udfb2" * 90 + '"}',
    "in half a sign": '{"line":"\\ud83c REOPEN"}',
}.items():
    attack(f"a ruling {_name}", "attempts")(lambda text=_text: told_in(text))  # type: ignore[misc]


# Orders are closed as none, because of a letter that nobody sent.


@honest("orders taken back by a letter, of which its writer alone knows", own="NOT CHECKED", **SEALED)
def _() -> Case:
    """Whether the digest in the leaf is that of any letter cannot be seen: to its writer it is said each time."""
    return numbered(1, 0)


# What players said that they were shown is written by the server.


def shown(seen: str) -> Case:
    server, out = begun()
    server.seen = seen
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out)


def own_tree() -> str:
    """What Spain was shown by its newest receipt."""
    head = begun()[0].heads["spain"]
    return f"spain:{head.size}:{head.root.hex()}"


@honest("a player was shown this log")
def _() -> Case:
    return shown(own_tree())


@attack("a player was shown a log that was not there yet", "consistency")
def _() -> Case:
    return shown("morocco:4000:" + "ab" * 32)


@attack("a player was shown an empty log", "consistency")
def _() -> Case:
    return shown("morocco:0:" + "ab" * 32)


@attack("somebody who is no seat was shown the log", "consistency")
def _() -> Case:
    return shown(own_tree().replace("spain", "france"))


@honest("a player was shown a log of which he has no letter", consistency="NOT CHECKED", **SEALED)
def _() -> Case:
    return shown("spain:5:" + "ab" * 32)


# A game is left when its round is out, and goes on under another id.


def left(*, came_out: bool, **fields: str) -> Case:
    """A game that was closed; when its round is out another of the same seats is begun."""
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    if came_out:
        ended(server, out)
    other = "wt-043"
    server.chains[other] = LeafChain(other)
    opened = dict(server.of("open")[0].says) | {"D": str(LATER), "round": "1000"} | fields
    server.act("open", opened.items(), game=other)
    letter = server.bundle("spain", "receipt")
    return Case([*out, Item("other", OUT + 99, bundle.write(letter._replace(game=other)))])


@honest("a game that is left, and another of the same seats", attempts="NOT CHECKED", others="NOT CHECKED")
def _() -> Case:
    return left(came_out=False)


@honest("a game that is left, and another with one seat more", attempts="NOT CHECKED", others="NOT CHECKED")
def _() -> Case:
    return left(came_out=False, seats="france morocco spain")


@honest(
    "a game that is left, and another of other rules with the same seats", attempts="NOT CHECKED", others="NOT CHECKED"
)
def _() -> Case:
    return left(came_out=False, system="africa1860")


@honest("a game that came out, and another of the same seats")
def _() -> Case:
    return left(came_out=True)


@attack("two games of one id", "chain")
def _() -> Case:
    server = Server()
    out = first_phase(server)
    server.chains[GAME] = LeafChain(GAME)
    server.open(SECOND, LATER)
    return Case([*out, server.send("spain", "welcome", SECOND)])


class Alike(TournamentServer):
    """A tournament of which all tables of a round have one luck."""

    rules_text = dumps({"stage": [{"format": "swiss", "sides": "duplicate"}], "title": "Castillejos Cup"})


def own_dice(server: TournamentServer, *, again: bool = False, more: bool = True) -> Case:
    """A list of a table that has dice of its own; it is played `again`, or `more` is told of the tournament later."""
    server, items = paired(server)
    items.append(server.post())
    if again:
        server.open(FIRST, DUE)
        server.act("ruling", (("phase", FIRST), ("number", "1"), ("text", f"sha256:{'0' * 64}")))
    name = FIRST.replace("~1", "~2") if again else FIRST
    server.open(name, DUE, ruling="1" if again else "-")
    server.order(name, "spain", 1, "HOLD\n", DUE - 99)
    slate = server.slate(name, 1, {"spain": (1, "HOLD\n"), "morocco": (0, "")}, 123)
    server.close(name, 1, slate)
    own = server.own("spain", name)
    items.append(server.send("spain", "closed", name, "-", DUE + 30, slates=(slate,), orders=own))
    if more:
        standing(server)
        items.append(server.post())
    return Case(items)


@attack("a table with dice of its own where all of its stage have one luck", "close")
def _() -> Case:
    return own_dice(Alike())


@attack("a mirrored table with dice of its own where both have one luck", "close")
def _() -> Case:
    server = Alike()
    server.rules_text = dumps({"stage": [{"sides": "mirror", "luck": "one"}]})
    return own_dice(server)


@honest(
    "the same, and what the tournament said after it is in no letter",
    close="NOT CHECKED",
    draws="NOT CHECKED",
    others="NOT CHECKED",
)
def _() -> Case:
    return own_dice(Alike(), more=False)


@honest(
    "a table that has dice of its own since it plays a phase again",
    attempts="NOT CHECKED",
    draws="NOT CHECKED",
    others="NOT CHECKED",
)
def _() -> Case:
    return own_dice(Alike(), again=True)


@honest("a table with dice of its own where every table has its own", draws="NOT CHECKED", others="NOT CHECKED")
def _() -> Case:
    return own_dice(TournamentServer())


for _text in ("[]", '{"stage": 7}', '{"stage": [[]]}', '{"stage": [null]}', '{"stage": []}', "nonsense"):

    @honest(f"a table with dice of its own by the rules {_text}", draws="NOT CHECKED", others="NOT CHECKED")
    def _(text: str = _text) -> Case:
        server = Alike()
        server.rules_text = text
        return own_dice(server)
