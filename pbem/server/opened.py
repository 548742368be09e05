"""What letters open of one game, for whom the rules are to be run again: secrets, orders in clear, positions, rulings.

Orders are taken from a disclosure, or from a player's own letters, by the proof of their secret; else as a report opens
them after the phase, with the standing orders that it shows. Nothing is taken that is not what was closed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from pbem.play.adjudication import ClosedOrders
from pbem.verifier.bundles import Slate, rules_of
from pbem.verifier.contest_checks import dealt_beta
from pbem.verifier.fields import Block, block, mac, sha
from pbem.verifier.log_checks import Keys
from pbem.verifier.order_checks import Commits, commits_of, led_to, order_commit, salt_block
from pbem.verifier.phase_checks import said_in, told_of
from pbem.verifier.record import Course, Phase
from pbem.verifier.roll_checks import alpha_of

Where = tuple[str, int, str, int]
"""Phase, segment, seat, revision."""


class PlayedEdition(NamedTuple):
    """What a letter says that the game was played by."""

    system: str
    pace: str
    text: str


class ToldRuling(NamedTuple):
    """A ruling as everybody was told it, or as it was opened: its first word, and the rest of its line."""

    word: str
    rest: str

    def names(self, phase: str) -> bool:
        """Whether it is about a phase, by its stem or as an attempt."""
        named = self.rest.split(" ")[0].casefold()
        return named in (phase.casefold(), phase.partition("~")[0].casefold())


@dataclass
class Opened:
    """What letters open of one game.

    Secrets by their blocks; positions by their phases; what was proven of orders by place and commitments, and what was
    told of them after the phase.
    """

    secrets: dict[bytes, bytes] = field(default_factory=dict)
    before: dict[str, list[str]] = field(default_factory=dict)
    proven: dict[tuple[Where, Commits], ClosedOrders] = field(default_factory=dict)
    played: dict[tuple[Where, bytes], str] = field(default_factory=dict)
    fired: dict[tuple[Where, bytes], dict[int, str]] = field(default_factory=dict)
    sizes: dict[tuple[Where, bytes], int] = field(default_factory=dict)
    rulings: dict[int, ToldRuling] = field(default_factory=dict)
    edition: PlayedEdition | None = None

    def orders(self, slate: Slate, seat: str) -> tuple[ClosedOrders | None, bool]:
        """What a seat was played by in a segment, None if no letter tells it; and whether that is all of it.

        After a phase a report need not show standing orders that were not used, nor that there are none.
        """
        rev, orders, standing = slate.seats[seat]
        where = (slate.block["phase"], slate.block.num("segment"), seat, rev)
        if (where, Commits(orders, standing)) in self.proven:
            return self.proven[where, Commits(orders, standing)], True
        text = self.played.get((where, orders))
        if text is None:
            return None, False
        rules = self.fired.get((where, standing), {})
        whole = where[1] > 1 or len(rules) == self.sizes.get((where, standing), -1)
        return ClosedOrders(rev, text, tuple(rules[number] for number in sorted(rules))), whole


def open_game(course: Course, game: str, keys: Keys) -> Opened:
    """All that letters open of a game."""
    out = Opened()
    for _, one in course.parts("edition", game):
        out.edition = PlayedEdition(one["system"], one["pace"], "".join(one.all("text")))
    for _, one in course.parts("orders", game):
        secret = _secret(out, keys, salt_block(game, one), one)
        if secret is not None:
            orders = ClosedOrders(one.num("rev"), one.text(), tuple(rules_of(one)))
            out.proven[_where(one), commits_of(secret, one)] = orders
    for _, one in course.parts("reveal", game):
        if _secret(out, keys, _blind(game, one["phase"]), one) is not None:
            out.before.setdefault(one["phase"], []).append("".join(one.all("before")))
    _told(course, game, out)
    _rulings(course, game, out)
    for (name, _), phase in course.phases.items():
        if name == game:
            _dice(course, phase, keys, out)
    return out


def _told(course: Course, game: str, out: Opened) -> None:
    """What reports open after a phase."""
    for _, one in course.parts("played", game):
        out.played[_where(one), order_commit(bytes.fromhex(one["salt"]), one.text())] = one.text()
    for _, one in course.parts("fired", game):
        commit = led_to(bytes.fromhex(one["salt"]), one)
        where = (one["phase"], 1, one["seat"], one.num("rev"))
        out.fired.setdefault((where, commit), {})[one.num("number")] = one.text()
        out.sizes[where, commit] = one.num("size")


def _rulings(course: Course, game: str, out: Opened) -> None:
    """Rulings as they were logged, whole where a line that was sealed is opened."""
    said = said_in(course, game)
    for leaf in (one for one in course.history(game) if one.kind == "ruling" and one.known):
        text = said.get(leaf["text"].removeprefix("sha256:"))
        if text is None:
            continue
        told, secret = told_of(text), out.secrets.get(_blind(game, leaf["phase"]))
        opened = (one for one in said.values() if secret and told["whole"] == f"hmac:{mac(secret, one.encode()).hex()}")
        word, _, rest = next(opened, told["line"]).strip().partition(" ")
        out.rulings[leaf.num("number")] = ToldRuling(word.upper(), rest.strip())


def _where(one: Block) -> Where:
    return one["phase"], one.num("segment"), one["seat"], one.num("rev")


def _blind(game: str, phase: str) -> bytes:
    return block("blind", ("game", game), ("phase", phase.partition("~")[0]))


def _secret(out: Opened, keys: Keys, of: bytes, one: Block) -> bytes | None:
    """The secret of a block, kept if the part proves it."""
    secret = out.secrets.get(of) or keys.secret(of, bytes.fromhex(one["proof"]))
    if secret is not None:
        out.secrets[of] = secret
    return secret


def _dice(course: Course, phase: Phase, keys: Keys, out: Opened) -> None:
    """The secrets of the dice of a phase, of which the proofs are open and true."""
    shown = {
        sha(proof): proof for _, one in course.parts("group", phase.game) if (proof := bytes.fromhex(one["proof"]))
    }
    vrf = keys.vrf_of(course, phase)
    for roll in phase.of("roll"):
        slate = course.slate(next(iter(phase.of("close", roll.num("segment"))), None))
        if slate is None or vrf is None:
            continue
        for group, proof in roll.groups:
            of, known = alpha_of(group, slate, roll["sig"]), shown.get(proof.hex(), proof)
            secret = keys.means.output(vrf, of, known) if len(known) == 80 and not slate.board else None
            if slate.board:
                # The rules ask for the secret of their own list; what they roll with is that of the board.
                secret = dealt_beta(course, keys, slate.board, (roll["sig"], known))
            if secret is not None:
                out.secrets[of] = secret
