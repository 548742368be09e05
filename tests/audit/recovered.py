"""Letters of logs that were begun anew after a restore, by honest servers and by those that take an act back by it.

`RECOVERED` has for each the checks that are not ok, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from pbem.audit import note
from tests.audit.simulated import ORDERS
from tests.audit.small_server import FIRST, SECOND, THROWS, Item, Server, closing

DUE = closing(123)
Letters = list[Item]
OPEN, FALSE = "NOT CHECKED", "FALSE"
RECOVERED: dict[str, tuple[Callable[[], Letters], dict[str, str]]] = {}


def case(name: str, **expected: str):
    def add(make: Callable[[], Letters]) -> Callable[[], Letters]:
        RECOVERED[name] = (make, expected)
        return make

    return add


class Restored:
    """A server put back as it was when it had `kept` of two revisions of Spain's orders, and all letters of it."""

    def __init__(self, kept: int = 2, *, close: bool = True, public: bool = True) -> None:
        self.old = Server(public=public)
        self.old.open(FIRST, DUE)
        self.letters = [self.old.send("spain", "welcome", FIRST)]
        for rev, text in ((1, "HOLD\n"), ORDERS["spain"]):
            if rev == kept + 1:
                self.now = deepcopy(self.old)
            self.order(self.old, rev, text)
        if kept == 2:
            self.now = deepcopy(self.old)
        if close:
            self.close(self.old)

    def order(self, server: Server, rev: int, text: str, recv: int = 0) -> None:
        server.order(FIRST, "spain", rev, text, recv or DUE - 100 + rev)
        self.letters.append(
            server.send("spain", "receipt", FIRST, orders=(server.opened(FIRST, 1, "spain", rev, text),))
        )

    def close(self, server: Server, orders=None, received: int | None = DUE + 30) -> None:
        slate = server.slate(FIRST, 1, orders or ORDERS, 123 if server.chain != "none" else 0)
        server.close(FIRST, 1, slate)
        self.letters.append(server.send("spain", "closed", FIRST, "-", received, slates=(slate,)))

    def begin(self, number: int = 2, size: int | None = None, root: bytes | None = None, **other: str) -> None:
        head = self.old.head()
        self.now.recover(head.size if size is None else size, root or head.root, number, **other)

    def end(self, orders=None, phase: str = FIRST) -> Letters:
        server = self.now
        manifest = server.throw(phase, 1, THROWS)
        server.roll(phase, 1, manifest)
        server.result(phase)
        slate = server.slates[phase, 1]
        sent = (orders or ORDERS)["spain"]
        own = (server.opened(phase, 1, "spain", *sent),)
        more = {"slates": (slate,), "manifests": (manifest,), "orders": own, **server.of_both(phase)}
        grade = "B" if server.chain != "none" else "C"
        self.letters.append(server.send("spain", "report", phase, grade, DUE + 700, **more))
        return self.letters

    def closed_and_put_back(self, backup: Server) -> Letters:
        """The phase closes, the server is put back once more, recovers, closes it again and plays it to its end."""
        self.close(self.now)
        self.old, self.now = self.now, backup
        self.begin(number=3)
        self.close(self.now)
        return self.end()


@case("the same acts again", recovery=OPEN)
def _() -> Letters:
    made = Restored()
    made.begin()
    made.close(made.now)
    return made.end()


@case("the same acts again, without a beacon", recovery=OPEN)
def _() -> Letters:
    made = Restored(public=False)
    made.begin()
    made.close(made.now)
    return made.end()


@case("the list is not closed again yet", recovery=OPEN)
def _() -> Letters:
    made = Restored()
    made.begin()
    made.letters.append(made.now.send("spain", "receipt", FIRST))
    return made.letters


@case("a closed list taken back for another", recovery=FALSE)
def _() -> Letters:
    made = Restored()
    made.begin()
    orders = {**ORDERS, "spain": (3, "HOLD\n")}
    made.order(made.now, *orders["spain"], recv=DUE)
    made.close(made.now, orders)
    return made.end(orders)


