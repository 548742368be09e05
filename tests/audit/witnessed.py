"""Reports that claim a witness: what each of the checks must say of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.audit import bundle, checkpoint, merkle, note, signing
from pbem.audit.checkpoint import CosignedLeaf
from pbem.audit.note import COSIGNATURE, ED25519, Key, Note, Sign, Signature
from tests.audit.attacks import DUE, OUT, Case, begun, closed
from tests.audit.simulated import ORDERS
from tests.audit.small_server import FIRST, THROWS, WITNESS, WITNESS_SECRET, Server

OTHER, OTHER_SECRET = signing.make_signer("other.example.com/w2", b"x" * 32, COSIGNATURE)

Make = Callable[[], Case]
CASES: dict[str, tuple[str, str, Make]] = {}
"""The check that says so and its status, and the letters; where all is true the check is the grade's."""


def case(name: str, check: str = "timing", status: str = "FALSE") -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        CASES[name] = (check, status, make)
        return make

    return register


def seen(moment: int, key: Key = WITNESS, secret: Sign = WITNESS_SECRET) -> Callable[[bytes], bytes]:
    return lambda signed: checkpoint.cosign(signed, key, secret, moment)


def signed_by(data: bytes, *lines: Signature) -> bytes:
    read = note.parse(data)
    return note.write(Note(read.text, (*read.signatures, *lines)))


class Watched:
    """A game of one phase up to its closed list, which a witness then sees, and its report."""

    def __init__(self, received: int | None = DUE + 30) -> None:
        self.server, self.out = begun()
        self.before = self.server.signed()
        closed(self.server, self.out, self.server.slate(FIRST, 1, ORDERS, 123), received)
        self.note = self.server.signed()

    def report(self, grade: str = "A", witnesses: tuple[Key, ...] = (WITNESS,), **more: Any) -> Case:
        """Roll and report; `shown` makes what the report shows of the witness, by default `note` as it is by then."""
        server, shown = self.server, more.get("shown", lambda: (self.server.watched(self.note),))
        manifest = server.throw(FIRST, 1, THROWS)
        server.roll(FIRST, 1, manifest)
        server.result(FIRST)
        own = server.own("spain", FIRST)
        parts = {"slates": (server.slates[FIRST, 1],), "manifests": (manifest,), "orders": own, "witnessed": shown()}
        self.out.append(server.send("spain", "report", FIRST, grade, DUE + 700, **parts))
        return Case(self.out, witnesses=witnesses)


def watched(*signs: Callable[[bytes], bytes], witnesses: tuple[Key, ...] = (WITNESS,), grade: str = "A") -> Case:
    """The usual way of it, with these cosignatures."""
    game = Watched()
    for sign in signs:
        game.note = sign(game.note)
    return game.report(grade, witnesses)


@case("seen in time", status="ok")
def _() -> Case:
    return watched(seen(OUT - 1))


@case("seen in time by one of two", status="ok")
def _() -> Case:
    return watched(seen(OUT - 1), seen(OUT + 5, OTHER, OTHER_SECRET), witnesses=(OTHER, WITNESS))


@case("seen in time by one whom the reader knows, and by another", status="ok")
def _() -> Case:
    return watched(seen(OUT - 1, OTHER, OTHER_SECRET), seen(OUT - 2))


@case("the report alone, and no word of what was seen", status="NOT CHECKED")
def _() -> Case:
    case = watched(seen(OUT - 1))
    return Case(case.items[-1:], Server().log, case.witnesses)


@case("a lower grade than deserved", status="ok")
def _() -> Case:
    return watched(seen(OUT - 1), grade="B")


@case("no witness named", status="NOT CHECKED")
def _() -> Case:
    return watched(seen(OUT - 1), witnesses=())


@case("a witness whom nobody named", status="NOT CHECKED")
def _() -> Case:
    return watched(seen(OUT - 1, OTHER, OTHER_SECRET))


@case("another key under the name of the witness", status="NOT CHECKED")
def _() -> Case:
    return watched(seen(OUT - 1, *signing.make_signer(WITNESS.name, b"y" * 32, COSIGNATURE)))


@case("a plain signature of the witness", status="NOT CHECKED")
def _() -> Case:
    def plain(data: bytes) -> bytes:
        key = WITNESS._replace(kind=ED25519)
        return signed_by(data, Signature(key.name, key.id, WITNESS_SECRET(note.parse(data).text.encode())))

    return watched(plain)


