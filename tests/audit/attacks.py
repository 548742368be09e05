"""What a server could try, and what both verifiers must say of it.

`ATTACKS` are forged: `(check, make)`, of which the check is FALSE. `DOUBTS` prove less than they claim: `(check, grade,
make)`, the check NOT CHECKED and nothing false. `HONEST` are their twins: `(what is not checked, make)`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pbem.audit import beacon, bundle, bundle_parts, checkpoint, leaves, merkle, note, rolls, signing, vrf
from pbem.audit.bundle import Bundle, IncludedLeaf
from pbem.audit.bundle_parts import PlayedEdition, Reveal, TreeExtension
from pbem.audit.note import Key
from pbem.audit.rolls import NumberedRoll
from pbem.engine.data.canon import dumps
from pbem.verifier import curve
from tests.audit.simulated import ANSWERS, ORDERS, disclosed, first_phase, second_phase, whole
from tests.audit.small_server import (
    FIRST,
    GAME,
    PLAYED,
    ROUNDS,
    SECOND,
    THROWS,
    WITNESS,
    WITNESS_SECRET,
    Item,
    Server,
    closing,
)
from tests.harness.leaf_chain import LeafChain

DUE = closing(123)
OUT = DUE + 601
"""When the round of the first phase comes out."""


class Case(NamedTuple):
    """Letters, and whom the reader believes besides."""

    items: Sequence[Item]
    pin: Key | None = None
    witnesses: tuple[Key, ...] = ()
    quorum: int = 1


Make = Callable[[], Case]


def begun(server: Server | None = None, *, number: int | None = None) -> tuple[Server, list[Item]]:
    """A game with its first phase open, the seat welcomed, and two revisions of orders in."""
    server = server or Server()
    server.open(FIRST, DUE, number=number)
    out = [server.send("spain", "welcome", FIRST)]
    for rev, text in ((1, "HOLD\n"), ORDERS["spain"]):
        server.order(FIRST, "spain", rev, text, DUE - 100 + rev)
        out.append(server.send("spain", "receipt", FIRST, orders=(server.opened(FIRST, 1, "spain", rev, text),)))
    return server, out


def ended(server: Server, out: list[Item], grade: str = "B", **more: Any) -> Case:
    """Rolled, resolved, reported, whatever was closed before."""
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    shown = {
        "slates": (server.slates[FIRST, 1],),
        "manifests": (manifest,),
        "orders": server.own("spain", FIRST),
        **server.of_both(FIRST),
        **more,
    }
    out.append(server.send("spain", "report", FIRST, grade, DUE + 700, **shown))
    return Case(out)


def closed(server: Server, out: list[Item], slate: bytes, received: int | None = DUE + 30) -> None:
    server.close(FIRST, 1, slate)
    out.append(server.send("spain", "closed", FIRST, "-", received, slates=(slate,)))


def with_slate(number: int = 123, **orders: tuple[int, str]) -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, {**ORDERS, **orders}, number))
    return ended(server, out)


def replaced(items: Sequence[Item], index: int, change: Callable[[Bundle], Bundle]) -> Case:
    """The letters with one of them rewritten on the way."""
    out = list(items)
    out[index] = out[index]._replace(data=bundle.write(change(bundle.parse(out[index].data))))
    return Case(out)


ATTACKS: dict[str, tuple[str, Make]] = {}
DOUBTS: dict[str, tuple[str, str, Make]] = {}
HONEST: dict[str, tuple[dict[str, str], Make]] = {}
SEALED = {"others": "NOT CHECKED", "labels": "NOT CHECKED"}
"""What cannot be checked of a game of the toy while it goes on."""

OPEN = {"labels": "NOT CHECKED"}
"""What cannot be checked of it when it is over: what its rolls are called."""


def attack(name: str, check: str) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        ATTACKS[name] = (check, make)
        return make

    return register


def doubt(name: str, check: str, grade: str) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        DOUBTS[name] = (check, grade, make)
        return make

    return register


def honest(name: str, **besides: str) -> Callable[[Make], Make]:
    """`besides` are the checks that are not ok, if they are others than those of SEALED."""

    def register(make: Make) -> Make:
        HONEST[name] = (besides or SEALED, make)
        return make

    return register


@attack("two closes of one segment", "close")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    closed(server, out, server.slate(FIRST, 1, {**ORDERS, "morocco": (0, "HOLD\n")}, 123))
    return ended(server, out)


@doubt("closed when the round was out", "timing", "C")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123), DUE + 601 + 1)
    return ended(server, out)


@doubt("closed when the round was out, by a witness", "timing", "C")
def _() -> Case:
    return cosigned(DUE + 602)


def cosigned(moment: int, received: int | None = None) -> Case:
    """A game whose closed list a witness saw at some moment."""
    server, out = begun()
    slate = server.slate(FIRST, 1, ORDERS, 123)
    server.close(FIRST, 1, slate)
    shown = server.bundle("spain", "closed", FIRST, slates=(slate,))
    seen = checkpoint.cosign(shown.note, WITNESS, WITNESS_SECRET, moment)
    out.append(Item("closed", received, bundle.write(shown._replace(note=seen))))
    return ended(server, out, "A")._replace(witnesses=(WITNESS,))


@attack("closed before the closing time", "timing")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123), DUE - 3600)
    return ended(server, out)


@attack("standing orders changed after the round", "orders")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    server.order(FIRST, "morocco", 1, "WHEN assaulted: STAND\n", DUE + 5)
    return ended(server, out)


@attack("an order taken after the deadline", "orders")
def _() -> Case:
    server, out = begun()
    server.order(FIRST, "morocco", 1, "HOLD\n", DUE + 5)
    closed(server, out, server.slate(FIRST, 1, {**ORDERS, "morocco": (1, "HOLD\n")}, 123))
    return ended(server, out)


@attack("other orders reported than were closed", "own")
def _() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out, orders=(server.opened(FIRST, 1, "spain", 2, "ASSAULT Valle WITH Cuenca\n"),))


@attack("an answer given with foresight", "orders")
def _() -> Case:
    return answered(late=True)


@attack("an answer under the dice that are known", "round")
def _() -> Case:
    return answered(number=1000)


@attack("the dice of the segment before", "vrf")
def _() -> Case:
    return answered(rerolled=True)


def answered(*, late: bool = False, number: int = 657413, rerolled: bool = False) -> Case:
    """A phase of two segments, the second of them tampered with."""
    server = Server()
    server.open(SECOND, closing(1000))
    out = [server.send("spain", "welcome", SECOND)]
    slate = server.slate(SECOND, 1, {"spain": (0, ""), "morocco": (0, "")}, 1000)
    server.close(SECOND, 1, slate)
    manifest = server.throw(SECOND, 1, THROWS[:1])
    server.roll(SECOND, 1, manifest)
    if number == 657413:
        server.deadline(SECOND, closing(number))
    if not late:
        server.answer(SECOND, 2, "morocco", ANSWERS["morocco"][1])
    second = server.slate(SECOND, 2, ANSWERS, number)
    server.close(SECOND, 2, second)
    if late:
        server.answer(SECOND, 2, "morocco", ANSWERS["morocco"][1])
    last = server.throw(SECOND, 2, THROWS[1:], first=2)
    if rerolled:
        server.slates[SECOND, 2] = slate
    server.roll(SECOND, 2, last)
    server.result(SECOND)
    shown = {"slates": (slate, second), "manifests": (manifest, last)}
    out.append(server.send("spain", "report", SECOND, "C", closing(657413) + 700, **shown))
    return Case(out)


@attack("a phase reopened under the same name", "close")
def _() -> Case:
    server, out = begun()
    server.open(FIRST, DUE)
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out)


@attack("an attempt hidden by its number", "attempts")
def _() -> Case:
    server = Server()
    items = first_phase(server)
    server.open(FIRST.replace("~1", "~3"), DUE)
    return Case([*items, server.send("spain", "report")])


@attack("an attempt cut out of the chain", "chain")
def _() -> Case:
    server = Server()
    items = first_phase(server)
    count = len(server.chains[GAME].leaves)
    server.open(FIRST.replace("~1", "~2"), DUE)
    hidden = bundle.parse(server.send("spain", "closed").data)
    chain = LeafChain(GAME)
    for leaf in server.chains[GAME].leaves[:count]:
        chain.follow(*leaves.write(leaf))
    server.chains[GAME] = chain
    server.open(SECOND, closing(1000))
    assert hidden.leaves
    return Case([*items, Item("hidden", None, bundle.write(hidden)), server.send("spain", "report")])


@attack("another state revealed than was sealed", "opened")
def _() -> Case:
    return revealed("before", "another")


def revealed(before: str, after: str) -> Case:
    server, items = whole()
    parts = server.disclose()
    parts["reveals"] = (Reveal(FIRST, server.blind(FIRST), before, after), *parts["reveals"][1:])
    return Case([*items, server.send("spain", "disclosure", **parts)])


@attack("a secret revealed that is not the key's", "opened")
def _() -> Case:
    def change(read: Bundle) -> Bundle:
        return read._replace(reveals=(read.reveals[0]._replace(phase=SECOND), *read.reveals[1:]))

    items = revealed("before", "after").items
    return replaced(items, len(items) - 1, change)


@attack("another edition opened than was played", "opened")
def _() -> Case:
    return edition(PLAYED._replace(text='{"turns":8}'))


def edition(played: PlayedEdition) -> Case:
    server, items = whole()
    parts = server.disclose() | {"edition": played}
    return Case([*items, server.send("spain", "disclosure", **parts)])


@attack("another round closed than was said", "round")
def _() -> Case:
    return with_slate(number=1000)


@attack("a wrong round said from the first", "round")
def _() -> Case:
    server, out = begun(number=1000)
    closed(server, out, server.slate(FIRST, 1, ORDERS, 1000))
    return ended(server, out, "C")


@attack("a round that follows from no moved deadline", "round")
def _() -> Case:
    server, out = begun()
    server.deadline(FIRST, DUE + 50, number=1000)
    closed(server, out, server.slate(FIRST, 1, ORDERS, 1000), None)
    return ended(server, out, "C")


@attack("a moved deadline whose round was not taken", "round")
def _() -> Case:
    server, out = begun()
    server.deadline(FIRST, closing(1000))
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123), None)
    return ended(server, out, "C")


@attack("a dropped revision", "orders")
def _() -> Case:
    return with_slate(spain=(1, "HOLD\n"))


@attack("an invented revision", "orders")
def _() -> Case:
    return with_slate(spain=(3, "HOLD\n"))


@attack("orders invented for who sent none", "orders")
def _() -> Case:
    return with_slate(morocco=(1, "HOLD\n"))


@attack("an order leaf that the server invented", "own")
def _() -> Case:
    """The log and the closed list agree; only its owner knows that he never sent it, and nothing opens it to him."""
    server, out = begun()
    server.order(FIRST, "spain", 3, "FLEE\n", DUE - 50)
    closed(server, out, server.slate(FIRST, 1, {**ORDERS, "spain": (3, "FLEE\n")}, 123))
    return ended(server, out, orders=server.own("spain", FIRST)[:2])


@attack("an answer leaf that the server invented", "own")
def _() -> Case:
    case = answered()
    (report,) = (bundle.parse(item.data) for item in case.items[-1:])
    return Case([*case.items[:-1], Item("to morocco", None, bundle.write(report._replace(seat="morocco")))])


@attack("a receipted revision that the log of the report has not", "chain")
def _() -> Case:
    _, receipts = begun()
    server = Server()
    server.open(FIRST, DUE)
    server.order(FIRST, "spain", 1, "HOLD\n", DUE - 99)
    return ended_on(server, receipts, (1, "HOLD\n"))


def ended_on(server: Server, out: list[Item], orders: tuple[int, str]) -> Case:
    """Closed on these orders of Spain's, rolled and reported."""
    closed(server, out, server.slate(FIRST, 1, {**ORDERS, "spain": orders}, 123))
    return ended(server, out)


