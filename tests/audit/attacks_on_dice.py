"""Ways to roll dice again, or to choose them, while each letter is well-formed and signed; each with an honest twin.

They are entered into the tables of `attacks`. What the operator gets by each is said where it is made.
"""

from __future__ import annotations

from typing import Any

from pbem.audit import bundle, checkpoint, signing, vrf, witness_statement
from pbem.audit.blocks import Commitment
from pbem.audit.bundle_parts import Ruling
from pbem.audit.note import COSIGNATURE, Key, Sign
from pbem.audit.witness_statement import SeenList, WitnessStatement
from pbem.engine.data.canon import dumps
from tests.audit.attacks import (
    DUE,
    OPEN,
    OUT,
    SEALED,
    Case,
    attack,
    begun,
    closed,
    doubt,
    ended,
    hidden,
    honest,
    replaced,
)
from tests.audit.simulated import ORDERS, disclosed, first_phase, second_phase, whole
from tests.audit.small_server import FIRST, GAME, THROWS, WITNESS, WITNESS_SECRET, Item, Server, closing

SECOND_TRY = FIRST.replace("~1", "~2")
OTHER, OTHER_SECRET = signing.make_signer("other.example.com/w2", b"x" * 32, COSIGNATURE)

# The name of a group goes into what the dice follow from: 2,745 names give a throw of three sixes.


@attack("a group that nobody had declared", "groups")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    manifest = server.throw(FIRST, 1, THROWS, group="lucky7")
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    shown = {"slates": (server.slates[FIRST, 1],), "manifests": (manifest,), "orders": server.own("spain", FIRST)}
    out.append(server.send("spain", "report", FIRST, "B", DUE + 700, **shown))
    return Case(out)


@attack("groups that the leaf declares and the list does not", "groups")
def _() -> Case:
    server, out = begun()
    server.alter["close"] = lambda says: [(key, "all lucky7" if key == "groups" else value) for key, value in says]
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out)


@attack("groups that no game of this system has", "groups")
def _() -> Case:
    return africa(groups=("all", "lucky7"))


@attack("a group of which the proof is never opened", "vrf")
def _() -> Case:
    return Case(hidden(groups=lambda _: ())[1])


@attack("a group of which the rolls are never opened", "manifest")
def _() -> Case:
    return Case(hidden(manifests=lambda manifests: manifests[:1])[1])


# A witness signs any tree: of 400 closed lists of a segment in it the best is shown.


def sworn(server: Server, leaf: str, moment: int, key: Key = WITNESS, secret: Sign = WITNESS_SECRET) -> bytes:
    """What a witness says that he sees: this leaf close the first segment of the first phase."""
    statement = WitnessStatement(server.head(), moment, (SeenList(GAME, FIRST, 1, leaf),))
    return witness_statement.write(witness_statement.sign(statement, key, secret))


def seen(
    *, leaf: str = "", swears: bool = True, received: int | None = None, quorum: int = 1, moment: int = OUT - 5
) -> Case:
    """A report of grade A: a witness cosigned, and swears to the closed list, or to another leaf."""
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123), received)
    note = checkpoint.cosign(server.signed(), WITNESS, WITNESS_SECRET, OUT - 10)
    own = witness_statement.closed_list_of([leaf.data for leaf in server.leaves if leaf.kind == "close"][-1]).leaf
    statements = (sworn(server, leaf or own, moment or OUT - 5),) if swears else ()
    if quorum > 1:
        note = checkpoint.cosign(note, OTHER, OTHER_SECRET, OUT - 10)
        statements = (*statements, sworn(server, own, OUT - 5, OTHER, OTHER_SECRET))
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    shown = {"slates": (server.slates[FIRST, 1],), "manifests": (manifest,), "orders": server.own("spain", FIRST)}
    more: dict[str, Any] = {"witnessed": (server.watched(note),), "sees": statements, **server.of_both(FIRST)}
    out.append(server.send("spain", "report", FIRST, "A", DUE + 700, **shown, **more))
    return Case(out, witnesses=(WITNESS, OTHER) if quorum > 1 else (WITNESS,), quorum=quorum)


