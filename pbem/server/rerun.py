"""Rerun a game's rules from its letters alone (full mode).

No server, database or key is needed. The reveal after a game has all orders, positions and dice; they must give the
same closed orders, rolls, events and positions. While a game goes on, a reader has his own orders and, if nothing
is hidden, the orders in reports: then the dice are compared turn by turn. A phase begins where the one before
ended; an attempt begins where its phase began, changed only by its ruling. A differing first result of a phase that
was resolved again is excused, and nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pbem.audit.rolls import NumberedRoll
from pbem.engine import autoplay
from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.edition import other_release_notice
from pbem.engine.game import AnyGame, PinnedEdition, Registry
from pbem.engine.run.steps import MORE
from pbem.engine.terms import Orders
from pbem.engine.terms import Phase as PhaseName
from pbem.engine.war.chain import CAMP
from pbem.play import adjudication, corrected
from pbem.play.adjudication import ClosedOrders, LetterResult, Pause, PausedPhase, PhaseInput, Resolution, SeatAnswers
from pbem.runtime.bot_versions import bot_version, bots_of_opening
from pbem.server.score_rerun import compare_scores
from pbem.tournaments.rerun import redraw_all
from pbem.verifier.board_checks import dealt_secret
from pbem.verifier.bundles import ClosedList, Leaf, standing_orders_in_block
from pbem.verifier.fields import Block, hmac_sha256, sha256_hex, write_block
from pbem.verifier.log_checks import LogKeys
from pbem.verifier.order_checks import Commitments, commitments_of, order_commitment, salt_block, standing_commitment
from pbem.verifier.phase_checks import opened_rulings, public_ruling
from pbem.verifier.record import LogView, Phase
from pbem.verifier.roll_checks import vrf_input_of_group
from pbem.wars.rerun import GameRerun, check_editions

# What letters reveal of one game, for a rerun of its rules: secrets, orders in clear, positions, rulings.
#
# Orders are taken from a reveal, or from a player's own letters, by the proof of their secret; else from a report
# after the phase, with the standing orders in it. Only orders that were closed are taken.


OrdersKey = tuple[str, int, str, int]
"""The key of orders: phase, segment, seat, revision."""


class PlayedEdition(NamedTuple):
    """The edition in a letter: system, pace and text."""

    system: str
    pace: str
    text: str


class PublishedRuling(NamedTuple):
    """A ruling as published or revealed: its first word, and the rest of its line."""

    word: str
    rest: str

    def names(self, phase: str) -> bool:
        """Return whether it names a phase, with or without the attempt (``T3.spain~1``)."""
        first_word = self.rest.split(" ")[0].casefold()
        return first_word in (phase.casefold(), phase.partition("~")[0].casefold())


@dataclass
class RevealedGame:
    """What letters reveal of one game.

    `secrets` are by the block from which each is derived, `before` has the positions before a phase, `proven` the
    orders whose commitments were checked. Reports show `played` orders, the standing orders that were used (`fired`, by
    number), and how many a seat has (`sizes`).
    """

    secrets: dict[bytes, bytes] = field(default_factory=dict)
    before: dict[str, list[str]] = field(default_factory=dict)
    proven: dict[tuple[OrdersKey, Commitments], ClosedOrders] = field(default_factory=dict)
    played: dict[tuple[OrdersKey, bytes], str] = field(default_factory=dict)
    fired: dict[tuple[OrdersKey, bytes], dict[int, str]] = field(default_factory=dict)
    sizes: dict[tuple[OrdersKey, bytes], int] = field(default_factory=dict)
    rulings: dict[int, PublishedRuling] = field(default_factory=dict)
    edition: PlayedEdition | None = None

    def orders(self, slate: ClosedList, seat: str) -> tuple[ClosedOrders | None, bool]:
        """Return a seat's orders of a segment, and whether they are complete.

        The orders are None if no letter has them. They may be incomplete because a report does not show unused
        standing orders.
        """
        rev, orders, standing = slate.seats[seat]
        key = (slate.block["phase"], slate.block.num("segment"), seat, rev)
        if (key, Commitments(orders, standing)) in self.proven:
            return self.proven[key, Commitments(orders, standing)], True
        text = self.played.get((key, orders))
        if text is None:
            return None, False
        rules = self.fired.get((key, standing), {})
        is_complete = key[1] > 1 or len(rules) == self.sizes.get((key, standing), -1)
        return ClosedOrders(rev, text, tuple(rules[number] for number in sorted(rules))), is_complete


def collect_revealed(view: LogView, game: str, keys: LogKeys) -> RevealedGame:
    """Collect everything that letters reveal of a game."""
    revealed = RevealedGame()
    for _, part in view.parts("edition", game):
        revealed.edition = PlayedEdition(part["system"], part["pace"], "".join(part.all("text")))
    for _, part in view.parts("orders", game):
        secret = _prove_secret(revealed, keys, salt_block(game, part), part)
        if secret is not None:
            orders = ClosedOrders(part.num("rev"), part.text(), tuple(standing_orders_in_block(part)))
            revealed.proven[_orders_key(part), commitments_of(secret, part)] = orders
    for _, part in view.parts("reveal", game):
        if _prove_secret(revealed, keys, _blind_block(game, part["phase"]), part) is not None:
            revealed.before.setdefault(part["phase"], []).append("".join(part.all("before")))
    _collect_reports(view, game, revealed)
    _collect_rulings(view, game, revealed)
    for (name, _), phase in view.phases.items():
        if name == game:
            _collect_dice(view, phase, keys, revealed)
    return revealed


def _collect_reports(view: LogView, game: str, revealed: RevealedGame) -> None:
    """Collect the orders that reports show after a phase."""
    for _, part in view.parts("played", game):
        revealed.played[_orders_key(part), order_commitment(bytes.fromhex(part["salt"]), part.text())] = part.text()
    for _, part in view.parts("fired", game):
        commit = standing_commitment(bytes.fromhex(part["salt"]), part)
        key = (part["phase"], 1, part["seat"], part.num("rev"))
        revealed.fired.setdefault((key, commit), {})[part.num("number")] = part.text()
        revealed.sizes[key, commit] = part.num("size")


def _collect_rulings(view: LogView, game: str, revealed: RevealedGame) -> None:
    """Collect the logged rulings, complete where a sealed line was revealed."""
    texts = opened_rulings(view, game)
    for leaf in (candidate for candidate in view.history(game) if candidate.kind == "ruling" and candidate.known):
        text = texts.get(leaf["text"].removeprefix("sha256:"))
        if text is None:
            continue
        published, secret = public_ruling(text), revealed.secrets.get(_blind_block(game, leaf["phase"]))
        opened = (
            text_line
            for text_line in texts.values()
            if secret and published["whole"] == f"hmac:{hmac_sha256(secret, text_line.encode()).hex()}"
        )
        word, _, rest = next(opened, published["line"]).strip().partition(" ")
        revealed.rulings[leaf.num("number")] = PublishedRuling(word.upper(), rest.strip())


def _orders_key(part: Block) -> OrdersKey:
    return part["phase"], part.num("segment"), part["seat"], part.num("rev")


def _blind_block(game: str, phase: str) -> bytes:
    return write_block("blind", ("game", game), ("phase", phase.partition("~")[0]))


def _prove_secret(revealed: RevealedGame, keys: LogKeys, block_bytes: bytes, part: Block) -> bytes | None:
    """Return the secret of a block, and store it, if the part proves it.

    Else return None.
    """
    secret = revealed.secrets.get(block_bytes) or keys.secret(block_bytes, bytes.fromhex(part["proof"]))
    if secret is not None:
        revealed.secrets[block_bytes] = secret
    return secret


def _collect_dice(view: LogView, phase: Phase, keys: LogKeys, revealed: RevealedGame) -> None:
    """Collect the dice secrets of a phase whose proofs are revealed and valid."""
    proofs = {
        sha256_hex(data): data for _, part in view.parts("group", phase.game) if (data := bytes.fromhex(part["proof"]))
    }
    vrf = keys.vrf_of(view, phase)
    for roll in phase.of("roll"):
        slate = view.closed_list(next(iter(phase.of("close", roll.num("segment"))), None))
        if slate is None or vrf is None:
            continue
        for group, proof in roll.groups:
            alpha, full_proof = vrf_input_of_group(group, slate, roll["sig"]), proofs.get(proof.hex(), proof)
            secret = keys.means.output(vrf, alpha, full_proof) if len(full_proof) == 80 and not slate.board else None
            if slate.board:
                # The rules ask for the secret of their own list; they roll with that of the board.
                secret = dealt_secret(view, keys, slate.board, (roll["sig"], full_proof))
            if secret is not None:
                revealed.secrets[alpha] = secret


# A line of recorded answers: the question up to the first equals sign, and the answer to it, which may be empty.
_ANSWER = re.compile(r"(.+?) =(?: (.*))?")


class RerunResult(NamedTuple):
    """The result of a comparison: True, False, or None if it was impossible.

    `why` names the fault. `rolls` are the game and a phase whose rules ask for exactly the listed rolls, or a
    tournament's chain and the draw that follows from its lots, or its chain and a compared score.
    """

    truth: bool | None
    why: str = ""
    rolls: tuple[str, str] = ("", "")


def rerun_games(view: LogView, keys: LogKeys, games: Registry, names: tuple[str, ...]) -> Iterator[RerunResult]:
    """Rerun all finished phases in letters, game by game; `names` are known games."""
    reruns: dict[str, GameRerun] = {}
    for game in sorted({name for name, _ in view.phases}):
        revealed = collect_revealed(view, game, keys)
        opened_phases = [
            (phase.opening.seq, phase)
            for (name, _), phase in view.phases.items()
            if name == game and phase.opening is not None
        ]
        # As the log opened them: by name, T10 would come before T2.
        phases = [phase for _, phase in sorted(opened_phases, key=lambda entry: entry[0])]
        finished = [phase for phase in phases if phase.of("result")]
        if not finished:
            yield RerunResult(None, f"{game}: no phase of it is finished in letters here")
        try:
            played = _find_edition(_opening_leaf(phases[0]), revealed.edition, games, names) if phases else None
            if played is None and finished:
                why = "the rules and charts it is played by are in no letter here, and none of ours"
                yield RerunResult(None, f"{game}: {why}")
            if played is None:
                continue
            yield from _name_changes(view, game, played)
            rerun = _GameRerun(view, game, revealed, played)
            yield from excuse_other_release(played.edition, rerun.run(phases))
            reruns[game] = rerun.final_rerun
        except Exception as fault:
            # A fault of this program is no result about the letters.
            yield RerunResult(None, f"{game}: the rules cannot be run here: {type(fault).__name__}: {fault}")
    yield from (RerunResult(*result) for result in check_editions(view, reruns))
    yield from (RerunResult(*result) for result in redraw_all(view, keys))
    yield from (RerunResult(*result) for result in compare_scores(view, reruns))


def excuse_other_release(edition: PinnedEdition, results: Iterator[RerunResult]) -> Iterator[RerunResult]:
    """Excuse differences of a game begun under another release of its rules."""
    release = other_release_notice(edition)
    for result in results:
        yield (
            result._replace(truth=None, why=f"{result.why}: {release}") if release and result.truth is False else result
        )


def _opening_leaf(phase: Phase) -> Leaf:
    if phase.opening is None:
        raise LookupError(f"no leaf opens {phase.name}")
    return phase.opening


def _is_first(view: LogView, opened: Leaf) -> bool:
    """Return whether a game begins with an opening; a war's leaf may precede it."""
    first_leaf = view.leaves.get((opened.game, 0))
    return opened.seq == 0 or (opened.seq == 1 and first_leaf is not None and first_leaf.kind in ("link", "war"))