@attack("a closing time moved to before orders that were taken", "orders")
def _() -> Case:
    server, out = begun()
    server.deadline(FIRST, DUE - 100, "all-in", 90)
    return ended_on(server, out, ORDERS["spain"])


@attack("a ruling told otherwise than it was logged", "opened")
def _() -> Case:
    return ruled("WARN morocco")


@attack("a ruling of another number than was logged", "opened")
def _() -> Case:
    return ruled("WARN spain", 2)


def ruled(line: str, number: int = 1) -> Case:
    """A letter after a ruling that warned Spain, with what it says of it."""
    server, out = begun()
    server.ruling(FIRST, 1, "WARN spain")
    out.append(server.send("spain", "receipt", FIRST, rulings=(bundle_parts.Ruling(number, line),)))
    return Case(out)


LINE = "EDIT UNIT Cuenca AT Tajo"


def corrected(*lines: str, number: int = 1) -> Case:
    """A game that is over, in which all were told the first word of a correction; `lines` are what is opened of it."""
    server, out = whole()
    edit = dumps({"line": "EDIT", "number": 1, "reason": "", "whole": server.blinded(SECOND, LINE)})
    server.ruling(SECOND, 1, edit)
    rulings = (bundle_parts.Ruling(1, edit), *(bundle_parts.Ruling(number, line) for line in lines))
    return Case([*out, server.send("spain", "disclosure", **server.disclose(), rulings=rulings)])