@honest("seen by a witness who swears to this list alone")
def _() -> Case:
    return seen()


@attack("a witness has seen another list closed", "close")
def _() -> Case:
    return seen(leaf="ab" * 32)


@attack("a statement of what was seen that nobody signed", "timing")
def _() -> Case:
    case = seen()
    (statement,) = bundle.parse(case.items[-1].data).sees
    forged = statement.replace(f"time {OUT - 5}".encode(), f"time {OUT - 6}".encode())
    changed = replaced(case.items, len(case.items) - 1, lambda read: read._replace(sees=(forged,)))
    return changed._replace(witnesses=case.witnesses)


@doubt("a witness who was shown a tree, and no list", "timing", "C")
def _() -> Case:
    return seen(swears=False)


@doubt("a witness who saw the list when the round was out", "timing", "C")
def _() -> Case:
    return seen(moment=OUT + 5)


@honest("a witness who was shown a tree, and a letter that came in time")
def _() -> Case:
    return seen(swears=False, received=DUE + 30)


@honest("two witnesses of whom two must agree")
def _() -> Case:
    return seen(quorum=2)


@doubt("one witness of whom two must agree", "timing", "B")
def _() -> Case:
    return seen(received=DUE + 30)._replace(witnesses=(WITNESS, OTHER), quorum=2)


@attack("one leaf at two places of the log", "chain")
def _() -> Case:
    """Of what is in the log twice the one is proven to a witness, and what lies between may be chosen."""
    server, items = whole()
    twice = next(index for index, leaf in enumerate(server.leaves) if leaf.kind == "close")
    server.tree.append(server.leaves[twice].data)
    server.leaves.append(server.leaves[twice])
    return Case([*items, server.send("spain", "receipt")])


# What a silent seat is closed with is bytes that nobody has chosen but the server: a nonce.

FREE = Commitment(0, b"\x07" * 32, b"\x08" * 32)


@attack("a silent seat of which the log says nothing", "orders")
def _() -> Case:
    server, out = begun()
    server.free["morocco"] = FREE
    slate = server.slate(FIRST, 1, ORDERS, 123)
    server.close(FIRST, 1, slate, silent=False)
    out.append(server.send("spain", "closed", FIRST, "-", DUE + 30, slates=(slate,)))
    return ended(server, out, played=(), fired=())


def silenced(seat: str = "spain", *, free: bool = True) -> tuple[Server, list[Item]]:
    """A phase for which Morocco was silent, and what it was closed with seals nothing."""
    server = Server()
    server.open(FIRST, DUE)
    out = [server.send(seat, "welcome", FIRST)]
    if free:
        server.free["morocco"] = FREE
    slate = server.slate(FIRST, 1, {"spain": (0, ""), "morocco": (0, "")}, 123)
    server.close(FIRST, 1, slate)
    out.append(server.send(seat, "closed", FIRST, "-", DUE + 30, slates=(slate,)))
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    shown = {"slates": (slate,), "manifests": (manifest,), "orders": server.own(seat, FIRST)}
    if free and seat == "morocco":
        shown["orders"] = ()
    out.append(server.send(seat, "report", FIRST, "B", DUE + 700, **shown))
    return server, out


@honest("two seats that were silent")
def _() -> Case:
    return Case(silenced(free=False)[1])


@attack("a silent seat is told a result, and not what it was closed with", "own")
def _() -> Case:
    return Case(silenced("morocco")[1])


@attack("a silent seat closed with bytes that its secret does not give", "others")
def _() -> Case:
    """While the game goes on its opponent cannot know; when all is opened he does."""
    server, out = silenced()
    return Case([*out, server.send("spain", "disclosure", **server.disclose())])


@honest("two seats that were silent, disclosed", **OPEN)
def _() -> Case:
    server, out = silenced(free=False)
    return Case([*out, server.send("spain", "disclosure", **server.disclose())])


# An attempt is a new roll: it is made by a ruling alone, and begins where its phase began.


def line_of(text: str) -> str:
    return dumps({"line": text, "number": 1, "reason": "a letter was lost"})


