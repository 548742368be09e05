"""Servers that do at random what no honest one would: acts left out, doubled, out of order, with other numbers in them.

What they sign is well-formed, and every proof of the log is right, so that each verifier has to judge what was done.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pbem.audit.blocks import Commitment, Malformed
from pbem.audit.bundle import LETTER_KINDS
from pbem.audit.bundle_parts import Reveal, Ruling
from tests.audit.simulated import ORDERS
from tests.audit.small_server import DELTA, FIRST, PLAYED, SEATS, SECOND, THROWS, Item, Server, closing

AGAIN = FIRST.replace("~1", "~2")
PHASES = (FIRST, SECOND, AGAIN)
ROUNDS = (123, 1000, 657413)
TEXTS = ("", "HOLD\n", ORDERS["spain"][1])
RULINGS = ("REOPEN T1.spain", "READJUDICATE T1.spain", "EDIT Cuenca 2", "EXTEND T1.spain 3", "REOPEN T9.spain")
OTHER_TERMS = ({"system": "africa1860"}, {"pace": "activation"}, {"opened": "played"}, {"bots": "morocco:plan/1"})
Act = Callable[[], object]


class Crooked:
    """One such server; `letters` are what it has sent."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.server = Server(public=self.chance.random() < 0.7)
        self.letters: list[Item] = []
        self.manifests: list[bytes] = []
        self.shown: list[Any] = []
        self.said: list[Ruling] = []
        self.server.terms |= self.rarely({}, self.chance.choice(OTHER_TERMS))
        self.server.free = self.rarely({}, {"morocco": Commitment(0, b"f" * 32, b"g" * 32)})
        self.server.groups = self.rarely(("all",), self.chance.choice((("all", "z"), ("z",))))
        if self.chance.random() < 0.1:
            self.server.hides = lambda seat, logged: (
                logged.kind == self.chance.choice(("order", "close", "roll", "open"))
            )

    def run(self) -> list[Item]:
        """Play two phases with faults in them, and at times one of them once more; then perhaps disclose."""
        phases = PHASES if self.chance.random() < 0.4 else PHASES[:2]
        acts = [act for phase in phases for act in self.phase(phase)]
        for _ in range(self.chance.randrange(3)):
            self.fault(acts)
        for act in acts:
            try:
                act()
            except (KeyError, ValueError, Malformed):
                continue  # what cannot be done was not done
            if self.chance.random() < 0.4:
                self.send()
        if self.chance.random() < 0.4:
            self.disclose()
        self.send()
        return self.letters

    def fault(self, acts: list[Act]) -> None:
        """Leave an act out, do it twice, or at another time."""
        index, to = self.chance.randrange(len(acts)), self.chance.randrange(len(acts))
        kind = self.chance.randrange(3)
        if kind == 0:
            del acts[index]
        elif kind == 1:
            acts.insert(to, acts[index])
        else:
            acts[index], acts[to] = acts[to], acts[index]

    def phase(self, name: str) -> list[Act]:
        server, public = self.server, self.server.chain != "none"
        due, later = closing(ROUNDS[PHASES.index(name)]), closing(ROUNDS[2])
        first, second = (ROUNDS[PHASES.index(name)], ROUNDS[2]) if public else (0, 0)
        held = {"spain": self.rarely(ORDERS["spain"], (1, "HOLD\n")), "morocco": self.rarely((0, ""), (1, "HOLD\n"))}
        late, again = self.rarely(0, 5000), self.rarely(2, 3)
        state, ruling = self.rarely("before", "elsewhere"), "-" if name != AGAIN else self.rarely("1", "-")
        acts: list[Act] = [
            lambda: server.open(
                self.rarely(name, PHASES[2]), due + late, number=self.rarely(None, 7), state=state, ruling=ruling
            ),
            lambda: self.order(name, 1, TEXTS[1], due - 100),
            lambda: self.order(name, 2, TEXTS[2], due - self.rarely(50, -DELTA)),
            lambda: self.close(name, 1, held, self.rarely(first, second)),
            lambda: self.roll(name, 1, 1),
            lambda: server.deadline(name, later),
            lambda: self.answer(name),
            lambda: self.close(name, 2, self.answers(), self.rarely(second, first)),
            lambda: self.roll(name, 2, again),
            lambda: server.result(name, self.rarely("after", "other")),
        ]
        if name == AGAIN and self.chance.random() < 0.9:
            acts.insert(0, lambda: self.rule(self.chance.choice(RULINGS)))
        if self.chance.random() < 0.1:
            acts.insert(self.chance.randrange(2, 5), lambda: server.change_beacon(name, 1, 1, self.rarely(0, first)))
        if self.chance.random() < 0.1:
            acts.append(lambda: self.once_more(name))
        if self.chance.random() < 0.1:
            acts.insert(2, lambda: server.deadline(name, later))
        return acts if self.chance.random() < 0.5 else [*acts[:5], acts[-1]]

    def order(self, name: str, rev: int, text: str, recv: int) -> None:
        self.server.order(name, "spain", rev, text, recv)
        self.shown.append(self.server.opened(name, 1, "spain", rev, self.rarely(text, TEXTS[3 - rev])))

    def close(self, name: str, segment: int, held: dict[str, tuple[int, str]], number: int) -> None:
        server = self.server
        server.close(name, segment, server.slate(name, segment, held, number), silent=self.rarely(True, False))
        self.shown += [server.opened(name, segment, seat, *held[seat]) for seat in SEATS]

    def answer(self, name: str) -> None:
        self.server.answer(name, 2, "morocco", TEXTS[1])
        self.shown.append(self.server.opened(name, 2, "morocco", 1, self.rarely(TEXTS[1], TEXTS[2])))

    def answers(self) -> dict[str, tuple[int, str]]:
        return {"spain": (0, ""), "morocco": self.rarely((1, TEXTS[1]), (0, ""))}

    def roll(self, name: str, segment: int, first: int) -> None:
        rolls = THROWS[:1] if segment == 1 else self.rarely(THROWS[1:], THROWS[:1])
        rolled = self.server.throw(name, segment, rolls, first=first)
        manifest = self.rarely(rolled, rolled.replace(b" 3d6 ", b" 3d8 "))
        self.server.roll(name, segment, manifest)
        self.manifests.append(self.rarely(manifest, rolled))

    def rule(self, line: str) -> None:
        text = self.rarely(f'{{"line":"{line}"}}', line)
        self.server.ruling(FIRST, 1, text)
        self.said.append(Ruling(1, self.rarely(text, "other")))

    def once_more(self, name: str) -> None:
        self.manifests.append(self.server.again(name, 2, THROWS[:1]))
        self.server.result(name, "mended")

    def rarely(self, usual: Any, other: Any) -> Any:
        return other if self.chance.random() < 0.04 else usual

    def some(self, what: Any) -> tuple[Any, ...]:
        """Nearly all of them, each once."""
        return tuple(part for part in dict.fromkeys(what) if self.chance.random() < 0.98)

    def disclose(self) -> None:
        """Everything opened, or nearly."""
        more = self.server.disclose()
        for key in ("orders", "groups", "reveals", "manifests", "slates"):
            more[key] = self.some(more[key])
        self.letters.append(
            self.server.send(self.chance.choice(SEATS), "disclosure", **more, rulings=self.some(self.said))
        )

    def send(self) -> None:
        """A letter with what there is to show, or a part of it."""
        chance, server = self.chance, self.server
        opens, rolled = server.of("open"), server.of("roll")
        seat, letter = chance.choice(SEATS), "report" if chance.random() < 0.3 else chance.choice(LETTER_KINDS[:3])
        phase = opens[-1]("phase") if opens else "-"
        if server.shown.get(seat, 0) == len(server.leaves) and letter != "report":
            return
        grade = self.rarely("B" if server.chain != "none" else "C", "A") if letter == "report" and rolled else "-"
        more: dict[str, Any] = {
            "slates": self.some(server.slates.values()),
            "manifests": self.some(self.manifests),
            "orders": self.some(order_set for order_set in self.shown if order_set.seat == seat),
            "rulings": self.some(self.said),
        }
        if phase != "-" and chance.random() < 0.2:
            reveal = Reveal(phase, server.blind(phase), self.rarely("before", "elsewhere"), "")
            more |= {"reveals": (reveal,), "edition": PLAYED}
        if letter == "report" and phase != "-" and chance.random() < 0.8:
            with suppress(KeyError):  # not all of it was sent
                more |= {key: self.some(parts) for key, parts in server.of_both(phase).items()}
        received = closing(chance.choice(ROUNDS)) + self.rarely(5, -3600)
        self.letters.append(server.send(seat, letter, phase, grade, received, **more))
