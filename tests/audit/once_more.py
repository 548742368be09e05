"""Letters of a phase that a ruling had resolved once more, rightly and not; `ONCE_MORE` as `recovered.RECOVERED`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.audit import vrf
from pbem.audit.bundle_parts import PlayedEdition, Reveal, Ruling
from pbem.audit.sealing import blind_block
from pbem.engine.data.canon import dumps
from tests.audit.simulated import first_phase
from tests.audit.small_server import FIRST, GAME, PLAYED, THROWS, Item, Server, closing

Letters = list[Item]
OPEN, FALSE = "NOT CHECKED", "FALSE"
MORE = (*THROWS, ("Nudos>Cresta/morale Leon", 1, 10))
LINE = dumps({"line": "READJUDICATE T1.spain", "number": 1, "reason": "a march was read wrongly"})
ONCE_MORE: dict[str, tuple[Callable[[], Letters], dict[str, str]]] = {}


def case(name: str, **expected: str):
    def add(make: Callable[[], Letters]) -> Callable[[], Letters]:
        ONCE_MORE[name] = (make, expected)
        return make

    return add


def ruled() -> tuple[Server, Letters]:
    """The first phase, and a ruling on it."""
    server = Server(public=False)
    out = first_phase(server)
    server.ruling(FIRST, 1, LINE)
    return server, out


def send_letter(server: Server, out: Letters, *manifests: bytes, **more: Any) -> Letters:
    """What came of it is told in one letter."""
    shown: dict[str, Any] = {"manifests": manifests, "rulings": (Ruling(1, LINE),), **more}
    return [*out, server.send("spain", "receipt", FIRST, **shown)]


@case("with one roll more")
def _() -> Letters:
    server, out = ruled()
    manifest = server.again(FIRST, 2, MORE)
    server.result(FIRST, "mended after")
    return send_letter(server, out, manifest)


@case("twice")
def _() -> Letters:
    server, out = ruled()
    first = server.again(FIRST, 2, MORE)
    server.result(FIRST, "mended after")
    second = server.again(FIRST, 3, THROWS[:1])
    server.result(FIRST, "mended better")
    return send_letter(server, out, first, second)


@case("its states opened")
def _() -> Letters:
    server, out = ruled()
    manifest = server.again(FIRST, 2, MORE)
    server.result(FIRST, "mended after")
    proof = vrf.prove(server.vrf, blind_block(game=GAME, phase=FIRST))
    reveals = (Reveal(FIRST, proof, "before", "mended after"), Reveal(FIRST, proof, "mended", ""))
    return send_letter(server, out, manifest, reveals=reveals)


@case("another state opened", opened=FALSE)
def _() -> Letters:
    server, out = ruled()
    manifest = server.again(FIRST, 2, MORE)
    server.result(FIRST, "mended after")
    proof = vrf.prove(server.vrf, blind_block(game=GAME, phase=FIRST))
    return send_letter(server, out, manifest, reveals=(Reveal(FIRST, proof, "mended otherwise", ""),))


@case("the ruling is in no letter", attempts=OPEN)
def _() -> Letters:
    server, out = ruled()
    manifest = server.again(FIRST, 2, MORE)
    server.result(FIRST, "mended after")
    return send_letter(server, out, manifest, rulings=())


@case("there is no such ruling", attempts=FALSE)
def _() -> Letters:
    server = Server(public=False)
    out = first_phase(server)
    manifest = server.again(FIRST, 2, MORE, ruling=3)
    server.result(FIRST, "mended after")
    return [*out, server.send("spain", "receipt", FIRST, manifests=(manifest,))]


@case("and nobody says so", attempts=FALSE)
def _() -> Letters:
    server, out = ruled()
    server.result(FIRST, "mended after")
    return send_letter(server, out)


@case("as another run than it is", attempts=FALSE)
def _() -> Letters:
    server, out = ruled()
    manifest = server.again(FIRST, 3, MORE)
    server.result(FIRST, "mended after")
    return send_letter(server, out, manifest)


@case("with a die that its secret does not give", dice=FALSE)
def _() -> Letters:
    server, out = ruled()
    honest = server.throw(FIRST, 1, THROWS).decode().replace("group all\n", "group all~2\n")
    head, last = honest.rsplit(" ", 1)
    values = ",".join(str(8 if number == "1" else int(number) - 1) for number in last.strip().split(","))
    manifest = f"{head} {values}\n".encode()
    server.said_again(FIRST, 2, manifest)
    server.result(FIRST, "mended after")
    return send_letter(server, out, manifest)


@case("and its list is kept back", manifest=OPEN)
def _() -> Letters:
    server, out = ruled()
    server.again(FIRST, 2, MORE)
    server.result(FIRST, "mended after")
    return send_letter(server, out)


@case("and another list is shown", manifest=FALSE)
def _() -> Letters:
    server, out = ruled()
    server.again(FIRST, 2, MORE)
    server.result(FIRST, "mended after")
    other = server.throw(FIRST, 1, THROWS).decode().replace("group all\n", "group all~2\n")
    return send_letter(server, out, other.encode())


@case("and a list of none such is shown", manifest=FALSE)
def _() -> Letters:
    server, out = ruled()
    other = server.throw(FIRST, 1, THROWS).decode().replace("group all\n", "group all~2\n")
    return send_letter(server, out, other.encode())


def for_rules(system: str, pace: str, played: PlayedEdition = PLAYED) -> Letters:
    """A game whose phases say which rules and which pace they are opened for."""
    server = Server(public=False)
    server.terms |= {"system": system, "pace": pace}
    server.open(FIRST, closing(123))
    out = [server.send("spain", "welcome", FIRST)]
    parts = server.disclose() | {"edition": played}
    return [*out, server.send("spain", "disclosure", FIRST, **parts)]


@case("rules and pace are those of the opening")
def _() -> Letters:
    return for_rules("toy", "phase")


@case("other rules are shown than it was opened for", opened=FALSE)
def _() -> Letters:
    return for_rules("chess", "phase")


@case("another pace is shown than it was opened for", opened=FALSE)
def _() -> Letters:
    return for_rules("toy", "activation")