def reopened(line: str, *, state: str = "before", named: str = "1", with_ruling: bool = True) -> Case:
    """The first phase is played, and then its second attempt is opened, by a ruling or by what it is called."""
    server = Server()
    out = first_phase(server)
    text = line_of(line)
    server.ruling(FIRST, 1, text)
    server.open(SECOND_TRY, closing(1000), state=state, ruling=named)
    out.append(server.send("spain", "receipt", SECOND_TRY, rulings=(Ruling(1, text),) if with_ruling else ()))
    return Case(out)


@honest("a phase that a ruling reopened")
def _() -> Case:
    return reopened("REOPEN T1.spain")


@attack("an attempt that nobody ordered", "attempts")
def _() -> Case:
    return reopened("WARN spain", named="-")


@attack("an attempt behind a warning", "attempts")
def _() -> Case:
    return reopened("WARN spain")


@attack("an attempt by a ruling that does not stand before it", "attempts")
def _() -> Case:
    return reopened("REOPEN T1.spain", named="2")


@attack("an attempt by a ruling about another phase", "attempts")
def _() -> Case:
    return reopened("REOPEN T9.spain")


@attack("an attempt from another position", "attempts")
def _() -> Case:
    """Another digest of the position is another slate, and so another roll."""
    return reopened("REOPEN T1.spain", state="another")


@doubt("an attempt from a position that a ruling corrected", "attempts", "B")
def _() -> Case:
    return reopened("EDIT", state="corrected")


@doubt("an attempt by a ruling that is in no letter", "attempts", "B")
def _() -> Case:
    return reopened("REOPEN T1.spain", with_ruling=False)


@attack("a phase resolved once more by a ruling about another", "attempts")
def _() -> Case:
    server = Server()
    out = first_phase(server)
    text = line_of("READJUDICATE T1.morocco")
    server.ruling(FIRST, 1, text)
    manifest = server.again(FIRST, 2, THROWS)
    server.result(FIRST, "better")
    out.append(server.send("spain", "receipt", FIRST, manifests=(manifest,), rulings=(Ruling(1, text),)))
    return Case(out)


# Labels: a die is found by its name, so that a name that may be anything is another roll.


def africa(label: str = "Nudos>Cresta/shock attacker", *, sides: int = 6, groups: tuple[str, ...] = ("all",)) -> Case:
    """A phase of a game whose labels are known."""
    server = Server()
    server.terms["system"] = "africa1860"
    server.groups = groups
    server, out = begun(server)
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    wanted = ((label, 1, sides), ("Nudos>Cresta/fire Canon+Leon > Nizam", 8, 2), ("end/recover Nizam", 1, 6))
    manifest = server.throw(FIRST, 1, wanted)
    rest = [server.throw(FIRST, 1, (), group=name) for name in groups[1:]]
    server.roll(FIRST, 1, manifest, *rest)
    server.result(FIRST)
    shown = {"slates": (server.slates[FIRST, 1],), "manifests": (manifest, *rest), "orders": server.own("spain", FIRST)}
    out.append(server.send("spain", "report", FIRST, "B", DUE + 700, **shown))
    return Case(out)


@honest("labels as the game has them", **SEALED)
def _() -> Case:
    return africa()


@attack("a label that was ground until it fitted", "labels")
def _() -> Case:
    return africa("Nudos>Cresta/shock attacker try 2745")


@attack("a die of other sides than the rules have", "labels")
def _() -> Case:
    return africa(sides=2)


# What is opened after a phase, and when the game is over.


@attack("a report opens other orders than were closed", "opened")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out, played=(server.played(FIRST, 1, "morocco", 0, "HOLD\n"),))


@attack("a report opens a standing order that was not closed", "opened")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    forged = server.fired(FIRST, "morocco", 0, 1)._replace(text="WHEN assaulted: FLEE\n")
    return ended(server, out, fired=(forged,))


@attack("a standing order under another number", "opened")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out, fired=(server.fired(FIRST, "morocco", 0, 1)._replace(number=2),))