@attack("a correction that is never opened", "opened")
def _() -> Case:
    return corrected()


@attack("a correction opened in other words", "opened")
def _() -> Case:
    return corrected(LINE, LINE.replace("Tajo", "Ebro"))


@attack("a correction opened under another number", "opened")
def _() -> Case:
    return corrected(LINE, number=2)


@attack("another text under the same revision", "orders")
def _() -> Case:
    return with_slate(spain=(2, "HOLD\n"))


@attack("a label renamed on the way", "manifest")
def _() -> Case:
    def change(read: Bundle) -> Bundle:
        return read._replace(manifests=(read.manifests[0].replace(b"shock attacker", b"shock defender"),))

    return replaced(whole()[1], 4, change)


def rolled(change: Callable[[rolls.Manifest], list[NumberedRoll]]) -> Case:
    """A game whose server logs another manifest than what the dice are."""
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    parsed = rolls.parse_manifest(server.throw(FIRST, 1, THROWS))
    manifest = rolls.manifest_block(game=GAME, phase=FIRST, segment=1, group="all", rolls=change(parsed))
    server.roll(FIRST, 1, manifest)
    more = {"slates": (server.slates[FIRST, 1],), "manifests": (manifest,), "orders": server.own("spain", FIRST)}
    out.append(server.send("spain", "report", FIRST, "B", DUE + 700, **more))
    return Case(out)


