"""Full mode: the rules of a game run again over what letters open, without its server, its database or its keys.

A disclosure opens all orders, positions and dice of a game that is over; from them the same slates, rolls, events and
positions must come. While a game goes on a reader has his own orders, and where nothing is hidden those that a report
opens: then the dice are compared turn by turn. A phase begins where the one before ended; an attempt begins where its
phase began, changed by what its ruling says alone; and what a phase resolved once more came to at first is excused, and
nothing else.
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
from pbem.engine.edition import other_release
from pbem.engine.game import AnyGame, PinnedEdition, Registry
from pbem.engine.run.steps import MORE
from pbem.engine.terms import Orders
from pbem.engine.terms import Phase as PhaseName
from pbem.engine.war.chain import CAMP
from pbem.play import adjudication, corrected
from pbem.play.adjudication import AfterLetter, ClosedOrders, Pause, PhaseInput, Resolution, SeatAnswers, Waiting
from pbem.runtime.bot_versions import bot_version, bots_in
from pbem.server.score_rerun import compare_scores
from pbem.tournaments.rerun import redraw_all
from pbem.verifier.bundles import Leaf, Slate, rules_of
from pbem.verifier.contest_checks import dealt_beta
from pbem.verifier.fields import Block, block, mac, sha
from pbem.verifier.log_checks import Keys
from pbem.verifier.order_checks import Commits, commits_of, led_to, order_commit, salt_block
from pbem.verifier.phase_checks import said_in, told_of
from pbem.verifier.record import Course, Phase
from pbem.verifier.roll_checks import alpha_of
from pbem.wars.rerun import GameRerun, check_editions

# What letters open of one game, for whom the rules are to be run again: secrets, orders in clear, positions, rulings.
#
# Orders are taken from a disclosure, or from a player's own letters, by the proof of their secret; else as a report
# opens them after the phase, with the standing orders that it shows. Nothing is taken that is not what was closed.


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


_ANSWER = re.compile(r"(.+?) =(?: (.*))?")


class Found(NamedTuple):
    """What came of a comparison: True, False, or None where it could not be made; `why` says what is not true.

    `rolls` are the game and the phase of which it is true that the rules ask for the listed rolls and no others, or a
    tournament's chain and the draw that is as its lots give it; or its chain and a score that was looked at.
    """

    truth: bool | None
    why: str = ""
    rolls: tuple[str, str] = ("", "")


def again(course: Course, keys: Keys, games: Registry, names: tuple[str, ...]) -> Iterator[Found]:
    """Run all finished phases in letters again, game by game; `names` are the games that `games` knows."""
    ends: dict[str, GameRerun] = {}
    for game in sorted({name for name, _ in course.phases}):
        known = open_game(course, game, keys)
        shown = [
            (phase.opened.seq, phase)
            for (name, _), phase in course.phases.items()
            if name == game and phase.opened is not None
        ]
        phases = [phase for _, phase in sorted(shown, key=lambda one: one[0])]
        finished = [phase for phase in phases if phase.of("result")]
        if not finished:
            yield Found(None, f"{game}: no phase of it is finished in letters here")
        try:
            found = _edition(_opening(phases[0]), known.edition, games, names) if phases else None
            if found is None and finished:
                why = "the rules and charts it is played by are in no letter here, and none of ours"
                yield Found(None, f"{game}: {why}")
            if found is None:
                continue
            yield from _set_up(course, game, found)
            run = _Game(course, game, known, found)
            yield from found_by(found.edition, run.run(phases))
            ends[game] = run.played_out
        except Exception as fault:
            # A fault of this program is no finding about the letters.
            yield Found(None, f"{game}: the rules cannot be run here: {type(fault).__name__}: {fault}")
    yield from (Found(*one) for one in check_editions(course, ends))
    yield from (Found(*one) for one in redraw_all(course, keys))
    yield from (Found(*one) for one in compare_scores(course, ends))


def found_by(edition: PinnedEdition, found: Iterator[Found]) -> Iterator[Found]:
    """What another release of a game than that it was begun under finds otherwise is nobody's fault that is known."""
    other = other_release(edition)
    for one in found:
        yield one._replace(truth=None, why=f"{one.why}: {other}") if other and one.truth is False else one


def _opening(phase: Phase) -> Leaf:
    if phase.opened is None:
        raise LookupError(f"no leaf opens {phase.name}")
    return phase.opened