class _PlayedBy(NamedTuple):
    """The rules and edition of a game, and whether it is played letter by letter."""

    rules: AnyGame
    edition: PinnedEdition
    by_letter: bool


def _find_edition(
    opened: Leaf, revealed: PlayedEdition | None, games: Registry, names: tuple[str, ...]
) -> _PlayedBy | None:
    """Return the rules and edition of a phase: from a letter, or a shipped edition."""
    if opened["system"] not in (*names, CAMP) or (revealed is not None and revealed.system != opened["system"]):
        return None
    try:
        rules = games(opened["system"])
    except KeyError:  # Unplayable: a package's game is known by name before it is loaded
        return None
    digest, by_letter = opened["edition"], opened["pace"] == "activation"
    if revealed is not None:
        edition = rules.edition_from_json(loads(revealed.text))
        return _PlayedBy(rules, edition, by_letter) if edition.digest == digest else None
    for scenario in rules.editions():
        edition = rules.edition(scenario, {}, {})
        if edition.digest == digest:
            return _PlayedBy(rules, edition, by_letter)
    return None


def _name_changes(view: LogView, game: str, played: _PlayedBy) -> Iterator[RerunResult]:
    """Name the parts of an edition that differ from ours, without its options.

    Options are the choice of the game's founder. The editions of a war's later games follow from the game before.
    """
    first, edition_json = view.leaves.get((game, 0)), played.edition.to_json()
    if (
        (first is not None and first.kind in ("link", "war"))
        or not isinstance(edition_json, dict)
        or "options" not in edition_json
    ):
        return
    nearest: list[str] | None = None
    for scenario in played.rules.editions():
        shipped = played.rules.edition(scenario, {}, {})
        if shipped.digest == played.edition.digest:
            return
        shipped_json: Any = shipped.to_json()
        # Options that the rules do not know are named among the differences.
        with suppress(ValueError, LookupError):
            shipped_json = played.rules.edition(scenario, edition_json["options"], {}).to_json()
        changed_keys = [
            key
            for key in sorted({*edition_json, *shipped_json} - {"release"})
            if edition_json.get(key) != shipped_json.get(key)
        ]
        nearest = changed_keys if nearest is None or len(changed_keys) < len(nearest) else nearest
    if nearest:
        yield RerunResult(None, f"{game}: not as shipped here, but as whoever set it up chose: {', '.join(nearest)}")