@case("a plain signature under the id of a cosignature")
def _() -> Case:
    def plain(data: bytes) -> bytes:
        when = (OUT - 1).to_bytes(8, "big")
        return signed_by(
            data, Signature(WITNESS.name, WITNESS.id, when + WITNESS_SECRET(note.parse(data).text.encode()))
        )

    return watched(plain)


@case("seen when the round was out", status="NOT CHECKED")
def _() -> Case:
    return watched(seen(OUT))


@case("seen before the closing time")
def _() -> Case:
    return watched(seen(DUE - 121))


@case("a time of nothing")
def _() -> Case:
    def timeless(data: bytes) -> bytes:
        text = b"cosignature/v1\ntime 0\n" + note.parse(data).text.encode()
        return signed_by(data, Signature(WITNESS.name, WITNESS.id, bytes(8) + WITNESS_SECRET(text)))

    return watched(timeless)


@case("another time than was signed")
def _() -> Case:
    def earlier(data: bytes) -> bytes:
        line = note.parse(seen(OUT + 60)(data)).signatures[-1]
        return signed_by(data, line._replace(signed=(OUT - 1).to_bytes(8, "big") + line.signed[8:]))

    return watched(earlier)


@case("a forged cosignature")
def _() -> Case:
    return watched(seen(OUT - 1, WITNESS, OTHER_SECRET))


@case("the cosignature of an earlier tree")
def _() -> Case:
    game = Watched()
    game.note = signed_by(game.note, *note.parse(seen(DUE + 5)(game.before)).signatures[1:])
    return game.report()


@case("no witness at all")
def _() -> Case:
    return Watched().report(shown=tuple)


@case("a tree that only the log has signed")
def _() -> Case:
    return watched()


@case("the server as its own witness")
def _() -> Case:
    own, secret = signing.make_signer("example.com/friend", b"l" * 32, COSIGNATURE)
    return watched(seen(OUT - 1, own, secret), witnesses=(own,))


@case("a tree that does not hold the closed list", "inclusion")
def _() -> Case:
    game = Watched()
    game.note = seen(OUT - 1)(game.before)
    return game.report()


@case("a tree that holds the list elsewhere", "inclusion")
def _() -> Case:
    game = Watched()
    game.note = seen(OUT - 1)(game.note)
    return game.report(shown=lambda: (game.server.watched(game.note)._replace(at=1),))


@case("a tree shown for a leaf that closed nothing", "inclusion")
def _() -> Case:
    game = Watched()
    game.note = seen(OUT - 1)(game.note)
    return game.report(shown=lambda: (game.server.watched(game.note, 1),))


@case("the leaf in the tree of another log", "signature")
def _() -> Case:
    game = Watched()
    head = game.server.head()
    game.note = seen(OUT - 1)(checkpoint.sign(head, *signing.make_signer("example.com/pbem", b"o" * 32)))
    return game.report()


@case("a fork shown to the witness", "consistency")
def _() -> Case:
    """It holds the closed list that was reported, and one more that might have been."""
    game = Watched()
    server = game.server
    fork = merkle.Tree([leaf.data for leaf in server.leaves])
    fork.append(server.leaves[-1].data.replace(b"segment 1", b"segment 2"))
    size, index = len(fork), len(server.leaves) - 1
    head = checkpoint.Checkpoint(server.log.name, size, merkle.tree_root(fork.node, size))
    cosigned_note = seen(OUT - 1)(checkpoint.sign(head, server.log, server.sign))

    def shown() -> tuple[CosignedLeaf, ...]:
        path = merkle.prove_inclusion(fork.node, index, size)
        return (
            CosignedLeaf(
                index, path, merkle.prove_consistency(server.tree.node, size, len(server.tree)), cosigned_note
            ),
        )

    return game.report(shown=shown)


@case("a tree of the size of another letter's", "consistency")
def _() -> Case:
    """The witness has the list in a tree of his own, as large as the one that the player was told of."""
    game = Watched()
    server = game.server
    leaves = [leaf.data for leaf in server.leaves]
    fork = merkle.Tree([leaves[0].replace(b"genesis", b"genesis "), *leaves[1:]])
    size = len(fork)
    head = checkpoint.Checkpoint(server.log.name, size, merkle.tree_root(fork.node, size))
    cosigned_note = seen(OUT - 1)(checkpoint.sign(head, server.log, server.sign))
    return game.report(
        shown=lambda: (CosignedLeaf(size - 1, merkle.prove_inclusion(fork.node, size - 1, size), (), cosigned_note),)
    )


def shown_in(case: Case) -> CosignedLeaf:
    """What the report of a case shows of its witness."""
    (only,) = bundle.parse(case.items[-1].data).witnessed
    return only