@attack("a label renamed before it was logged", "dice")
def _() -> Case:
    return rolled(lambda manifest: [manifest.rolls[0]._replace(label="Nudos>Cresta/shock defender"), manifest.rolls[1]])


@attack("one die changed by one", "dice")
def _() -> Case:
    first = lambda throw: throw._replace(values=(throw.values[0] % 6 + 1, *throw.values[1:]))  # noqa: E731
    return rolled(lambda manifest: [first(manifest.rolls[0]), manifest.rolls[1]])


@attack("a roll left out of the manifest", "manifest")
def _() -> Case:
    return rolled(lambda manifest: [manifest.rolls[1]])


@attack("a label rolled again until it fits", "manifest")
def _() -> Case:
    return rolled(lambda manifest: [manifest.rolls[0], manifest.rolls[0]._replace(number=2)])


@attack("two logs for two inboxes", "chain")
def _() -> Case:
    mine, yours = Server(), Server()
    items = first_phase(mine)
    yours.open(FIRST, DUE)
    yours.order(FIRST, "spain", 1, "FLEE\n", DUE - 99)
    return Case([*items, yours.send("morocco", "welcome", FIRST)])


@attack("two logs of one size", "consistency")
def _() -> Case:
    mine, yours = Server(), Server()
    items = first_phase(mine)
    yours.chains["wt-043"] = LeafChain("wt-043")
    while len(yours.tree) < len(mine.tree):
        yours.act("disclose", (("phase", FIRST),), game="wt-043")
    return Case([*items, yours.send("morocco", "welcome")])


