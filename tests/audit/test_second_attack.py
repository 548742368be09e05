"""Second attack: whoever runs the server looks at dice first, or leaves things out, and all that it shows is signed.

What is gained by each is said where it is made. Beside it stands what an honest server could write in its place.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from pbem.audit import checkpoint, signing, vrf, witness_statement
from pbem.audit.note import COSIGNATURE
from pbem.audit.witness_statement import SeenList, WitnessStatement
from pbem.verifier.verification import Verdict, status_by_check
from tests.audit import standalone
from tests.audit.attacks import DUE, OUT, Case, begun, closed, ended
from tests.audit.checked import judge
from tests.audit.simulated import ORDERS, first_phase, second_phase, whole
from tests.audit.small_server import FIRST, GAME, SECOND, THROWS, WITNESS, WITNESS_SECRET, Item, Server, closing

LATER = closing(1000)
LATE_ORDERS = {"spain": (0, ""), "morocco": (0, "")}


def judge_case(case: Case) -> Verdict:
    return judge(case.items, pin=case.pin, witnesses=case.witnesses, quorum=case.quorum)


def grades(verdict: Verdict) -> dict[str, str]:
    return {phase.name: phase.grade for phase in verdict.phases}


def reported(
    server: Server, phase: str = FIRST, grade: str = "B", moment: int = LATER + 700, seen: bytes = b"", **more: Any
) -> Item:
    """Rolled, resolved and reported."""
    manifest = server.throw(phase, 1, THROWS)
    server.roll(phase, 1, manifest)
    server.result(phase)
    shown = {
        "slates": (server.slates[phase, 1],),
        "manifests": (manifest,),
        "orders": server.own("spain", phase),
        **server.of_both(phase),
        **more,
    }
    if seen:
        shown["witnessed"] = (server.watched(seen),)
    return server.send("spain", "report", phase, grade, moment, **shown)


# A phase is left as it is when its round is out, and the next has another name.


def left_as_it_was() -> Case:
    phase = "T1.spain.b~1"
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    server.open(phase, LATER)
    server.order(phase, "spain", *ORDERS["spain"], LATER - 50)
    slate = server.slate(phase, 1, ORDERS, 1000)
    server.close(phase, 1, slate)
    own = server.own("spain", phase)
    out.append(server.send("spain", "closed", phase, "-", LATER + 30, slates=(slate,), orders=own))
    return Case([*out, reported(server, phase)])


# The closing time is put off when the round is out, and the letters keep back what the leaf says.


def put_off_unsaid() -> Case:
    server, out = begun()
    server.hides = lambda seat, leaf: leaf.kind == "deadline"
    server.deadline(FIRST, LATER)
    closed(server, out, server.slate(FIRST, 1, ORDERS, 1000), LATER + 30)
    return Case([*out, reported(server)])


# The log is "put back" to before the phase, which is opened for another round.


def opened_anew(*, known: bool = False) -> Case:
    server = Server()
    backup = deepcopy(server)
    server.open(FIRST, DUE)
    out = [server.send("spain", "welcome", FIRST)]
    size, root = server.head().size, server.head().root
    now = backup
    now.recover(size, root)
    now.open(FIRST, LATER)
    shown = now.send("spain", "welcome", FIRST, "-", DUE if known else OUT + 30)
    out.append(shown)
    now.order(FIRST, "spain", 1, "HOLD\n", LATER - 51)
    now.order(FIRST, "spain", *ORDERS["spain"], LATER - 50)
    out.append(now.send("spain", "receipt", FIRST, orders=now.own("spain", FIRST)))
    closed(now, out, now.slate(FIRST, 1, ORDERS, 1000), LATER + 30)
    return Case([*out, reported(now)])


# What was rolled is kept back, or what it is held against.


def kept_back(kind: str) -> Case:
    server, out = begun()
    server.hides = lambda seat, leaf: leaf.kind == kind
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out)


def without_manifest() -> Case:
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123))
    return ended(server, out, manifests=())


# Orders that came are closed as none.


def closed_as_silent(*, letter: bool = False) -> Case:
    server, out = begun()
    server.order(FIRST, "spain", 0, "", DUE - 10 if letter else 0)
    own = (server.opened(FIRST, 1, "spain", 0, ""),)
    out.append(server.send("spain", "receipt", FIRST, orders=own))
    closed(server, out, server.slate(FIRST, 1, LATE_ORDERS, 123))
    return ended(server, out)


def invented() -> Case:
    server, out = begun()
    server.order(FIRST, "spain", 3, "RETREAT TO Valle\n", 0)
    closed(server, out, server.slate(FIRST, 1, {**ORDERS, "spain": (3, "RETREAT TO Valle\n")}, 123))
    return ended(server, out)


# Everything is opened, but for one phase.


def not_all_opened() -> Case:
    server, out = whole()
    act = server.act

    def some(kind: str, says: Any, game: str = GAME) -> None:
        fields = tuple(says)
        if (kind, fields) != ("disclose", (("phase", FIRST),)):
            act(kind, fields, game)

    server.act = some  # type: ignore[method-assign]
    parts = server.disclose()
    parts["orders"] = tuple(part for part in parts["orders"] if (part.phase, part.seat) != (FIRST, "morocco"))
    return Case([*out, server.send("spain", "disclosure", **parts)])


# The result is told in a letter of another kind, and who was silent is not told what he was closed with.


def told_in_passing(kind: str, phase: str) -> Case:
    server = Server(public=False)
    server.open(FIRST, DUE)
    out = [server.send("morocco", "welcome", FIRST)]
    server.free["morocco"] = server.commit(FIRST, "morocco", 0, "anything")
    slate = server.slate(FIRST, 1, LATE_ORDERS, 0)
    server.close(FIRST, 1, slate)
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    out.append(server.send("morocco", kind, phase, "-", DUE + 700, slates=(slate,), manifests=(manifest,)))
    return Case(out)


# A witness of two names.


def of_two_names() -> Case:
    twin, _ = signing.make_signer("other.example.com/w2", b"w" * 32, COSIGNATURE)
    server, out = begun()
    closed(server, out, server.slate(FIRST, 1, ORDERS, 123), None)
    note, statements = server.signed(), []
    leaf = witness_statement.closed_list_of([leaf.data for leaf in server.leaves if leaf.kind == "close"][-1]).leaf
    for key in (WITNESS, twin):
        note = checkpoint.cosign(note, key, WITNESS_SECRET, OUT - 10)
        statement = WitnessStatement(server.head(), OUT - 5, (SeenList(GAME, FIRST, 1, leaf),))
        statements.append(witness_statement.write(witness_statement.sign(statement, key, WITNESS_SECRET)))
    out.append(reported(server, grade="A", moment=DUE + 700, seen=note, sees=tuple(statements)))
    return Case(out, witnesses=(WITNESS, twin), quorum=2)


# The list of the second segment is in no letter.


def second_list_left_out() -> Case:
    server = Server()
    bundle_of = server.bundle

    def less(*args: Any, **more: Any) -> Any:
        made = bundle_of(*args, **more)
        last = [leaf.data for leaf in server.leaves if leaf.kind == "close"][2:3]
        kept = tuple(leaf for leaf in made.leaves if leaf.data not in last)
        return made._replace(leaves=kept)

    server.bundle = less  # type: ignore[method-assign]
    return Case([*first_phase(server), *second_phase(server)])


# Orders sealed by a key of the dice that is not that of their phase.


def sealed_by_a_later_key() -> Case:
    server = Server(public=False)
    server.open(FIRST, DUE)
    out = [server.send("morocco", "welcome", FIRST)]
    other, own = vrf.expand_key(b"u" * 32), server.vrf
    head = server.head()
    server.recover(head.size, head.root, vrf=other.public.hex(), why="keys")
    server.vrf = other
    server.free["morocco"] = server.commit(FIRST, "morocco", 0, "")
    opened = (server.opened(FIRST, 1, "morocco", 0, ""),)
    server.vrf = own
    slate = server.slate(FIRST, 1, LATE_ORDERS, 0)
    server.close(FIRST, 1, slate)
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    shown = {"slates": (slate,), "manifests": (manifest,), "orders": opened}
    return Case([*out, server.send("morocco", "report", FIRST, "C", DUE + 700, **shown)])


# A closing time that was put off in time, by what a witness saw.


def put_off_before_a_witness() -> Case:
    """The witness cosigned the tree with the new closing time before the round that it replaced."""
    server, out = begun()
    server.deadline(FIRST, LATER)
    index = len(server.leaves) - 1
    moved = checkpoint.cosign(server.signed(), WITNESS, WITNESS_SECRET, OUT - 10)
    closed(server, out, server.slate(FIRST, 1, ORDERS, 1000), None)
    note = checkpoint.cosign(server.signed(), WITNESS, WITNESS_SECRET, LATER + 10)
    leaf = witness_statement.closed_list_of([leaf.data for leaf in server.leaves if leaf.kind == "close"][-1]).leaf
    statement = WitnessStatement(server.head(), LATER + 11, (SeenList(GAME, FIRST, 1, leaf),))
    statements = (witness_statement.write(witness_statement.sign(statement, WITNESS, WITNESS_SECRET)),)
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    seen = (server.watched(note), server.watched(moved, index))
    shown = {"slates": (server.slates[FIRST, 1],), "manifests": (manifest,), "orders": server.own("spain", FIRST)}
    out.append(server.send("spain", "report", FIRST, "A", LATER + 700, **shown, witnessed=seen, sees=statements))
    return Case(out, witnesses=(WITNESS,))


# A phase of which nothing is said but that it was opened.


def opened_unsaid() -> Case:
    server = Server()
    server.hides = lambda seat, leaf: "T0." in str(dict(leaf.leaf.says).get("phase", ""))
    for number in range(3):
        server.open(f"T0.spain.{number}~1", DUE - 9000)
    return Case(first_phase(server))


@pytest.mark.parametrize(
    ("case", "check"),
    [
        (left_as_it_was, "attempts"),
        (put_off_unsaid, "opened"),
        (lambda: kept_back("roll"), "opened"),
        (lambda: kept_back("result"), "opened"),
        (opened_unsaid, "opened"),
        (without_manifest, "manifest"),
        (closed_as_silent, "orders"),
        (invented, "orders"),
        (not_all_opened, "opened"),
        (lambda: told_in_passing("receipt", FIRST), "own"),
        (lambda: told_in_passing("report", "-"), "own"),
        (sealed_by_a_later_key, "own"),
    ],
)
def test_what_no_honest_server_writes_is_false(case, check):
    made = case()
    verdict = judge_case(made)
    assert status_by_check(verdict)[check] == "FALSE"
    assert standalone.statuses(*made) == status_by_check(verdict)


@pytest.mark.parametrize("case", [put_off_unsaid, opened_anew, of_two_names])
def test_what_the_server_might_have_known_is_of_grade_c(case):
    verdict = judge_case(case())
    assert grades(verdict) == {FIRST: "C"}
    assert status_by_check(verdict)["timing"] == "NOT CHECKED"


def test_a_list_that_is_in_no_letter_lowers_the_grade_of_its_phase():
    verdict = judge_case(second_list_left_out())
    (second,) = (phase for phase in verdict.phases if phase.name == SECOND)
    assert second.worth.grade == "C"
    assert ("no letter shows the closed list", ()) in second.worth.why


@pytest.mark.parametrize(
    ("case", "grade"),
    [
        (lambda: opened_anew(known=True), "B"),
        (lambda: closed_as_silent(letter=True), "B"),
        (put_off_before_a_witness, "A"),
    ],
)
def test_what_an_honest_server_writes_keeps_its_grade(case, grade):
    verdict = judge_case(case())
    assert verdict.code == 2
    assert grades(verdict) == {FIRST: grade}
    assert status_by_check(verdict)["timing"] == "ok"