def _is_first(course: Course, opened: Leaf) -> bool:
    """Whether a game begins with an opening: nothing is before it but what a war says there."""
    before = course.leaves.get((opened.game, 0))
    return opened.seq == 0 or (opened.seq == 1 and before is not None and before.kind in ("link", "war"))


class _PlayedBy(NamedTuple):
    """What a game is played by: rules and edition, and whether its letters are carried out one by one."""

    rules: AnyGame
    edition: PinnedEdition
    by_letter: bool


def _edition(opened: Leaf, told: PlayedEdition | None, games: Registry, names: tuple[str, ...]) -> _PlayedBy | None:
    """The rules and the edition of a phase: as a letter opens it, or one that we ship."""
    if opened["system"] not in (*names, CAMP) or (told is not None and told.system != opened["system"]):
        return None
    try:
        rules = games(opened["system"])
    except KeyError:
        return None
    digest, by_letter = opened["edition"], opened["pace"] == "activation"
    if told is not None:
        edition = rules.edition_from_json(loads(told.text))
        return _PlayedBy(rules, edition, by_letter) if edition.digest == digest else None
    for scenario in rules.editions():
        edition = rules.edition(scenario, {}, {})
        if edition.digest == digest:
            return _PlayedBy(rules, edition, by_letter)
    return None


def _set_up(course: Course, game: str, played: _PlayedBy) -> Iterator[Found]:
    """Name the parts of an edition that are not shipped here, its options apart, which are the founder's to choose.

    Those of a war's games follow from the game before.
    """
    first, told = course.leaves.get((game, 0)), played.edition.to_json()
    if (first is not None and first.kind in ("link", "war")) or not isinstance(told, dict) or "options" not in told:
        return
    nearest: list[str] | None = None
    for scenario in played.rules.editions():
        shipped = played.rules.edition(scenario, {}, {})
        if shipped.digest == played.edition.digest:
            return
        usual: Any = shipped.to_json()
        # Options that the rules do not know are named among what is other.
        with suppress(ValueError, LookupError):
            usual = played.rules.edition(scenario, told["options"], {}).to_json()
        other = [key for key in sorted({*told, *usual} - {"release"}) if told.get(key) != usual.get(key)]
        nearest = other if nearest is None or len(other) < len(nearest) else nearest
    if nearest:
        yield Found(None, f"{game}: not as shipped here, but as whoever set it up chose: {', '.join(nearest)}")