@attack("a player was shown another log", "consistency")
def _() -> Case:
    server, out = begun()
    server.seen = f"spain:{server.heads['spain'].size}:{'ab' * 32}"
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out)


@attack("a log written anew from the middle", "consistency")
def _() -> Case:
    def change(read: Bundle) -> Bundle:
        assert read.grown is not None
        return read._replace(grown=read.grown._replace(root=bytes(32)))

    return replaced(whole()[1], 4, change)


@attack("consistent with an empty log", "consistency")
def _() -> Case:
    return replaced(whole()[1], 4, lambda read: read._replace(grown=TreeExtension(0, merkle.EMPTY_ROOT, ())))


@attack("a checkpoint of an empty log", "signature")
def _() -> Case:
    server, items = whole()
    empty = checkpoint.sign(checkpoint.Checkpoint(server.log.name, 0, merkle.EMPTY_ROOT), server.log, server.sign)
    return replaced(items, 4, lambda read: read._replace(note=empty, grown=None))


@attack("a leaf proven in no log at all", "inclusion")
def _() -> Case:
    server, items = whole()
    empty = checkpoint.sign(checkpoint.Checkpoint(server.log.name, 0, merkle.EMPTY_ROOT), server.log, server.sign)

    def change(read: Bundle) -> Bundle:
        return read._replace(note=empty, leaves=(IncludedLeaf(read.leaves[0].data, 0, ()),), grown=None)

    return replaced(items, 4, change)


@attack("a checkpoint of another server", "signature")
def _() -> Case:
    server, items = whole()
    other, secret = signing.make_signer(server.log.name, b"o" * 32)
    return replaced(items, 4, lambda read: read._replace(note=checkpoint.sign(server.head(), other, secret)))


@attack("another key than the reader knows", "keys")
def _() -> Case:
    other, _ = signing.make_signer("example.com/pbem", b"o" * 32)
    return Case(whole()[1], pin=other)


@attack("a beacon of another chain", "round")
def _() -> Case:
    server = Server()
    server.chain = "ab" * 32
    return Case(first_phase(server))


@attack("a phase without the beacon of its game", "round")
def _() -> Case:
    """Nobody waits for a round of it: whoever has the keys knows its dice before it is closed."""
    server = Server()
    items = first_phase(server)
    server.chain = "none"
    return Case([*items, *second_phase(server)])


@attack("a beacon that the server never named", "round")
def _() -> Case:
    server = Server(public=False)
    server.chain = beacon.QUICKNET.hash
    return Case(first_phase(server))


@attack("a chain of the server's own", "timing")
def _() -> Case:
    server = Server(public=False)
    server.chain = "ab" * 32
    server.chains["-"], server.tree, server.leaves = LeafChain("-"), merkle.Tree(), []
    fields = (("log", server.log.text), ("vrf", server.vrf.public.hex()), ("chain", server.chain))
    server.act("genesis", fields, game="-")
    return Case(first_phase(server))


@attack("a value where no beacon is", "beacon")
def _() -> Case:
    return value_changed(public=False, value="ab" * 48)


@attack("a beacon without a value", "beacon")
def _() -> Case:
    return value_changed(public=True, value="none")


@attack("the value of another round", "beacon")
def _() -> Case:
    """The server computes its dice from it, as it likes them: only the pairing tells."""
    server, out = begun()
    server.signature = lambda phase, segment: ROUNDS[1000]  # type: ignore[method-assign]
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out)