@case("orders that were receipted are gone", recovery=FALSE)
def _() -> Letters:
    made = Restored(kept=1, close=False)
    made.begin()
    orders = {**ORDERS, "spain": (1, "HOLD\n")}
    made.close(made.now, orders)
    return made.end(orders)


@case("orders that were receipted come again", recovery=OPEN)
def _() -> Letters:
    made = Restored(kept=1, close=False)
    made.begin()
    made.order(made.now, *ORDERS["spain"])
    made.close(made.now)
    return made.end()


@case("other orders are sent in the place of those that are lost", recovery=OPEN)
def _() -> Letters:
    made = Restored(kept=1, close=False)
    made.begin()
    orders = {**ORDERS, "spain": (2, "HOLD\n")}
    made.order(made.now, *orders["spain"], recv=DUE - 5)
    made.close(made.now, orders)
    return made.end(orders)


@case("the phase is passed by", recovery=FALSE, attempts=FALSE)
def _() -> Letters:
    made = Restored()
    made.begin()
    made.now.open(SECOND, closing(1000))
    made.letters.append(made.now.send("spain", "receipt", SECOND))
    return made.letters


@case("fewer leaves are admitted than were signed", recovery=FALSE)
def _() -> Letters:
    made = Restored()
    made.begin(size=len(made.old.leaves) - 1, root=b"x" * 32)
    made.close(made.now)
    return made.end()


@case("another tree is admitted than was signed", recovery=FALSE)
def _() -> Letters:
    made = Restored()
    made.begin(root=b"x" * 32)
    made.close(made.now)
    return made.end()


@case("a ruling says something else", recovery=FALSE)
def _() -> Letters:
    made = Restored(close=False)
    made.old.ruling(FIRST, 1, "WARN spain")
    made.letters.append(made.old.send("spain", "receipt", FIRST))
    made.begin()
    made.now.ruling(FIRST, 1, "WARN morocco")
    made.letters.append(made.now.send("spain", "receipt", FIRST))
    return made.letters


@case(
    "under another name, and no leaf says why",
    signature=FALSE,
    chain=FALSE,
    consistency=FALSE,
    close=FALSE,
    recovery=OPEN,
)
def _() -> Letters:
    made = Restored()
    made.now.log = made.now.log._replace(name="example.com/pbem/2")
    made.close(made.now, {**ORDERS, "spain": (2, "HOLD\n")})
    return made.letters


@case("under the same name, and a leaf that says why", keys=FALSE, recovery=OPEN)
def _() -> Letters:
    made = Restored(close=False)
    made.begin(number=1)
    made.letters.append(made.now.send("spain", "receipt", FIRST))
    return made.letters


@case("with another key of the dice", keys=FALSE, signature=FALSE, recovery=OPEN)
def _() -> Letters:
    made = Restored()
    made.begin(vrf="e1" * 32)
    made.letters.append(made.now.send("spain", "receipt", FIRST))
    return made.letters


@case("with another key of the log", keys=FALSE, signature=FALSE, recovery=OPEN)
def _() -> Letters:
    made = Restored()
    other = note.Key("example.com/pbem/2", b"k" * 32)
    made.begin(log=other.text)
    made.letters.append(made.now.send("spain", "receipt", FIRST))
    return made.letters


@case("twice", recovery=OPEN)
def _() -> Letters:
    made = Restored()
    made.begin()
    return made.closed_and_put_back(deepcopy(made.now))


@case("put back once more to before the first recovery", recovery=OPEN)
def _() -> Letters:
    made = Restored()
    backup = deepcopy(made.now)
    made.begin()
    return made.closed_and_put_back(backup)


@case("known only to somebody who came after it", recovery=OPEN)
def _() -> Letters:
    made = Restored()
    made.now.shown.clear()
    made.now.heads.clear()
    made.begin()
    made.letters.clear()
    sent = ((1, "HOLD\n"), ORDERS["spain"])
    own = tuple(made.now.opened(FIRST, 1, "spain", *order) for order in sent)
    made.letters.append(made.now.send("spain", "welcome", FIRST, orders=own))
    made.close(made.now)
    return made.end()
