"""Full mode of tournaments: every draw and every table made again from what letters open of rules, lists and scores.

The pairing of a round is the only one that is cheapest by its lots: whoever has the rules, the list, the proof of
the lots and the scores before it finds the same pairs, or the server has drawn otherwise than it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pbem.audit.dice import Stream
from pbem.engine.data.canon import Json, dumps, loads
from pbem.tournaments.arithmetic.entering import halves_for_bye, halves_for_missed, halves_for_rest, seeded
from pbem.tournaments.arithmetic.entrants import BYE, NOBODY, PENDING, Entrant, Lots, Result
from pbem.tournaments.arithmetic.pairing.draw import draw
from pbem.tournaments.arithmetic.pairing.drawn import Drawn, Field, Pair
from pbem.tournaments.arithmetic.pairing.ladder import standing_challenges
from pbem.tournaments.arithmetic.rules.reading import rules_from_json
from pbem.tournaments.arithmetic.rules.records import Rules, manner_of
from pbem.tournaments.arithmetic.stages import (
    board_number,
    boards_of_match,
    go_on,
    match_and_board,
    result_of_match,
    stage_table,
)
from pbem.tournaments.arithmetic.standings import Table
from pbem.verifier.bundles import Leaf
from pbem.verifier.contest_checks import NEWEST, TOURNAMENT
from pbem.verifier.contest_lists import DrawList, number_of
from pbem.verifier.fields import sha
from pbem.verifier.later_checks import LATER, alpha_of_list, fixed_by
from pbem.verifier.log_checks import Keys
from pbem.verifier.record import Course
from pbem.verifier.team_checks import team_of_members

_FACES = 2**32
_NO_LIBRARY = "the library that pairs is not installed here: pip install networkx"


class Redrawn(NamedTuple):
    """What came of a comparison: True, False, or None where it could not be made; `why` says what is not true.

    `draw` are the tournament's chain and the draw, ``r2~1``, of which it is true that it is what the lots give.
    """

    truth: bool | None
    why: str = ""
    draw: tuple[str, str] = ("", "")


class _Draw(NamedTuple):
    """A draw of which letters show the list: the leaf that shut it, and its lots, None where they are not proven."""

    shut: Leaf
    lot: Leaf | None
    listed: DrawList
    lots: Lots | None

    @property
    def name(self) -> str:
        return f"{self.shut['round']}~{self.shut['attempt']}"

    @property
    def stage(self) -> int:
        return int(self.listed.block["stage"])


def drawn_again(course: Course, keys: Keys) -> Iterator[Redrawn]:
    """Draw every round of every tournament in letters again, and count every table."""
    for game in sorted(game for game in course.histories if game.startswith(TOURNAMENT)):
        try:
            yield from _Event(course, keys, game).run()
        except ImportError:
            yield Redrawn(None, f"{game}: {_NO_LIBRARY}")
        except Exception as fault:
            # A fault of this program is no finding about the letters.
            yield Redrawn(None, f"{game}: it cannot be drawn again here: {type(fault).__name__}: {fault}")


class _Event:
    """One tournament."""

    def __init__(self, course: Course, keys: Keys, game: str) -> None:
        self.course, self.keys, self.game, self.version = course, keys, game, 1
        self.known = [leaf for leaf in course.history(game) if leaf.known]
        self.texts = {
            sha(text): text.decode() for _, one in course.parts("opens") if (text := "".join(one.all("text")).encode())
        }

    def run(self) -> Iterator[Redrawn]:
        shuts = [leaf for leaf in self.known if leaf.kind == "shut"]
        tables = [leaf for leaf in self.known if leaf.kind == "standing"]
        found = next((leaf for leaf in self.known if leaf.kind == "found"), None)
        text = self._text(found["rules"]) if found is not None else None
        if text is None:
            yield Redrawn(None, f"{self.game}: its rules are in no letter here")
            return
        self.version = int(found.get("version") or 1) if found is not None else 1
        if self.version > NEWEST:
            why = f"its leaves are of version {self.version}: draw it again by a newer program"
            yield Redrawn(None, f"{self.game}: {why}")
            return
        rules = rules_from_json(loads(text))
        yield from self._begun(rules)
        draws = [one for one in map(self._draw, shuts) if one is not None]
        if len(draws) < len(shuts):
            yield Redrawn(None, f"{self.game}: a list that was shut is in no letter here")
        for one in draws:
            yield from self._again(rules, draws, one)
        for leaf in tables:
            yield self._counted(rules, draws, leaf)
        if any(leaf.kind == "rated" for leaf in self.known):
            yield Redrawn(
                None, f"{self.game}: who an entrant is stays sealed; ratings `pbem rating replay` counts again"
            )

    def _text(self, digest: str) -> str | None:
        return self.texts.get(digest.removeprefix("sha256:"))

    def _begun(self, rules: Rules) -> Iterator[Redrawn]:
        """E1.1 Whether everybody begins with what the rules give for rounds missed, and with the same if he returns."""
        known: dict[str, str] = {}
        for leaf in self.known:
            if leaf.kind not in ("enter", "team") or not leaf.get("halves"):
                continue
            name, halves = leaf["entrant"], leaf["halves"]
            due = {str(halves_for_missed(rules, leaf.num("round")))}
            if leaf.kind == "enter" and rules.teams.boards:
                due = {"0"}
            # A team that had no member left begins anew with its next one.
            before = {known[name]} if name in known else set()
            wanted = due | before if leaf.kind == "team" else before or due
            why = f"{self.game}: {name} begins with {halves} halves for rounds missed, by the rules with "
            yield Redrawn(halves in wanted, why + " or ".join(sorted(wanted)))
            known[name] = halves

    def _draw(self, shut: Leaf) -> _Draw | None:
        """A draw with its lots, as far as letters prove them."""
        listed = self.course.draws.get(shut["slate"])
        if listed is None:
            return None
        where = (shut["round"], shut["attempt"])
        lot = next(
            (leaf for leaf in self.known if leaf.kind == "lot" and (leaf["round"], leaf["attempt"]) == where), None
        )
        return _Draw(shut, lot, listed, self._drawn(shut, lot) if lot is not None else None)

    def _drawn(self, fixed: Leaf, told: Leaf) -> Lots | None:
        """The lots that follow from a leaf, by the proof that another tells; None if that is none."""
        key = self.keys.vrf_at(fixed.at)
        if key is None:
            return None
        group, proof = told.groups[0]
        beta = self.keys.means.output(key, alpha_of_list(group, fixed_by(fixed), told["sig"]), proof)
        return _lots(beta) if beta is not None else None

    def _parting(self, draws: Sequence[_Draw], stage: int, until: int) -> tuple[Leaf, Lots | None] | None:
        """The lots that parted those level in a stage before a leaf, with the leaf that needed them."""
        rounds = {f"ties/{each.shut['round']}" for each in draws if each.stage == stage}
        needed = {leaf["lot"]: leaf for leaf in self.known if leaf.kind == "lot-needed"}
        for leaf in reversed([one for one in self.known if one.kind == "lot-drawn" and one.seq < until]):
            found = LATER.fullmatch(leaf["lot"])
            if found is not None and found[1] in rounds and leaf["lot"] in needed:
                return needed[leaf["lot"]], self._drawn(needed[leaf["lot"]], leaf)
        return None

    def _again(self, rules: Rules, draws: Sequence[_Draw], one: _Draw) -> Iterator[Redrawn]:
        """Whether the pairs of a draw are those that its lots give."""
        at = f"{self.game} {one.name}"
        if one.lot is None or one.lots is None:
            yield Redrawn(None, f"{at}: its lots are in no letter here")
            return
        if one.stage > len(rules.stage):
            yield Redrawn(False, f"{at}: the rules have no stage {one.stage}")
            return
        if one.listed.boards != rules.teams.boards:
            yield Redrawn(False, f"{at}: by the rules a match has {rules.teams.boards} boards")
            return
        drawn = draw(self._field(rules, draws, one, one.lot.seq), one.lots)
        logged = [board[0] for board in self._pairs(one)]
        if not logged:
            yield Redrawn(None, f"{at}: its pairs are in no letter here")
            return
        same = _is_drawn(drawn, logged, one.listed)
        why = f"{at}: by these rules, lots and scores it is paired otherwise: {_told(drawn.pairs)}"
        yield Redrawn(same, why, (self.game, one.name) if same else ("", ""))
        yield from self._challenged(rules, draws, one, at)
        yield from self._seeded(rules, draws, one, at)

    def _challenged(self, rules: Rules, draws: Sequence[_Draw], one: _Draw, at: str) -> Iterator[Redrawn]:
        """E3.5 Whether those challenges are in a list that were accepted for its round and that the ladder allows."""
        accepted = tuple(
            (number_of(leaf["challenger"]), number_of(leaf["challenged"]))
            for leaf in self.known
            if leaf.kind == "challenge" and leaf["round"] == one.shut["round"] and leaf.seq < one.shut.seq
        )
        listed = _challenges(one.listed)
        if not accepted and not listed:
            return
        field = self._field(rules, draws, one, one.shut.seq)._replace(challenges=accepted)
        wanted = tuple(sorted(standing_challenges(field))) if field.manner.format == "ladder" else ()
        told = ", ".join(f"e{challenger}-e{challenged}" for challenger, challenged in wanted) or "-"
        # What was accepted in a leaf that is not here may be in the list.
        truth = listed == wanted or (False if self.course.told(self.game, ("challenge",), 0, one.shut.seq) else None)
        yield Redrawn(truth, f"{at}: by what was accepted and by the ladder other challenges stand: {told}")

    def _seeded(self, rules: Rules, draws: Sequence[_Draw], one: _Draw, at: str) -> Iterator[Redrawn]:
        """Whether those go on into a stage, in the order and with the halves, whom the one before gives."""
        first = min((each for each in draws if each.stage == one.stage), key=lambda each: each.shut.seq)
        before = [each for each in draws if each.stage == one.stage - 1]
        if first is not one or not before or before[-1].lots is None:
            return
        if not self._is_over(rules, draws, before[-1], one.shut.seq):
            yield Redrawn(False, f"{at}: by the rules stage {one.stage - 1} was not over")
        table = self._table(rules, draws, before[-1], one.shut.seq)
        gone = frozenset(number_of(name) for name in self._gone(one.shut.seq))
        stages = rules.stage[one.stage - 2 : one.stage]
        taken = go_on(table, manner_of(stages[0]), stages[1], gone)
        listed = tuple((number_of(words[0]), int(words[4])) for words in one.listed.entrants)
        wanted = tuple((seed, taken.start.get(seed, 0)) for seed in taken.seeds)
        yield Redrawn(listed == wanted, f"{at}: others go on into stage {one.stage}, or with other points")

    def _is_over(self, rules: Rules, draws: Sequence[_Draw], last: _Draw, until: int) -> bool:
        """Whether a stage had no further round before a leaf; `last` is its newest draw then."""
        results = tuple(self._results(draws, last.stage, until))
        field = self._field(rules, draws, last, until)._replace(results=results)
        field = field._replace(round=field.round + 1)
        if field.manner.format in ("swiss", "ladder"):
            return field.round > field.manner.rounds > 0
        return draw(field, _alike).over

    def _gone(self, until: int) -> set[str]:
        """Who had left the tournament."""
        gone: set[str] = set()
        for leaf in (leaf for leaf in self.known if leaf.seq < until):
            if leaf.kind in ("enter", "team") or (leaf.kind == "leave" and leaf["why"] == "return"):
                gone.discard(leaf["entrant"])
            elif leaf.kind == "leave" and leaf["why"] != "rest":
                gone.add(leaf["entrant"])
        return gone

    def _field(self, rules: Rules, draws: Sequence[_Draw], one: _Draw, until: int) -> Field:
        """What a list asks to be drawn, after what had been scored before a leaf."""
        first = min(each.listed.round for each in draws if each.stage == one.stage)
        entrants = _entrants(one.listed, first - 1)
        if rules.entry.seeds == "lot" and one.stage == 1 and one.listed.round == first and one.lots is not None:
            entrants = seeded(rules, entrants, one.lots)
        return Field(
            one.listed.round - first + 1,
            entrants,
            tuple(
                result for result in self._results(draws, one.stage, until) if result.round <= one.listed.round - first
            ),
            frozenset(map(number_of, one.listed.away)),
            _start(one.listed),
            manner_of(rules.stage[one.stage - 1]),
            _challenges(one.listed),
        )

    def _pairs(self, one: _Draw, until: int = 2**62) -> list[list[Leaf]]:
        """The pairs of a draw before a leaf: of each board as it was drawn, and as places were taken since."""
        where = (one.shut["round"], one.shut["attempt"])
        found: dict[str, list[Leaf]] = {}
        for leaf in self.known:
            if leaf.kind == "pair" and (leaf["round"], leaf["attempt"]) == where and leaf.seq < until:
                found.setdefault(leaf["board"], []).append(leaf)
        return [*found.values()]

    def _results(self, draws: Sequence[_Draw], stage: int, until: int) -> Iterator[Result]:
        """What the tables of a stage had come to before a leaf."""
        mine = [each for each in draws if each.stage == stage and each.shut.seq < until]
        first = min((each.listed.round for each in mine), default=0)
        newest = {each.listed.round: each for each in mine}
        for number, each in sorted(newest.items()):
            boards = self._pairs(each, until)
            if each.listed.boards:
                yield from self._matches(each.listed, boards, number - first + 1, until)
                continue
            for board in boards:
                yield from self._result(board, number - first + 1, until)

    def _matches(self, listed: DrawList, boards: Sequence[Sequence[Leaf]], within: int, until: int) -> Iterator[Result]:
        """What the matches of a round have come to: each board counts for the team of who sits there."""
        told = team_of_members(self.known) | {name: team for team, some in listed.lineups.items() for name in some}
        members = {number_of(name): number_of(team) for name, team in told.items()}
        in_order = sorted(boards, key=lambda board: board[0].num("board"))
        for match, some in groupby(in_order, key=lambda one: match_and_board(one[0].num("board"), listed.boards)[0]):
            of = list(some)
            results = [result for board in of for result in self._result(board, within, until)]
            first, second = (of[0][0][key] for key in ("first", "second"))
            if number_of(first) not in members:
                yield results[0]._replace(board=match)
            elif second in told:
                pair = Pair(match, members[number_of(first)], members[number_of(second)])
                yield result_of_match(pair, within, results, members)

    def _result(self, board: Sequence[Leaf], within: int, until: int) -> Iterator[Result]:
        """What a board's tables have come to; at a second one the sides are exchanged."""
        names = _sitting(board)
        seats = [NOBODY if name == "-" else number_of(name) for name in names]
        tables = ["-"] if NOBODY in seats else board[-1]["table"].split(" ")
        for at, table in enumerate(tables):
            where, (first, second) = (board[0]["round"], board[0]["board"], table), seats if at == 0 else seats[::-1]
            before = (leaf for leaf in self.known if leaf.kind == "score" and leaf.seq < until)
            scores = [leaf for leaf in before if (leaf["round"], leaf["board"], leaf["table"]) == where]
            number = board[0].num("board")
            if not scores:
                yield Result(within, number, first, second, how=PENDING)
                continue
            halves, last = tuple(map(int, scores[-1]["halves"].split(" "))), scores[-1]
            yield Result(within, number, first, second, (halves[0], halves[1]), int(last["margin"]), last["how"])

    def _table(self, rules: Rules, draws: Sequence[_Draw], last: _Draw, until: int) -> Table:
        """How those of a stage stood before a leaf; `last` is the stage's newest draw then."""
        results = tuple(self._results(draws, last.stage, until))
        entrants = self._order(rules, draws, last)
        field = Field(
            max((one.round for one in results), default=0) + 1,
            entrants,
            results,
            start=_start(last.listed),
            manner=manner_of(rules.stage[last.stage - 1]),
        )
        lots = last.lots
        if self.version > 1:
            parting = self._parting(draws, last.stage, until)
            lots = parting[1] if parting is not None else None
        return stage_table(field, rules.ties.order, lots or _alike)

    def _order(self, rules: Rules, draws: Sequence[_Draw], last: _Draw) -> tuple[Entrant, ...]:
        return tuple(
            Entrant(one.number, one.strength) for one in self._field(rules, draws, last, last.shut.seq).entrants
        )

    def _counted(self, rules: Rules, draws: Sequence[_Draw], leaf: Leaf) -> Redrawn:
        """Whether a table is what the scores before it add up to."""
        at = f"{self.game} {leaf['round']}"
        text = self._text(leaf["table"])
        stages = [each.stage for each in draws if each.listed.round <= number_of(leaf["round"])]
        # A table that is counted again, after a dispute, has the lots of the newest draw of its stage.
        mine = [each for each in draws if each.stage in stages[-1:] and each.lot and each.lot.seq < leaf.seq]
        if text is None or not mine or mine[-1].lots is None:
            return Redrawn(None, f"{at}: its table, list or lots are in no letter here")
        if not _passed_fairly(rules, mine[-1].stage, self._results(draws, mine[-1].stage, leaf.seq)):
            return Redrawn(False, f"{at}: by these rules a round passed counts otherwise")
        table = self._table(rules, draws, mine[-1], leaf.seq)
        if self.version > 1 and any("lot" in row.values for row in table.rows):
            parting = self._parting(draws, mine[-1].stage, leaf.seq)
            last = max((one.seq for one in self.known if one.kind == "score" and one.seq < leaf.seq), default=-1)
            if parting is None or parting[0].seq < last:
                return Redrawn(False, f"{at}: those level were parted by lots that nobody drew for it")
            if parting[1] is None:
                return Redrawn(None, f"{at}: the lots of those level are not proven here")
        return Redrawn(dumps(_as_json(table)) == text, f"{at}: the scores add up to another table")