def value_changed(*, public: bool, value: str, proof: Callable[[str], str] = str) -> Case:
    """A game of one phase whose roll is logged with another beacon value, or another proof."""
    server, out = begun(Server(public=public))
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123 if public else 0))
    manifest = server.throw(FIRST, 1, THROWS)

    def lie(says: Any) -> Any:
        for key, text in says:
            if key == "sig" and value:
                yield key, value
            elif key == "group":
                yield key, f"all {proof(text.split(' ')[1])}"
            else:
                yield key, text

    server.alter["roll"] = lie
    server.roll(FIRST, 1, manifest)
    more = {"slates": (server.slates[FIRST, 1],), "manifests": (manifest,), "orders": server.own("spain", FIRST)}
    out.append(server.send("spain", "report", FIRST, "C", DUE + 700, **more))
    return Case(out)


@attack("a VRF proof with a scalar beyond the order", "vrf")
def _() -> Case:
    def larger(proof: str) -> str:
        s = int.from_bytes(bytes.fromhex(proof[96:]), "little") + curve.ORDER
        return proof[:96] + s.to_bytes(32, "little").hex()

    return value_changed(public=True, value="", proof=larger)


@attack("an old draft's proof of the right output", "vrf")
def _() -> Case:
    return value_changed(public=True, value="", proof=drafted)


def drafted(proof: str) -> str:
    """The same Gamma with a challenge that leaves the key out, as drafts before the RFC had it."""
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    alpha, own = server.alpha(FIRST, 1), server.vrf
    gamma = bytes.fromhex(proof[:64])
    point = vrf._point_of(own.public, alpha)
    h = curve.decode_point(point)
    assert h is not None
    nonce = int.from_bytes(hashlib.sha512(own.prefix + point).digest(), "little") % curve.ORDER
    u, v = (
        curve.encode_point(curve.multiply_points((nonce, curve.BASE))),
        curve.encode_point(curve.multiply_points((nonce, h))),
    )
    c = hashlib.sha512(b"\x03\x02" + point + gamma + u + v + b"\x00").digest()[:16]
    s = (nonce + int.from_bytes(c, "little") * int.from_bytes(own.scalar, "little")) % curve.ORDER
    return (gamma + c + s.to_bytes(32, "little")).hex()


@attack("a VRF key of small order", "keys")
def _() -> Case:
    server = Server()
    server.chains["-"], server.tree, server.leaves = LeafChain("-"), merkle.Tree(), []
    fields = (("log", server.log.text), ("vrf", "01" + "00" * 31), ("chain", server.chain))
    server.act("genesis", fields, game="-")
    return Case(first_phase(server))


@attack("one key for log and dice", "keys")
def _() -> Case:
    server = Server(secret=b"v" * 32)
    return Case(first_phase(server))


@attack("an A for a C", "timing")
def _() -> Case:
    return graded("A", public=False)


@attack("a B for a C", "timing")
def _() -> Case:
    return graded("B", public=False)


def graded(grade: str, *, public: bool) -> Case:
    server = Server(public=public)
    return replaced(first_phase(server), 4, lambda read: read._replace(grade=grade))


@attack("a false cosignature", "timing")
def _() -> Case:
    case = cosigned(DUE + 5)

    def change(read: Bundle) -> Bundle:
        cosigned_note = note.parse(read.note)
        line = cosigned_note.signatures[1]
        earlier = line._replace(signed=(DUE + 4).to_bytes(8, "big") + line.signed[8:])
        both = (cosigned_note.signatures[0], earlier)
        return read._replace(note=note.write(cosigned_note._replace(signatures=both)))

    return replaced(case.items, 3, change)._replace(witnesses=(WITNESS,))


@honest("a whole game with a beacon")
def _() -> Case:
    return Case(whole()[1])


@honest("a whole game without")
def _() -> Case:
    return Case(whole(public=False)[1])


@honest("a whole game, disclosed", **OPEN)
def _() -> Case:
    return Case(disclosed())


@honest("a beacon named later")
def _() -> Case:
    """A server that began without a beacon has games with one, once the log has said so."""
    server = Server(public=False)
    server.chain = beacon.QUICKNET.hash
    server.act("beacon", (("chain", server.chain),), game="-")
    return Case(first_phase(server))


@honest("its keys known from elsewhere")
def _() -> Case:
    return Case(whole()[1][1:], pin=Server().log)