def without(**parts: Any) -> Case:
    server, items = whole()
    opened = server.disclose()
    opened |= {key: keep(opened[key]) for key, keep in parts.items()}
    return Case([*items, server.send("spain", "disclosure", **opened)])


@attack("a disclosure without the orders of a seat", "others")
def _() -> Case:
    return without(
        orders=lambda order_sets: tuple(order_set for order_set in order_sets if order_set.seat != "morocco")
    )


@attack("a disclosure without a standing order", "others")
def _() -> Case:
    return without(
        orders=lambda order_sets: tuple(order_set._replace(rules=order_set.rules[:1]) for order_set in order_sets)
    )


@attack("a disclosure without where a phase began", "opened")
def _() -> Case:
    return without(reveals=lambda reveals: reveals[1:])


@attack("a disclosure in which a phase does not begin where the one before ended", "opened")
def _() -> Case:
    """Until then the digest of the position may be of any bytes: a nonce that is opened late."""
    server = Server()
    result = server.result

    def elsewhere(phase: str, after: str = "after") -> None:
        result(phase, "elsewhere" if phase == FIRST else after)

    server.result = elsewhere  # type: ignore[method-assign]
    out = [*first_phase(server), *second_phase(server)]
    return Case([*out, server.send("spain", "disclosure", **server.disclose())])


@attack("a disclosure that keeps a leaf back", "opened")
def _() -> Case:
    server = Server()
    honest_hides = server.hides
    server.hides = lambda seat, leaf: honest_hides(seat, leaf) or leaf.kind == "deadline"
    out = [*first_phase(server), *second_phase(server)]
    return Case([*out, server.send("spain", "disclosure", **server.disclose())])


# What may differ between the openings of a game would be free, and so vary the dice.


def opened_otherwise(**terms: str) -> Case:
    server = Server()
    out = first_phase(server)
    server.terms |= terms
    return Case([*out, *second_phase(server)])


@attack("another pace in the second phase", "close")
def _() -> Case:
    return opened_otherwise(pace="activation")


@attack("other things opened in the second phase", "close")
def _() -> Case:
    return opened_otherwise(opened="played")


@attack("another delay in the second phase", "close")
def _() -> Case:
    server = Server()
    out = first_phase(server)
    server.alter["open"] = lambda says: [(key, "599" if key == "delta" else value) for key, value in says]
    return Case([*out, *second_phase(server)])


# A beacon that is changed, and bots: what the server could vary is a C.


def changed(grade: str, line: str = "BEACON CHANGE T1.spain TO none", ruling: int = 1) -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    text = line_of(line)
    server.ruling(FIRST, 1, text)
    server.change_beacon(FIRST, 1, ruling)
    return ended(server, out, grade, rulings=(Ruling(1, text),))


@honest("a closed list that waits for no beacon by a ruling")
def _() -> Case:
    return changed("C")


@attack("a closed list that waits for no beacon, and claims that it did", "timing")
def _() -> Case:
    return changed("B")


attack("a beacon that is changed by no ruling", "attempts")(lambda: changed("C", ruling=2))
attack("a beacon that is changed by another ruling", "attempts")(lambda: changed("C", "WARN spain"))


def botted(grade: str) -> Case:
    server = Server()
    server.terms["bots"] = "morocco:careful/3"
    server, out = begun(server)
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out, grade)


@honest("a phase in which a bot plays")
def _() -> Case:
    return botted("C")


@doubt("a phase in which a bot plays, and claims that nobody could know", "timing", "C")
def _() -> Case:
    return botted("B")


@doubt("the closed list came in a letter twelve minutes late", "timing", "C")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123), DUE + 12 * 60)
    return ended(server, out)


@honest("a game of which everything is opened", **OPEN)
def _() -> Case:
    return Case(disclosed())


@attack("the key of the dice changed when the round was out", "vrf")
def _() -> Case:
    """Of two keys one gives the better dice: the one holds that was in force when the phase was opened."""
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    other = vrf.expand_key(b"u" * 32)
    head = server.head()
    server.recover(head.size, head.root, vrf=other.public.hex(), why="keys")
    server.vrf = other
    return ended(server, out, orders=(), played=(), fired=())