def _passed_fairly(rules: Rules, stage: int, results: Iterable[Result]) -> bool:
    """E7.1, E1.2 Whether byes and rounds rested count in a stage, from 1, what the rules give for them."""
    due = {BYE: halves_for_bye(rules, stage - 1), "half-bye": halves_for_rest(rules, 0, stage - 1)}
    passed = [one for one in results if one.second == NOBODY]
    most = max(Counter(one.first for one in passed if one.how == "half-bye").values(), default=0)
    return most <= rules.limits.half_byes and all(one.halves[0] == due.get(one.how, one.halves[0]) for one in passed)


def _as_json(table: Table) -> Json:
    """A table as its leaf has it: rank, entrant, halves, and the values of the criteria that were asked."""
    return [
        {"rank": row.rank, "entrant": f"e{row.number}", "halves": row.tally.halves, "values": dict(row.values)}
        for row in table.rows
    ]


def _alike(label: str) -> int:
    return 0


def _lots(beta: bytes) -> Lots:
    stream = Stream(beta)
    return lambda label: stream.roll(label, 1, _FACES)[0] - 1


def _challenges(listed: DrawList) -> tuple[tuple[int, int], ...]:
    return tuple((number_of(challenger), number_of(challenged)) for challenger, challenged in listed.challenges)