@honest("seen by a witness in time")
def _() -> Case:
    return cosigned(DUE + 599, received=DUE + 30)


@doubt("seen by a witness in time, who does not say what he saw", "timing", "C")
def _() -> Case:
    return cosigned(DUE + 599)


@doubt("no witness believed", "timing", "B")
def _() -> Case:
    return cosigned(DUE + 599, received=DUE + 30)._replace(witnesses=())


@honest("states revealed", **OPEN)
def _() -> Case:
    return revealed("before", "after")


@honest("the edition opened", **OPEN)
def _() -> Case:
    return edition(PLAYED)


@honest("a lower grade than deserved")
def _() -> Case:
    return graded("C", public=True)


@honest("moved deadlines")
def _() -> Case:
    """All in, then put off to where it was: the letter that tells of the second came before the first's round."""
    server, out = begun()
    server.deadline(FIRST, DUE - 50, "all-in")
    server.deadline(FIRST, DUE, "extend")
    out.append(server.send("spain", "receipt", FIRST, "-", DUE - 40))
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out)


@honest("a deadline put off, known in time")
def _() -> Case:
    return put_off(DUE + 30)


@doubt("a deadline put off when its round was out", "timing", "C")
def _() -> Case:
    """Who looks at the first round, and does not like it, waits for another: the closing time had passed by then."""
    return put_off(OUT + 5)


def put_off(received: int | None) -> Case:
    """Opened for one round and closed for another; a letter tells of that when it is received."""
    server, later = Server(), closing(1000)
    server.open(FIRST, DUE)
    out = [server.send("spain", "welcome", FIRST)]
    server.deadline(FIRST, later, "extend")
    server.order(FIRST, "spain", 1, "HOLD\n", DUE + 4)
    server.order(FIRST, "spain", *ORDERS["spain"], DUE + 5)
    out.append(server.send("spain", "receipt", FIRST, "-", received, orders=server.own("spain", FIRST)))
    closed(server, out, server.slate(FIRST, 1, ORDERS, 1000), later + 30)
    return ended(server, out)


def hidden(**instead: Any) -> tuple[Server, list[Item]]:
    """A roll with a second group, of a unit that nobody may know of yet; it was declared when the list was closed."""
    server, out = begun()
    server.groups = ("all", "hidden")
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    manifest = server.throw(FIRST, 1, THROWS[:1])
    secret = server.throw(FIRST, 1, (("Bosque/ambush Nizam", 1, 6),), first=2, group="hidden")
    server.roll(FIRST, 1, manifest, secret)
    server.result(FIRST)
    own = server.own("spain", FIRST)
    more: dict[str, Any] = {"slates": (server.slates[FIRST, 1],), "manifests": (manifest,), "orders": own}
    out.append(server.send("spain", "report", FIRST, "B", DUE + 700, **more))
    if instead:
        parts = server.disclose()
        out.append(
            server.send("spain", "disclosure", **(parts | {key: made(parts[key]) for key, made in instead.items()}))
        )
    return server, out


@honest("a hidden group", groups="NOT CHECKED", vrf="NOT CHECKED", manifest="NOT CHECKED", **SEALED)
def _() -> Case:
    return Case(hidden()[1])


@honest("a hidden group, disclosed", groups="NOT CHECKED", **OPEN)
def _() -> Case:
    return Case(hidden(groups=tuple)[1])


@honest("the report alone", keys="NOT CHECKED", timing="NOT CHECKED", **SEALED)
def _() -> Case:
    return Case(whole()[1][4:5])


@honest("the report alone, its key known")
def _() -> Case:
    return Case(whole(public=False)[1][4:5], pin=Server().log)


@honest("a letter lost", consistency="NOT CHECKED", **SEALED)
def _() -> Case:
    return Case([item for index, item in enumerate(whole()[1]) if index != 2])


@honest("nothing", form="NOT CHECKED", keys="NOT CHECKED")
def _() -> Case:
    return Case([])


HONEST["a ruling"] = {}, lambda: ruled("WARN spain")
HONEST["a correction that is opened at the end"] = OPEN, lambda: corrected(LINE)
