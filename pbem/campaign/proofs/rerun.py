"""Full mode: the rules of a game run again over what letters open, without its server, its database or its keys.

A disclosure opens all orders, positions and dice of a game that is over; from them the same slates, rolls, events and
positions must come. While a game goes on a reader has his own orders alone: where nobody else is known to have sent any
the dice can be compared already, and only they.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from pbem.audit import blocks, sealing
from pbem.audit.blocks import Slate
from pbem.audit.bundle import OpenedOrders, Played
from pbem.audit.leaves import Leaf
from pbem.audit.rolls import NumberedRoll
from pbem.audit.verifier.proof import Output
from pbem.audit.verifier.record import Phase as Shown
from pbem.audit.verifier.record import Record
from pbem.campaign.base import adjudication
from pbem.campaign.base.adjudication import AfterLetter, ClosedOrders, PhaseInput, Resolution, Waiting
from pbem.campaign.base.segments import Pause, SeatAnswers
from pbem.core.data.canon import Json, dumps, loads
from pbem.core.game import Edition, Game, Phase, Registry
from pbem.core.run.steps import MORE

__all__ = ["Found", "again"]

_ONCE_MORE = re.compile(r"READJUDICATE\s+(\S+).*", re.IGNORECASE | re.DOTALL)
_ANSWER = re.compile(r"(.+?) =(?: (.*))?")


class Found(NamedTuple):
    """What came of a comparison: True, False, or None where it could not be made; `why` says what is not true."""

    truth: bool | None
    why: str = ""


@dataclass
class _Opened:
    """What letters open of one game: secrets by their blocks, orders in clear by their commitments, positions.

    `once_more` are the rulings by which a phase was resolved once more, by number, with its name in small letters.
    """

    secrets: dict[bytes, bytes] = field(default_factory=dict)
    orders: dict[bytes, OpenedOrders] = field(default_factory=dict)
    before: dict[str, list[str]] = field(default_factory=dict)
    once_more: dict[int, str] = field(default_factory=dict)
    played: Played | None = None


def again(record: Record, vrf: bytes, output: Output, games: Registry, names: tuple[str, ...]) -> Iterator[Found]:
    """Run all finished phases in letters again, game by game; `names` are the games that `games` knows."""
    for game in sorted({name for name, _ in record.phases}):
        known = _opened(record, game, vrf, output)
        shown = [phase for (name, _), phase in record.phases.items() if name == game and phase.opens]
        shown.sort(key=lambda phase: phase.opens[0].leaf.seq)
        finished = [phase for phase in shown if phase.of("result")]
        if not finished:
            yield Found(None, f"{game}: no phase of it is finished in letters here")
            continue
        found = _edition(finished[0].opens[0].leaf, known.played, games, names)
        if found is None:
            yield Found(None, f"{game}: the rules and charts it is played by are in no letter here, and none of ours")
            continue
        yield from _Game(record, game, known, found).run(shown)


def _opened(record: Record, game: str, vrf: bytes, output: Output) -> _Opened:
    out = _Opened()
    secret_of = partial(output, vrf)
    for letter in record.letters:
        bundle = letter.bundle
        if bundle.game != game:
            continue
        out.played = bundle.played or out.played
        lines = ((ruling.number, str(loads(ruling.text)["line"])) for ruling in bundle.rulings)
        out.once_more |= {n: found[1].casefold() for n, line in lines if (found := _ONCE_MORE.fullmatch(line))}
        for one in bundle.orders:
            where = one.phase if one.segment == 1 else f"{one.phase}/{one.segment}"
            block = sealing.salt(game=game, phase=where, seat=one.seat)
            secret = out.secrets.get(block) or secret_of(block, one.proof)
            if secret is not None:
                out.secrets[block] = secret
                out.orders[sealing.commit(sealing.order_salt(secret, one.rev), one.text)] = one
        for shown in bundle.reveals:
            block = sealing.blind(game=game, phase=shown.phase)
            secret = out.secrets.get(block) or secret_of(block, shown.proof)
            if secret is not None:
                out.secrets[block] = secret
                out.before.setdefault(shown.phase, []).append(shown.before)
        for proven in bundle.groups:
            for slate, data in record.slates.values():
                if (slate.game, slate.phase, slate.segment) == (game, proven.phase, proven.segment):
                    _prove(record, out, (slate, data), (proven.group, proven.proof), secret_of)
    for slate, data in record.slates.values():
        phase = record.phases.get((slate.game, slate.phase)) if slate.game == game else None
        for roll in phase.of("roll", slate.segment) if phase else ():
            for group in roll.leaf.groups:
                _prove(record, out, (slate, data), group, secret_of)
    return out


def _prove(
    record: Record,
    out: _Opened,
    closed: tuple[Slate, bytes],
    group: tuple[str, bytes],
    secret_of: Callable[[bytes, bytes], bytes | None],
) -> None:
    """Keep the secret of a group of dice of a closed list, if its proof is open and true.

    `group` is its name with its proof; `secret_of` tells what a proof proves of a block, by the server's key.
    """
    (slate, data), (name, proof) = closed, group
    rolls = record.phases[slate.game, slate.phase].of("roll", slate.segment)
    value = rolls[0].leaf("sig") if rolls else "none"
    block = blocks.alpha(data, None if value == "none" else bytes.fromhex(value), name)
    if len(proof) == 80 and block not in out.secrets and (secret := secret_of(block, proof)) is not None:
        out.secrets[block] = secret


class _PlayedBy(NamedTuple):
    """What a game is played by: rules and edition, and whether its letters are carried out one by one."""

    rules: Game
    edition: Edition
    by_letter: bool


def _edition(opened: Leaf, played: Played | None, games: Registry, names: tuple[str, ...]) -> _PlayedBy | None:
    """The rules and the edition of a phase: as a letter opens it, or one that we ship."""
    digest, said = opened("edition"), dict(opened.says)
    if played is not None and played.system in names:
        rules = games(played.system)
        edition = rules.edition_from_json(loads(played.edition))
        return _PlayedBy(rules, edition, played.pace == "activation") if edition.digest == digest else None
    for name in names if played is None else ():
        rules = games(name)
        for scenario in rules.editions() if said.get("system", name) == name else ():
            edition = rules.edition(scenario, {}, {})
            if edition.digest == digest:
                return _PlayedBy(rules, edition, said.get("pace") == "activation")
    return None


class _Game:
    """One game, run from its first phase on.

    `state` is the position that its next phase begins with, if known; where it is not `sure`, it follows from orders
    that were supposed: then what does not come out says nothing.
    """

    def __init__(self, record: Record, name: str, known: _Opened, played_by: _PlayedBy) -> None:
        self.record, self.name, self.known = record, name, known
        self.rules, self.edition, self.by_letter = played_by
        self.state: Json | None = None
        self.sure = True

    def run(self, shown: list[Shown]) -> Iterator[Found]:
        if shown[0].opens[0].leaf.seq == 0:
            self.state = self.rules.encode(self.rules.start(self.edition))
        since = 0
        for phase in shown:
            at, opened = f"{self.name} {phase.name}", phase.opens[0].leaf.seq
            before = self._revealed(phase)
            if before is not None:
                same = self.state is not None and dumps(self.state) == before
                if same or (self.state is not None and self.sure and not self._moved(since, opened)):
                    yield Found(same, f"{at}: it does not begin where the phase before ended")
                self.state, self.sure = loads(before), True
            since = opened
            if phase.of("result"):
                yield from self._phase(at, phase)
            else:
                self.state = None

    def _moved(self, since: int, until: int) -> bool:
        """Whether a ruling may have changed the position between the openings of two phases."""
        ruled = (seen.leaf.seq for seen in self.record.history(self.name) if seen.leaf.kind == "ruling")
        return any(since < seq < until for seq in ruled)

    def _ruling(self, phase: Shown, since: int = 0) -> int:
        """The ruling by which a phase was resolved once more, or made void since one before it was; 0 if none.

        `since` is the place of the leaf after which it has to be.
        """
        history = [seen.leaf for seen in self.record.history(self.name)]
        since = max(since, phase.opens[0].leaf.seq)
        for ruling in (leaf for leaf in history if leaf.kind == "ruling" and leaf.seq > since):
            name = self.known.once_more.get(ruling.number("number"), "")
            opens = [leaf for leaf in history if leaf.kind == "open" and leaf.seq < ruling.seq]
            named = [leaf.seq for leaf in opens if name in (full := leaf("phase").casefold(), full.partition("~")[0])]
            if named and named[-1] <= phase.opens[0].leaf.seq:
                return ruling.number("number")
        return 0

    def _revealed(self, phase: Shown, leaf: Leaf | None = None) -> str | None:
        """The position that a phase was opened with, if a letter opens it and it is the one that was sealed.

        Or that it began with when it was resolved once more by the leaf.
        """
        secret = self.known.secrets.get(sealing.blind(game=self.name, phase=phase.name))
        sealed = (leaf or phase.opens[0].leaf)("state")
        texts = self.known.before.get(phase.name, []) if secret is not None else []
        return next((text for text in texts if secret is not None and sealing.blinded(secret, text) == sealed), None)

    def _phase(self, at: str, phase: Shown) -> Iterator[Found]:
        before, self.state = self.state, None
        closes = phase.of("close")
        known = [self.record.slates.get(close.leaf("slate")) for close in closes]
        slates = [found for found in known if found is not None]
        if before is None or len(slates) < len(known) or not known:
            yield Found(None, f"{at}: where it began, or what was closed, is in no letter here or still sealed")
            return
        whole, closed, pauses = self._played(slates)
        self.sure &= whole
        if closed is None:
            yield Found(None, f"{at}: orders of others are sealed until the game is over")
            return
        inputs = PhaseInput(
            self.known.secrets.__getitem__, self.name, self.rules, self.edition,
            self.rules.decode(before, self.edition), Phase.parse(phase.name), closed, pauses, self.by_letter,
            tuple(data for _, data in slates), self._values(phase),
        )  # fmt: skip
        yield from self._once_more(phase, inputs)
        done = self._resolved(at, phase, inputs)
        if isinstance(done, Found):
            yield done
            return
        yield from self._compare(at, phase, done, phase.of("result")[0].leaf)
        if self._ruling(phase):
            # Others may have begun where it had ended at first.
            self.sure = False

    def _once_more(self, phase: Shown, inputs: PhaseInput) -> Iterator[Found]:
        """A phase that a ruling had resolved once more: the same, from where that began, against what came of it."""
        before_it = self.state, self.sure
        for again in phase.of("again"):
            at, since = f"{self.name} {phase.name} run {again.leaf('run')}", again.leaf.seq
            results = [seen.leaf for seen in phase.of("result") if seen.leaf.seq > since]
            begun = self._revealed(phase, again.leaf)
            if begun is None or not results:
                yield Found(None, f"{at}: where it began, or what came of it, is in no letter here or still sealed")
                continue
            begins = inputs._replace(state=self.rules.decode(loads(begun), self.edition))
            done = self._resolved(at, phase, begins, since)
            if isinstance(done, Found):
                yield done
                continue
            yield from self._compare(at, phase, done, results[0], again.leaf)
        self.state, self.sure = before_it

    def _resolved(
        self, at: str, phase: Shown, inputs: PhaseInput, since: int = 0
    ) -> Resolution | Waiting | AfterLetter | Found:
        """What comes of a phase, or why that cannot be said."""
        try:
            return adjudication.resolve(inputs)
        except KeyError:
            return Found(None, f"{at}: its dice are hidden until the game is over")
        except Exception as fault:
            # Orders that were only supposed may be none that the rules can take.
            return self._otherwise(at, phase, f"the rules stop: {type(fault).__name__}: {fault}", since)

    def _values(self, phase: Shown) -> tuple[bytes, ...]:
        """What the beacon said for each segment, as it was logged; nothing where there is none."""
        said = [roll.leaf("sig") for roll in phase.of("roll")]
        return () if "none" in said else tuple(map(bytes.fromhex, said))

    def _played(self, slates: list[tuple[Slate, bytes]]) -> tuple[bool, Mapping[str, ClosedOrders] | None, list[Pause]]:
        """What every seat was played by; whether all of it is open. None if what is sealed cannot be supposed."""
        whole, pauses = True, list[Pause]()
        closed: dict[str, ClosedOrders] = {}
        for slate, _ in slates:
            texts: dict[str, ClosedOrders] = {}
            for seat, commitment in slate.seats.items():
                one = self.known.orders.get(commitment.commit)
                if one is None and commitment.revision:
                    return False, None, []
                whole &= one is not None
                texts[seat] = ClosedOrders(commitment.revision, one.text if one else "")
            if slate.segment == 1:
                closed = texts
            else:
                pauses.append({seat: self._answers(orders) for seat, orders in texts.items() if orders.text})
        return whole, closed, pauses

    def _answers(self, orders: ClosedOrders) -> SeatAnswers:
        """What a pause gave, read back from its text: an answer a line, and the orders of a letter."""
        lines = orders.text.splitlines(keepends=True)
        count = 1 if self.by_letter else len(lines)
        found = [_ANSWER.fullmatch(line.rstrip("\n")) for line in lines[:count]]
        answers = tuple((one[1], tuple((one[2] or "").split())) for one in found if one)
        carried = self.by_letter and any(value == (MORE,) for _, value in answers)
        return SeatAnswers(orders.revision, answers, "".join(lines[count:]) if carried else None)

    def _otherwise(self, at: str, phase: Shown, what: str, since: int = 0) -> Found:
        """Something that does not come out: false, unless it was supposed or a ruling has changed it since."""
        if ruling := self._ruling(phase, since):
            return Found(None, f"{at}: ruling M{ruling} had it resolved once more, or made it void; before that {what}")
        return Found(False if self.sure else None, f"{at}: {what}")

    def _compare(self, at: str, phase: Shown, done: Any, result: Leaf, again: Leaf | None = None) -> Iterator[Found]:
        """The rolls with the manifests, then events and position with what was sealed of them.

        `again` is the leaf by which the phase was resolved once more, if it is that which is compared.
        """
        since = again.seq if again else 0
        if not isinstance(done, Resolution):
            yield self._otherwise(at, phase, "the rules wait where the server went on", since)
            return
        rolled = [(segment, NumberedRoll(number, *one)) for number, (segment, one) in enumerate(done.segment_rolls, 1)]
        listed = self._listed(phase, again)
        if listed is None:
            yield Found(None, f"{at}: its rolls are hidden until the game is over")
        elif rolled == listed and (rolled or self.sure):
            yield Found(True)
        elif rolled != listed:
            yield self._otherwise(at, phase, "the rules roll otherwise than was listed", since)
        after = self.rules.encode(done.states[-1])
        if self.sure or rolled == listed:
            self.state = after
        secret = self.known.secrets.get(sealing.blind(game=self.name, phase=phase.name))
        told = dumps([happened.to_json() for happened in done.events])
        for key, text, what in (("report", told, "what happened"), ("state", dumps(after), "its end")):
            if secret is None:
                yield Found(None, f"{at}: {what} is sealed until the game is over")
            elif sealing.blinded(secret, text) == result(key):
                yield Found(True)
            else:
                yield self._otherwise(at, phase, f"{what} is not as logged", since)

    def _listed(self, phase: Shown, again: Leaf | None) -> list[tuple[int, NumberedRoll]] | None:
        """All rolls of a phase by the manifests, each with its segment; None if one is in no letter."""
        out = []
        for roll in phase.of("roll"):
            groups = [name for name, _ in roll.leaf.groups]
            for name in [f"all~{again('run')}"] if again else groups:
                found = self.record.manifests.get((self.name, phase.name, roll.leaf.number("segment"), name))
                if found is None:
                    return None
                out += [(roll.leaf.number("segment"), one) for one in found[0].rolls]
        return sorted(out, key=lambda one: one[1].number)