class _Game:
    """One game, run from its first phase on.

    `state` is the position that its next phase begins with, if known; where it is not `sure`, it follows from orders
    that were supposed: then what does not come out says nothing. `begun` is where the last attempt at each phase began,
    `once_more` what came of a phase that a ruling had resolved once more, by the ruling.
    """

    def __init__(self, course: Course, name: str, known: Opened, played_by: _PlayedBy) -> None:
        self.course, self.name, self.known = course, name, known
        self.rules, self.edition, self.by_letter = played_by
        self.state: Json | None = None
        self.sure = True
        self.begun: dict[str, Json] = {}
        self.once_more: dict[int, Json] = {}
        self.end: Json | None = None

    @property
    def played_out(self) -> GameRerun:
        """The game as it ended, as far as these letters tell that for sure."""
        known = self.sure and self.end is not None
        end = self.rules.decode(self.end, self.edition) if known else None
        reopened = frozenset(number for number, one in self.known.rulings.items() if one.word == "REOPEN")
        return GameRerun(self.rules, self.edition, end, reopened)

    def run(self, phases: list[Phase]) -> Iterator[Found]:
        if _is_first(self.course, _opening(phases[0])):
            self.state = self.rules.encode(self.rules.start(self.edition))
        for phase in phases:
            at = f"{self.name} {phase.name}"
            yield from self._begin(at, phase)
            if phase.of("result"):
                yield from self._phase(at, phase)
                self.end = self.state
            else:
                self.end, self.state = None if phase.of("roll") else self.state, None

    def _begin(self, at: str, phase: Phase) -> Iterator[Found]:
        """Where a phase begins: as it is revealed, and as it must by what was before and by its ruling."""
        before, self.state = self._revealed(phase, _opening(phase)), self._expected(phase)
        if before is not None:
            if self.state is not None and (self.sure or dumps(self.state) == before):
                yield Found(dumps(self.state) == before, f"{at}: it does not begin where it must")
            elif self.state is None and phase.attempt > 1:
                yield Found(None, f"{at}: where it must begin is not told: by ruling M{_opening(phase)['ruling']}")
            self.state, self.sure = loads(before), True
        if self.state is not None:
            self.begun[phase.stem] = self.state

    def _expected(self, phase: Phase) -> Json | None:
        """Where a phase must begin; None if that is not known."""
        number = _opening(phase)["ruling"]
        if number == "-":
            return self.state
        ruled, begun = self.known.rulings.get(int(number)), self.begun.get(phase.stem)
        if ruled is None:
            return None
        if ruled.word == "REOPEN" and ruled.names(phase.name):
            return begun
        if ruled.word in ("EDIT", "AWARD"):
            return self._corrected(begun, ruled.word, ruled.rest, number)
        # What follows at once begins where that came to; what follows that, where it came to in its turn.
        return self.once_more.pop(int(number), self.state)

    def _corrected(self, begun: Json | None, word: str, rest: str, number: str) -> Json | None:
        """A position as a ruling corrects it; None where its words are kept from the table."""
        if begun is None or not rest:
            return None
        state = self.rules.decode(begun, self.edition)
        done = corrected.apply_correction(self.rules, state, corrected.text_of(word, rest), f"M{number}")
        return None if done.rejected or done.wrong else self.rules.encode(done.state)

    def _secret(self, phase: Phase) -> bytes | None:
        return self.known.secrets.get(block("blind", ("game", self.name), ("phase", phase.stem)))

    def _revealed(self, phase: Phase, leaf: Leaf) -> str | None:
        """The position that a leaf seals (an opening, or of a phase resolved once more), if a letter opens it."""
        secret = self._secret(phase)
        texts = self.known.before.get(phase.name, []) if secret is not None else []
        return next((text for text in texts if _sealed(secret, text) == leaf["state"]), None)

    def _phase(self, at: str, phase: Phase) -> Iterator[Found]:
        before, self.state = self.state, None
        closes = phase.of("close")
        slates = [found for close in closes if (found := self.course.slate(close)) is not None]
        if before is None or len(slates) < len(closes) or not closes:
            yield Found(None, f"{at}: where it began, or what was closed, is in no letter here or still sealed")
            return
        whole, closed, pauses = self._played(slates)
        self.sure &= whole
        if closed is None:
            yield Found(None, f"{at}: orders of others are sealed until the game is over")
            return
        state = self.rules.decode(before, self.edition)
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
        yield from self._once_more(phase, inputs)
        yield from self._bots(at, phase, state, closed) if whole else ()
        done = self._resolved(at, inputs)
        if isinstance(done, Found):
            yield done
            return
        yield from self._compare(at, phase, done, phase.of("result")[0])
        if phase.of("again"):
            # What followed it at first began where it had ended at first.
            self.sure = False

    def _bots(self, at: str, phase: Phase, state: object, closed: Mapping[str, ClosedOrders]) -> Iterator[Found]:
        """Compare what bots wrote in a phase with what they write here; another version of one may write otherwise."""
        for seat, (bot, version) in bots_in(_opening(phase)["bots"]).items():
            last = [leaf for leaf in phase.of("order") if leaf["seat"] == seat][-1:]
            if not closed[seat].revision or (last and last[0]["eml"] != "-"):
                continue
            if bot not in self.rules.bots:
                yield Found(None, f"{at}: there is no bot {bot} here that could write for {seat} again")
                continue
            made = autoplay.given(self.rules, bot, seat, self.rules.view(state, seat))
            same = self.rules.canon(Orders(made.orders.actions)) == closed[seat].text
            certain = self.sure and version == bot_version(self.rules)
            why = "the bot {} writes otherwise here than was closed for {}"
            if not certain:
                why = "the bot {}, perhaps of another version, writes otherwise here than was closed for {}"
            yield Found(same or (False if certain else None), f"{at}: {why.format(bot, seat)}")

    def _once_more(self, phase: Phase, inputs: PhaseInput) -> Iterator[Found]:
        """A phase that a ruling had resolved once more: the same, from where that began, against what came of it."""
        before_it = self.state, self.sure
        for leaf in phase.of("again"):
            at = f"{self.name} {phase.name} run {leaf['run']}"
            results = [result for result in phase.of("result") if result.seq > leaf.seq]
            begun = self._revealed(phase, leaf)
            if begun is None or not results:
                yield Found(None, f"{at}: where it began, or what came of it, is in no letter here or still sealed")
                continue
            begins = inputs._replace(state=self.rules.decode(loads(begun), self.edition))
            done = self._resolved(at, begins)
            if isinstance(done, Found):
                yield done
                continue
            yield from self._compare(at, phase, done, results[0], leaf)
            if self.state is not None:
                self.once_more[leaf.num("ruling")] = self.state
        self.state, self.sure = before_it

    def _resolved(self, at: str, inputs: PhaseInput) -> Resolution | Waiting | AfterLetter | Found:
        """What comes of a phase, or why that cannot be said."""
        try:
            return adjudication.resolve(inputs)
        except KeyError:
            return Found(None, f"{at}: its dice are hidden until the game is over")
        except Exception as fault:
            # Orders that were only supposed may be none that the rules can take; else it is a fault of this program.
            return Found(None, f"{at}: the rules stop here: {type(fault).__name__}: {fault}")

    def _values(self, phase: Phase) -> tuple[bytes | None, ...]:
        """What the beacon said for each segment, as it was logged; nothing where there is none."""
        said = [roll["sig"] for roll in phase.of("roll") if roll.known]
        if all(one == "none" for one in said):
            return ()
        return tuple(None if one == "none" else bytes.fromhex(one) for one in said)

    def _played(self, slates: list[Slate]) -> tuple[bool, Mapping[str, ClosedOrders] | None, list[Pause]]:
        """What every seat was played by; whether all of it is open. None if what is sealed cannot be supposed."""
        whole, pauses = True, list[Pause]()
        closed: dict[str, ClosedOrders] = {}
        for slate in slates:
            texts: dict[str, ClosedOrders] = {}
            for seat, (rev, *_) in slate.seats.items():
                one, all_of_it = self.known.orders(slate, seat)
                if one is None and rev:
                    return False, None, []
                whole &= all_of_it
                texts[seat] = one or ClosedOrders(rev)
            if slate.block["segment"] == "1":
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

    def _otherwise(self, at: str, phase: Phase, what: str, since: int = 0) -> Found:
        """Something that does not come out: false, unless it was supposed, or a ruling had this phase mended since."""
        later = [leaf for leaf in phase.of("again") if leaf.seq > since]
        if later:
            return Found(None, f"{at}: ruling M{later[0]['ruling']} had it resolved once more; before that {what}")
        return Found(False if self.sure else None, f"{at}: {what}")

    def _compare(self, at: str, phase: Phase, done: object, result: Leaf, again: Leaf | None = None) -> Iterator[Found]:
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
            yield Found(True, "", (self.name, phase.name))
        elif rolled != listed:
            yield self._otherwise(at, phase, "the rules roll otherwise than was listed", since)
        after = self.rules.encode(done.states[-1])
        if self.sure or rolled == listed:
            self.state = after
        secret = self._secret(phase)
        told = dumps([happened.to_json() for happened in done.events])
        for key, text, what in (("report", told, "what happened"), ("state", dumps(after), "its end")):
            if secret is None:
                yield Found(None, f"{at}: {what} is sealed until the game is over")
            elif _sealed(secret, text) == result[key]:
                yield Found(True)
            else:
                yield self._otherwise(at, phase, f"{what} is not as logged", since)

    def _listed(self, phase: Phase, again: Leaf | None) -> list[tuple[int, NumberedRoll]] | None:
        """All rolls of a phase by the manifests, each with its segment; None if one is in no letter."""
        out = []
        for roll in phase.of("roll"):
            segment = roll.num("segment")
            for name in [f"all~{again['run']}"] if again else roll["groups"].split(" "):
                found = self.course.manifests.get((self.name, phase.name, segment, name))
                if not found:
                    return None
                out += [(segment, NumberedRoll(*one[:4], tuple(one.values))) for one in found[0].rolls]
        return sorted(out, key=lambda one: one[1].number)


def _sealed(secret: bytes | None, text: str) -> str:
    """The digest of a text under the secret of a phase."""
    return f"hmac:{mac(secret or b'', text.encode()).hex()}"