def _start(listed: DrawList) -> Mapping[int, int]:
    return {number_of(words[0]): int(words[4]) for words in listed.entrants}


def _entrants(listed: DrawList, before: int) -> tuple[Entrant, ...]:
    """The entrants of a list, in its order; so many rounds were before the stage."""
    barred: dict[str, set[int]] = {}
    for low, high in listed.barred:
        barred.setdefault(low, set()).add(number_of(high))
        barred.setdefault(high, set()).add(number_of(low))
    return tuple(
        Entrant(
            number_of(name),
            int(strength),
            "" if team == "-" else team,
            frozenset(barred.get(name, ())),
            int(pace),
            int(zone),
            max(1, int(since) - before),
        )
        for name, strength, pace, zone, _, team, since in listed.entrants
    )


def _sitting(board: Sequence[Leaf]) -> list[str]:
    """Who sits at a board, the first side first, after others have taken places."""
    names = [board[0]["first"], board[0]["second"]]
    for leaf in board[1:]:
        now = [leaf["first"], leaf["second"]]
        if set(now) == set(names):
            # E5.5 The same two, by bids the other way round.
            names = now
        new = [name for name in now if name not in names]
        names = [name if name in now else (new or ["-"])[0] for name in names]
    return names if names[0] != "-" else names[::-1]