class _GameRerun:
    """The rerun of one game, from its first phase on.

    `state` is the position at the start of its next phase, if known. `sure` is False if it follows from assumed
    orders: then a difference proves nothing. `begun` is the start of the last attempt at each phase; `once_more`
    has, by ruling, the results of phases that rulings had resolved again.
    """

    def __init__(self, view: LogView, name: str, known: RevealedGame, played_by: _PlayedBy) -> None:
        self.course, self.name, self.known = view, name, known
        self.rules, self.edition, self.by_letter = played_by
        self.state: Json | None = None
        self.sure = True
        self.begun: dict[str, Json] = {}
        self.once_more: dict[int, Json] = {}
        self.end: Json | None = None

    @property
    def final_rerun(self) -> GameRerun:
        """Return the game with its end, as far as these letters prove it."""
        is_known = self.sure and self.end is not None
        end = self.rules.decode(self.end, self.edition) if is_known else None
        reopened = frozenset(number for number, ruling in self.known.rulings.items() if ruling.word == "REOPEN")
        return GameRerun(self.rules, self.edition, end, reopened)

    def run(self, phases: list[Phase]) -> Iterator[RerunResult]:
        if _is_first(self.course, _opening_leaf(phases[0])):
            self.state = self.rules.encode(self.rules.start(self.edition))
        for phase in phases:
            label = f"{self.name} {phase.name}"
            yield from self._begin(label, phase)
            if phase.of("result"):
                yield from self._phase(label, phase)
                self.end = self.state
            else:
                self.end, self.state = None if phase.of("roll") else self.state, None

    def _begin(self, label: str, phase: Phase) -> Iterator[RerunResult]:
        """Compare a phase's revealed start with the end before it and its ruling."""
        revealed, self.state = self._revealed_position(phase, _opening_leaf(phase)), self._required_start(phase)
        if revealed is not None:
            if self.state is not None and (self.sure or dumps(self.state) == revealed):
                yield RerunResult(dumps(self.state) == revealed, f"{label}: it does not begin where it must")
            elif self.state is None and phase.attempt > 1:
                yield RerunResult(
                    None, f"{label}: where it must begin is not told: by ruling M{_opening_leaf(phase)['ruling']}"
                )
            self.state, self.sure = loads(revealed), True
        if self.state is not None:
            self.begun[phase.stem] = self.state

    def _required_start(self, phase: Phase) -> Json | None:
        """Return the required start of a phase; None if that is not known."""
        number = _opening_leaf(phase)["ruling"]
        if number == "-":
            return self.state
        ruled, begun = self.known.rulings.get(int(number)), self.begun.get(phase.stem)
        if ruled is None:
            return None
        if ruled.word == "REOPEN" and ruled.names(phase.name):
            return begun
        if ruled.word in ("EDIT", "AWARD"):
            return self._correct(begun, ruled.word, ruled.rest, number)
        # The first phase after the rerun begins where that ended; the next one where the first ended.
        return self.once_more.pop(int(number), self.state)

    def _correct(self, begun: Json | None, word: str, rest: str, number: str) -> Json | None:
        """Return a position as a ruling corrects it; None if its words are secret."""
        if begun is None or not rest:
            return None
        state = self.rules.decode(begun, self.edition)
        correction = corrected.apply_correction(self.rules, state, corrected.correction_text(word, rest), f"M{number}")
        return None if correction.rejected or correction.wrong else self.rules.encode(correction.state)

    def _secret(self, phase: Phase) -> bytes | None:
        return self.known.secrets.get(write_block("blind", ("game", self.name), ("phase", phase.stem)))

    def _revealed_position(self, phase: Phase, leaf: Leaf) -> str | None:
        """Return the position sealed in a leaf (opening or rerun), if it is revealed."""
        secret = self._secret(phase)
        texts = self.known.before.get(phase.name, []) if secret is not None else []
        return next((text for text in texts if _seal(secret, text) == leaf["state"]), None)

    def _phase(self, label: str, phase: Phase) -> Iterator[RerunResult]:
        start, self.state = self.state, None
        closes = phase.of("close")
        slates = [closed_slate for close in closes if (closed_slate := self.course.closed_list(close)) is not None]
        if start is None or len(slates) < len(closes) or not closes:
            yield RerunResult(
                None, f"{label}: where it began, or what was closed, is in no letter here or still sealed"
            )
            return
        is_complete, closed, pauses = self._revealed_orders(slates)
        self.sure &= is_complete
        if closed is None:
            yield RerunResult(None, f"{label}: orders of others are sealed until the game is over")
            return
        state = self.rules.decode(start, self.edition)
        inputs = PhaseInput(
            self.known.secrets.__getitem__,
            self.name,
            self.rules,
            self.edition,
            state,
            PhaseName.parse(phase.name),
            closed,
            pauses,
            self.by_letter and not self.rules.together(state),
            tuple(slate.block.data for slate in slates),
            self._values(phase),
        )
        yield from self._compare_reruns(phase, inputs)
        yield from self._compare_bots(label, phase, state, closed) if is_complete else ()
        outcome = self._resolve(label, inputs)
        if isinstance(outcome, RerunResult):
            yield outcome
            return
        yield from self._compare(label, phase, outcome, phase.of("result")[0])
        if phase.of("again"):
            # The phase after its first run began where that run had ended.
            self.sure = False

    def _compare_bots(
        self, label: str, phase: Phase, state: object, closed: Mapping[str, ClosedOrders]
    ) -> Iterator[RerunResult]:
        """Compare bots' orders with those of the bots here, whose versions may differ."""
        for seat, (bot, version) in bots_of_opening(_opening_leaf(phase)["bots"]).items():
            last_order = [leaf for leaf in phase.of("order") if leaf["seat"] == seat][-1:]
            if not closed[seat].revision or (last_order and last_order[0]["eml"] != "-"):
                continue
            if bot not in self.rules.bots:
                yield RerunResult(None, f"{label}: there is no bot {bot} here that could write for {seat} again")
                continue
            rewritten = autoplay.bot_orders(self.rules, bot, seat, self.rules.view(state, seat))
            is_same = self.rules.canon(Orders(rewritten.orders.actions)) == closed[seat].text
            is_certain = self.sure and version == bot_version(self.rules)
            reason = "the bot {} writes otherwise here than was closed for {}"
            if not is_certain:
                reason = "the bot {}, perhaps of another version, writes otherwise here than was closed for {}"
            yield RerunResult(is_same or (False if is_certain else None), f"{label}: {reason.format(bot, seat)}")

    def _compare_reruns(self, phase: Phase, inputs: PhaseInput) -> Iterator[RerunResult]:
        """Compare a phase that a ruling had resolved again, from the start of that run."""
        saved = self.state, self.sure
        for leaf in phase.of("again"):
            label = f"{self.name} {phase.name} run {leaf['run']}"
            results = [result for result in phase.of("result") if result.seq > leaf.seq]
            start = self._revealed_position(phase, leaf)
            if start is None or not results:
                yield RerunResult(
                    None, f"{label}: where it began, or what came of it, is in no letter here or still sealed"
                )
                continue
            rerun_inputs = inputs._replace(state=self.rules.decode(loads(start), self.edition))
            outcome = self._resolve(label, rerun_inputs)
            if isinstance(outcome, RerunResult):
                yield outcome
                continue
            yield from self._compare(label, phase, outcome, results[0], leaf)
            if self.state is not None:
                self.once_more[leaf.num("ruling")] = self.state
        self.state, self.sure = saved

    def _resolve(self, label: str, inputs: PhaseInput) -> Resolution | PausedPhase | LetterResult | RerunResult:
        """Resolve a phase, or return why that is impossible."""
        try:
            return adjudication.resolve(inputs)
        except KeyError:  # of the secrets: no letter reveals this one
            return RerunResult(None, f"{label}: its dice are hidden until the game is over")
        except Exception as fault:
            # The rules may reject orders that were only assumed; otherwise it is a fault of this program.
            return RerunResult(None, f"{label}: the rules stop here: {type(fault).__name__}: {fault}")

    def _values(self, phase: Phase) -> tuple[bytes | None, ...]:
        """Return the logged beacon value of each segment; empty without a beacon."""
        signatures = [roll["sig"] for roll in phase.of("roll") if roll.known]
        if all(signature == "none" for signature in signatures):
            return ()
        return tuple(None if signature == "none" else bytes.fromhex(signature) for signature in signatures)

    def _revealed_orders(self, slates: list[ClosedList]) -> tuple[bool, Mapping[str, ClosedOrders] | None, list[Pause]]:
        """Return whether all orders are revealed, the closed orders, and the pauses.

        The closed orders are None if some are sealed and cannot be assumed.
        """
        is_complete, pauses = True, list[Pause]()
        closed: dict[str, ClosedOrders] = {}
        for slate in slates:
            texts: dict[str, ClosedOrders] = {}
            for seat, (rev, *_) in slate.seats.items():
                revealed, has_all = self.known.orders(slate, seat)
                if revealed is None and rev:
                    return False, None, []
                is_complete &= has_all
                texts[seat] = revealed or ClosedOrders(rev)
            if slate.block["segment"] == "1":
                closed = texts
            else:
                pauses.append(
                    {seat: self._answers(seat_orders) for seat, seat_orders in texts.items() if seat_orders.text}
                )
        return is_complete, closed, pauses

    def _answers(self, orders: ClosedOrders) -> SeatAnswers:
        """Read a pause's answers from its text, one a line, and the orders of a letter."""
        lines = orders.text.splitlines(keepends=True)
        count = 1 if self.by_letter else len(lines)
        matches = [_ANSWER.fullmatch(line.rstrip("\n")) for line in lines[:count]]
        answers = tuple((match[1], tuple((match[2] or "").split())) for match in matches if match)
        has_orders = self.by_letter and any(value == (MORE,) for _, value in answers)
        return SeatAnswers(orders.revision, answers, "".join(lines[count:]) if has_orders else None)

    def _difference(self, label: str, phase: Phase, fault: str, since: int = 0) -> RerunResult:
        """Return a difference as a result.

        The result is False; it is None if orders were assumed, or if a ruling had this phase corrected since.
        """
        later = [leaf for leaf in phase.of("again") if leaf.seq > since]
        if later:
            return RerunResult(
                None, f"{label}: ruling M{later[0]['ruling']} had it resolved once more; before that {fault}"
            )
        return RerunResult(False if self.sure else None, f"{label}: {fault}")

    def _compare(
        self, label: str, phase: Phase, outcome: object, result: Leaf, rerun_leaf: Leaf | None = None
    ) -> Iterator[RerunResult]:
        """Compare rolls with the manifests, events and position with their seals.

        `rerun_leaf` is the leaf by which the phase was resolved again, if that run is compared.
        """
        since = rerun_leaf.seq if rerun_leaf else 0
        if not isinstance(outcome, Resolution):
            yield self._difference(label, phase, "the rules wait where the server went on", since)
            return
        actual = [
            (segment, NumberedRoll(number, *roll)) for number, (segment, roll) in enumerate(outcome.segment_rolls, 1)
        ]
        manifest_rolls = self._manifest_rolls(phase, rerun_leaf)
        if manifest_rolls is None:
            yield RerunResult(None, f"{label}: its rolls are hidden until the game is over")
        elif actual == manifest_rolls and (actual or self.sure):
            yield RerunResult(True, "", (self.name, phase.name))
        elif actual != manifest_rolls:
            yield self._difference(label, phase, "the rules roll otherwise than was listed", since)
        end_state = self.rules.encode(outcome.states[-1])
        if self.sure or actual == manifest_rolls:
            self.state = end_state
        secret = self._secret(phase)
        events_text = dumps([event.to_json() for event in outcome.events])
        for key, text, subject in (("report", events_text, "what happened"), ("state", dumps(end_state), "its end")):
            if secret is None:
                yield RerunResult(None, f"{label}: {subject} is sealed until the game is over")
            elif _seal(secret, text) == result[key]:
                yield RerunResult(True)
            else:
                yield self._difference(label, phase, f"{subject} is not as logged", since)

    def _manifest_rolls(self, phase: Phase, rerun_leaf: Leaf | None) -> list[tuple[int, NumberedRoll]] | None:
        """Return a phase's rolls and segments by its manifests; None if one is missing."""
        rolls = []
        for roll in phase.of("roll"):
            segment = roll.num("segment")
            for name in [f"all~{rerun_leaf['run']}"] if rerun_leaf else roll["groups"].split(" "):
                manifests = self.course.manifests.get((self.name, phase.name, segment, name))
                if not manifests:
                    return None
                rolls += [(segment, NumberedRoll(*entry[:4], tuple(entry.values))) for entry in manifests[0].rolls]
        return sorted(rolls, key=lambda numbered: numbered[1].number)  # numbers go on through the groups


def _seal(secret: bytes | None, text: str) -> str:
    """Return the digest of a text under the secret of a phase."""
    return f"hmac:{hmac_sha256(secret or b'', text.encode()).hex()}"
