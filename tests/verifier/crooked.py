"""Servers that do at random what no honest one would: acts left out, doubled, out of order, with other numbers in them.

What they sign is well-formed, and every proof of the log is right, so that each verifier has to judge what was done.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from pbem.audit import sealing, vrf
from pbem.audit.blocks import Malformed
from pbem.audit.bundle import LETTERS, Reveal
from tests.audit.simulated import DELTA, FIRST, GAME, ORDERS, PLAYED, SEATS, SECOND, THROWS, Server, closing

PHASES = (FIRST, SECOND, FIRST.replace("~1", "~2"))
ROUNDS = (123, 1000, 657413)
TEXTS = ("", "HOLD\n", "ASSAULT Cresta WITH Cuenca\n")
Act = Callable[[], object]


class Crooked:
    """One such server; `letters` are what it has sent."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.server = Server(public=self.chance.random() < 0.7)
        self.letters: list[Item] = []
        self.manifests: list[bytes] = []
        self.shown: list[Any] = []

    def run(self) -> list[Item]:
        """Play two phases with faults in them."""
        acts = [act for phase in PHASES[:2] for act in self.phase(phase)]
        for _ in range(self.chance.randrange(3)):
            self.fault(acts)
        for act in acts:
            try:
                act()
            except (KeyError, ValueError, Malformed):
                continue  # what cannot be done was not done
            if self.chance.random() < 0.4:
                self.send()
        self.send()
        return self.letters

    def fault(self, acts: list[Act]) -> None:
        """Leave an act out, do it twice, or at another time."""
        at, to = self.chance.randrange(len(acts)), self.chance.randrange(len(acts))
        kind = self.chance.randrange(3)
        if kind == 0:
            del acts[at]
        elif kind == 1:
            acts.insert(to, acts[at])
        else:
            acts[at], acts[to] = acts[to], acts[at]

    def phase(self, name: str) -> list[Act]:
        server, public = self.server, self.server.chain != "none"
        due, later = closing(ROUNDS[PHASES.index(name)]), closing(ROUNDS[2])
        first, second = (ROUNDS[PHASES.index(name)], ROUNDS[2]) if public else (0, 0)
        held = {"spain": self.rarely(ORDERS["spain"], (1, "HOLD\n")), "morocco": self.rarely((0, ""), (1, "HOLD\n"))}
        late, again = self.rarely(0, 5000), self.rarely(2, 3)
        acts: list[Act] = [
            lambda: server.open(self.rarely(name, PHASES[2]), due + late, number=self.rarely(None, 7)),
            lambda: self.order(name, 1, TEXTS[1], due - 100),
            lambda: self.order(name, 2, TEXTS[2], due - self.rarely(50, -DELTA)),
            lambda: server.close(name, 1, server.slate(name, 1, held, self.rarely(first, second))),
            lambda: self.roll(name, 1, 1),
            lambda: server.deadline(name, later),
            lambda: self.answer(name),
            lambda: server.close(name, 2, server.slate(name, 2, self.answers(), self.rarely(second, first))),
            lambda: self.roll(name, 2, again),
            lambda: server.result(name, self.rarely("after", "other")),
        ]
        return acts if self.chance.random() < 0.5 else [*acts[:5], acts[-1]]

    def order(self, name: str, rev: int, text: str, recv: int) -> None:
        self.server.order(name, "spain", rev, text, recv)
        self.shown.append(self.server.opened(name, 1, "spain", rev, self.rarely(text, TEXTS[3 - rev])))

    def answer(self, name: str) -> None:
        self.server.answer(name, 2, "morocco", TEXTS[1])
        self.shown.append(self.server.opened(name, 2, "morocco", 1, self.rarely(TEXTS[1], TEXTS[2])))

    def answers(self) -> dict[str, tuple[int, str]]:
        return {"spain": (0, ""), "morocco": self.rarely((1, TEXTS[1]), (0, ""))}

    def roll(self, name: str, segment: int, first: int) -> None:
        rolls = THROWS[:1] if segment == 1 else self.rarely(THROWS[1:], THROWS[:1])
        rolled = self.server.throw(name, segment, rolls, first=first)
        told = self.rarely(rolled, rolled.replace(b" 3d6 ", b" 3d8 "))
        self.server.roll(name, segment, told)
        self.manifests.append(self.rarely(told, rolled))

    def rarely(self, usual: Any, other: Any) -> Any:
        return other if self.chance.random() < 0.04 else usual

    def send(self) -> None:
        """A letter with what there is to show, or a part of it."""
        chance, server = self.chance, self.server
        opened = [data for kind, data in server.leaves if kind == "open"]
        rolled = [data for kind, data in server.leaves if kind == "roll"]
        seat, letter = chance.choice(SEATS), "report" if chance.random() < 0.3 else chance.choice(LETTERS[:3])
        phase = next((name for name in PHASES if f"phase {name}\n".encode() in b"".join(opened[-1:])), "-")
        if server.shown.get(seat, 0) == len(server.leaves) and letter != "report":
            return
        grade = self.rarely("B" if server.chain != "none" else "C", "A") if letter == "report" and rolled else "-"
        more: dict[str, Any] = {
            "slates": tuple(dict.fromkeys(one for one in server.slates.values() if chance.random() < 0.98)),
            "manifests": tuple(dict.fromkeys(one for one in self.manifests if chance.random() < 0.98)),
            "orders": tuple(one for one in self.shown if one.seat == seat and chance.random() < 0.98),
        }
        if chance.random() < 0.2:
            proof = vrf.prove(server.vrf, sealing.blind(game=GAME, phase=phase))
            more |= {"reveals": (Reveal(phase, proof, self.rarely("before", "elsewhere"), ""),), "played": PLAYED}
        received = closing(chance.choice(ROUNDS)) + self.rarely(5, -3600)
        self.letters.append(server.send(seat, letter, phase, grade, received, **more))