def _is_drawn(drawn: Drawn, logged: Sequence[Leaf], listed: DrawList) -> bool:
    """Whether boards, sides and byes are those that were drawn; who passes the round of his own will is not drawn."""
    passing = {name for name in listed.names if name not in listed.present}
    most = max((pair.board for pair in drawn.pairs), default=0) * max(1, listed.boards)
    told = {
        (leaf.num("board"), leaf["first"], leaf["second"])
        for leaf in logged
        if leaf["second"] != "-" or (leaf["first"] not in passing and leaf.num("board") <= most)
    }
    boards = [board for pair in drawn.pairs for board in _boards(pair, listed)]
    return told == {(number, f"e{first}", f"e{second}" if second else "-") for number, first, second in boards}


def _boards(pair: Pair, listed: DrawList) -> Iterator[tuple[int, int, int]]:
    """The boards of a pair: one, or those that two teams line up for, of which an empty one has who is there alone."""
    if not listed.boards:
        yield pair.board, pair.first, pair.second
        return
    lines = {number_of(team): [number_of(name) for name in some] for team, some in listed.lineups.items()}
    if pair.second == NOBODY:
        yield board_number(pair.board, 1, listed.boards), pair.first, NOBODY
    for one in boards_of_match(pair, lines, listed.boards):
        number = board_number(pair.board, one.board, listed.boards)
        both = (one.first, one.second) if one.first and one.second else (one.first or one.second, NOBODY)
        yield number, *both


def _told(pairs: Sequence[Pair]) -> str:
    """A few pairs, as they should be."""
    shown = [f"e{one.first}-e{one.second}" if one.second else f"e{one.first} {BYE}" for one in pairs[:8]]
    return ", ".join(shown) + (", ..." if len(pairs) > len(shown) else "")
