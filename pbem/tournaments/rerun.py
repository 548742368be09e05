"""Repeat every draw and table from the opened rules, lists and scores.

Lots make one pairing of a round the cheapest. Anybody with the rules, the list, the proof of the lots and the earlier
scores computes the same pairs; other pairs show that the server did not draw as it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from pbem.audit.dice import DiceStream
from pbem.engine.data.canon import Json, dumps, loads
from pbem.tournaments.arithmetic.awards import awards_by_entrant, is_award
from pbem.tournaments.arithmetic.battles import battle_lots, choose_battle
from pbem.tournaments.arithmetic.entering import (
    half_points_for_bye,
    half_points_for_missed_rounds,
    half_points_for_rest,
    seed_entrants,
)
from pbem.tournaments.arithmetic.entrants import BYE, NOBODY, PENDING, Entrant, Lots, TableResult
from pbem.tournaments.arithmetic.pairing.draw import draw
from pbem.tournaments.arithmetic.pairing.drawn import Pair, RoundDraw, RoundInput
from pbem.tournaments.arithmetic.pairing.ladder import valid_challenges
from pbem.tournaments.arithmetic.rules.reading import rules_from_json
from pbem.tournaments.arithmetic.rules.records import StageRules, TournamentRules, battle_word, manner_of, scenario_of
from pbem.tournaments.arithmetic.stages import (
    board_number,
    boards_of_match,
    match_and_board,
    qualifiers_for_next_stage,
    result_of_match,
    stage_table,
)
from pbem.tournaments.arithmetic.standings import StandingsTable
from pbem.verifier.bundles import Leaf
from pbem.verifier.fields import sha256_hex
from pbem.verifier.later_checks import LATER, seed_hash, vrf_input_of_list
from pbem.verifier.log_checks import LogKeys
from pbem.verifier.record import LogView
from pbem.verifier.team_checks import team_of_members
from pbem.verifier.tournament_checks import NEWEST, TOURNAMENT
from pbem.verifier.tournament_lists import DrawList, number_of

_FACES = 2**32
"""Faces of a lot, as in `lots`: written again here, so that a change there is found."""
_NO_LIBRARY = "the library that pairs is not installed here: pip install networkx"


class RedrawResult(NamedTuple):
    """The result of a comparison: True, False, or None if it was impossible.

    `why` gives the fault. `draw` names the tournament's chain and the draw, ``r2~1``, that follows from its
    lots.
    """

    truth: bool | None
    why: str = ""
    draw: tuple[str, str] = ("", "")


class _KnownDraw(NamedTuple):
    """A draw whose list is in the letters: its closing leaf and its lots.

    `lots` are None if they are not proven.
    """

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


def redraw_all(log: LogView, keys: LogKeys) -> Iterator[RedrawResult]:
    """Repeat every draw and every table of all tournaments in the letters."""
    for game in sorted(game for game in log.histories if game.startswith(TOURNAMENT)):
        try:
            yield from _Redraw(log, keys, game).run()
        except ImportError:
            # Nothing is proved by it, as by any fault of this program; but this one can be mended by who checks.
            yield RedrawResult(None, f"{game}: {_NO_LIBRARY}")
        except Exception as fault:
            # A fault of this program proves nothing about the letters.
            yield RedrawResult(None, f"{game}: it cannot be drawn again here: {type(fault).__name__}: {fault}")


class _Redraw:
    """The repeated draws and tables of one tournament."""

    def __init__(self, view: LogView, keys: LogKeys, game: str) -> None:
        self.course, self.keys, self.game, self.version = view, keys, game, 1
        self.known = [leaf for leaf in view.history(game) if leaf.known]
        self.texts = {
            sha256_hex(text): text.decode()
            for _, part in view.parts("opens")
            if (text := "".join(part.all("text")).encode())
        }

    def run(self) -> Iterator[RedrawResult]:
        shuts = [leaf for leaf in self.known if leaf.kind == "shut"]
        tables = [leaf for leaf in self.known if leaf.kind == "standing"]
        founding = next((leaf for leaf in self.known if leaf.kind == "found"), None)
        text = self._text(founding["rules"]) if founding is not None else None
        if text is None:
            yield RedrawResult(None, f"{self.game}: its rules are in no letter here")
            return
        self.version = int(founding.get("version") or 1) if founding is not None else 1
        if self.version > NEWEST:
            why = f"its leaves are of version {self.version}: draw it again by a newer program"
            yield RedrawResult(None, f"{self.game}: {why}")
            return
        rules = rules_from_json(loads(text))
        yield from self._check_starts(rules)
        draws = [known_draw for known_draw in map(self._draw, shuts) if known_draw is not None]
        if len(draws) < len(shuts):
            yield RedrawResult(None, f"{self.game}: a list that was shut is in no letter here")
        for known_draw in draws:
            yield from self._again(rules, draws, known_draw)
        for leaf in tables:
            yield self._check_table(rules, draws, leaf)
        if any(leaf.kind == "rated" for leaf in self.known):
            yield RedrawResult(
                None, f"{self.game}: who an entrant is stays sealed; ratings `pbem rating replay` counts again"
            )

    def _text(self, digest: str) -> str | None:
        return self.texts.get(digest.removeprefix("sha256:"))

    def _check_starts(self, rules: TournamentRules) -> Iterator[RedrawResult]:
        """E1.1 Check starting points for missed rounds.

        An entrant who returns keeps his starting points.
        """
        starts: dict[str, str] = {}
        for leaf in self.known:
            if leaf.kind not in ("enter", "team") or not leaf.get("halves"):
                continue
            name, halves = leaf["entrant"], leaf["halves"]
            expected = {str(half_points_for_missed_rounds(rules, leaf.num("round")))}
            if leaf.kind == "enter" and rules.teams.boards:
                expected = {"0"}
            # A team without members begins anew with the next one.
            earlier = {starts[name]} if name in starts else set()
            allowed = expected | earlier if leaf.kind == "team" else earlier or expected
            why = f"{self.game}: {name} begins with {halves} halves for rounds missed, by the rules with "
            yield RedrawResult(halves in allowed, why + " or ".join(sorted(allowed)))
            starts[name] = halves

    def _draw(self, shut: Leaf) -> _KnownDraw | None:
        """Return a draw with its lots, as far as letters prove them."""
        draw_list = self.course.draws.get(shut["slate"])
        if draw_list is None:
            return None
        key = (shut["round"], shut["attempt"])
        lot = next(
            (leaf for leaf in self.known if leaf.kind == "lot" and (leaf["round"], leaf["attempt"]) == key), None
        )
        return _KnownDraw(shut, lot, draw_list, self._find_lots(shut, lot) if lot is not None else None)

    def _find_lots(self, fixed: Leaf, proving: Leaf) -> Lots | None:
        """Return the lots fixed by a leaf and proven by another, or None."""
        key = self.keys.vrf_at(fixed.at)
        if key is None:
            return None
        group, proof = proving.groups[0]
        beta = self.keys.means.output(key, vrf_input_of_list(group, seed_hash(fixed), proving["sig"]), proof)
        return _lots(beta) if beta is not None else None

    def _tie_lots(self, draws: Sequence[_KnownDraw], stage: int, until: int) -> tuple[Leaf, Lots | None] | None:
        """Return the leaf that asked for a stage's tie lots before a leaf, and the lots."""
        rounds = {f"ties/{known_draw.shut['round']}" for known_draw in draws if known_draw.stage == stage}
        needed = {leaf["lot"]: leaf for leaf in self.known if leaf.kind == "lot-needed"}
        for leaf in reversed([drawn for drawn in self.known if drawn.kind == "lot-drawn" and drawn.seq < until]):
            match = LATER.fullmatch(leaf["lot"])
            if match is not None and match[1] in rounds and leaf["lot"] in needed:
                return needed[leaf["lot"]], self._find_lots(needed[leaf["lot"]], leaf)
        return None

    def _again(
        self, rules: TournamentRules, draws: Sequence[_KnownDraw], known_draw: _KnownDraw
    ) -> Iterator[RedrawResult]:
        """Check that the pairs of a draw follow from its lots, by drawing again."""
        place = f"{self.game} {known_draw.name}"
        if known_draw.lot is None or known_draw.lots is None:
            yield RedrawResult(None, f"{place}: its lots are in no letter here")
            return
        if known_draw.stage > len(rules.stage):
            yield RedrawResult(False, f"{place}: the rules have no stage {known_draw.stage}")
            return
        if known_draw.listed.boards != rules.teams.boards:
            yield RedrawResult(False, f"{place}: by the rules a match has {rules.teams.boards} boards")
            return
        expected = draw(self._round_input(rules, draws, known_draw, known_draw.lot.seq), known_draw.lots)
        logged = [board[0] for board in self._pairs(known_draw)]
        if not logged:
            yield RedrawResult(None, f"{place}: its pairs are in no letter here")
            return
        is_same = _is_drawn(expected, logged, known_draw.listed)
        why = f"{place}: by these rules, lots and scores it is paired otherwise: {_pairs_text(expected.pairs)}"
        yield RedrawResult(is_same, why, (self.game, known_draw.name) if is_same else ("", ""))
        yield from self._check_challenges(rules, draws, known_draw, place)
        yield from self._check_battle(rules, draws, known_draw, place)
        yield from self._check_seeds(rules, draws, known_draw, place)

    def _check_challenges(
        self, rules: TournamentRules, draws: Sequence[_KnownDraw], known_draw: _KnownDraw, place: str
    ) -> Iterator[RedrawResult]:
        """E3.5 Check that a list has the accepted challenges that the ladder allows."""
        accepted = tuple(
            (number_of(leaf["challenger"]), number_of(leaf["challenged"]))
            for leaf in self.known
            if leaf.kind == "challenge" and leaf["round"] == known_draw.shut["round"] and leaf.seq < known_draw.shut.seq
        )
        listed_pairs = _challenges(known_draw.listed)
        if not accepted and not listed_pairs:
            return
        round_input = self._round_input(rules, draws, known_draw, known_draw.shut.seq)._replace(challenges=accepted)
        valid_pairs = tuple(sorted(valid_challenges(round_input))) if round_input.manner.format == "ladder" else ()
        pairs_text = ", ".join(f"e{challenger}-e{challenged}" for challenger, challenged in valid_pairs) or "-"
        # A challenge accepted in an unknown leaf may be in the list.
        truth = listed_pairs == valid_pairs or (
            False if self.course.shows_all(self.game, ("challenge",), 0, known_draw.shut.seq) else None
        )
        yield RedrawResult(
            truth, f"{place}: by what was accepted and by the ladder other challenges stand: {pairs_text}"
        )

    def _check_battle(
        self, rules: TournamentRules, draws: Sequence[_KnownDraw], known_draw: _KnownDraw, place: str
    ) -> Iterator[RedrawResult]:
        """E2.3 Check that boards are of the battle that rules and lots give."""
        stage = rules.stage[known_draw.stage - 1]
        if not stage.battle or known_draw.lots is None:
            return
        first = min(other.listed.round for other in draws if other.stage == known_draw.stage)
        within = known_draw.listed.round - first + 1
        if battle_word(stage, within) == "choice":
            yield from self._check_choices(stage, known_draw, place)
            return
        battle = scenario_of(rules, known_draw.stage, within)
        if battle_word(stage, within) == "lot":
            battle = next(iter(battle_lots(stage.scenarios, known_draw.lots)))
        logged = {leaf.get("battle") for board in self._pairs(known_draw) for leaf in board if leaf["table"] != "-"}
        yield RedrawResult(logged <= {battle}, f"{place}: by these rules and lots it is of battle {battle}")

    def _check_choices(self, stage: StageRules, known_draw: _KnownDraw, place: str) -> Iterator[RedrawResult]:
        """E2.4 Check that each board is of the battle that its choices give."""
        for board in self._pairs(known_draw):
            for leaf in (leaf for leaf in board if " " in leaf.get("battle")):
                battle, *choices = leaf["battle"].split(" ")
                named = [choice.partition(":")[2] for choice in choices]
                by_lot = battle_lots(stage.scenarios, known_draw.lots or _no_lots, leaf.num("board"))
                due = choose_battle(by_lot, [[] if names == "-" else names.split(",") for names in named])
                why = f"{place}: by lots and choices board {leaf['board']} is of battle {due}"
                yield RedrawResult(battle == due, why)

    def _check_seeds(
        self, rules: TournamentRules, draws: Sequence[_KnownDraw], known_draw: _KnownDraw, place: str
    ) -> Iterator[RedrawResult]:
        """Check entrants, order and half points of a stage against the stage before."""
        first = min(
            (candidate for candidate in draws if candidate.stage == known_draw.stage),
            key=lambda earlier: earlier.shut.seq,
        )
        draws_before = [each for each in draws if each.stage == known_draw.stage - 1]
        if first is not known_draw or not draws_before or draws_before[-1].lots is None:
            return
        if not self._is_over(rules, draws, draws_before[-1], known_draw.shut.seq):
            yield RedrawResult(False, f"{place}: by the rules stage {known_draw.stage - 1} was not over")
        table = self._table(rules, draws, draws_before[-1], known_draw.shut.seq)
        stages = rules.stage[known_draw.stage - 2 : known_draw.stage]
        listed_seeds = tuple((number_of(words[0]), int(words[4])) for words in known_draw.listed.entrants)
        truth = False
        for departed in self._departed_since(draws_before, known_draw):
            qualified = qualifiers_for_next_stage(table, manner_of(stages[0]), stages[1], departed)
            truth |= listed_seeds == tuple((seed, qualified.start.get(seed, 0)) for seed in qualified.seeds)
        yield RedrawResult(truth, f"{place}: others go on into stage {known_draw.stage}, or with other points")

    def _is_over(self, rules: TournamentRules, draws: Sequence[_KnownDraw], last: _KnownDraw, until: int) -> bool:
        """Return whether a stage had no further round; `last` is its newest draw then."""
        results = tuple(self._results(draws, last.stage, until))
        round_input = self._round_input(rules, draws, last, until)._replace(results=results)
        round_input = round_input._replace(round=round_input.round + 1)
        if round_input.manner.format in ("swiss", "ladder"):
            return round_input.round > round_input.manner.rounds > 0
        return draw(round_input, _no_lots).over

    def _departed_since(self, draws_before: Sequence[_KnownDraw], first: _KnownDraw) -> set[frozenset[int]]:
        """Return who had left at each moment from a stage's last table to the next list.

        The server decides who goes on once no dispute is open; the list still has those who leave after that.
        """
        rounds = [known_draw.shut["round"] for known_draw in draws_before]
        tables = [leaf for leaf in self.known if leaf.kind == "standing" and leaf.seq < first.shut.seq]
        counted = [leaf.seq for leaf in tables if leaf["round"] in rounds]
        is_closed = any(leaf["round"] == rounds[-1] for leaf in tables)
        departed, moments = set[int](), set[frozenset[int]]()
        for leaf in (leaf for leaf in self.known if leaf.seq < first.shut.seq):
            if leaf.kind in ("enter", "team") or (leaf.kind == "leave" and leaf["why"] == "return"):
                departed.discard(number_of(leaf["entrant"]))
            elif leaf.kind == "leave" and leaf["why"] != "rest" and leaf.num("round") <= first.listed.round:
                departed.add(number_of(leaf["entrant"]))
            if is_closed and leaf.seq >= counted[-1]:
                moments.add(frozenset(departed))
        return moments | {frozenset(departed)}

    def _round_input(
        self, rules: TournamentRules, draws: Sequence[_KnownDraw], known_draw: _KnownDraw, until: int
    ) -> RoundInput:
        """Return the input of a draw, with the scores known before a leaf."""
        first = min(other.listed.round for other in draws if other.stage == known_draw.stage)
        entrants = _entrants(known_draw.listed, first - 1)
        if (
            rules.entry.seeds == "lot"
            and known_draw.stage == 1
            and known_draw.listed.round == first
            and known_draw.lots is not None
        ):
            entrants = seed_entrants(rules, entrants, known_draw.lots)
        return RoundInput(
            known_draw.listed.round - first + 1,
            entrants,
            tuple(
                result
                for result in self._results(draws, known_draw.stage, until)
                if result.round <= known_draw.listed.round - first
            ),
            frozenset(map(number_of, known_draw.listed.away)),
            _start(known_draw.listed),
            manner_of(rules.stage[known_draw.stage - 1]),
            _challenges(known_draw.listed),
        )

    def _pairs(self, known_draw: _KnownDraw, until: int = 2**62) -> list[list[Leaf]]:
        """Return each board's pair leaves before a leaf: as drawn, then as replaced."""
        key = (known_draw.shut["round"], known_draw.shut["attempt"])
        by_board: dict[str, list[Leaf]] = {}
        for leaf in self.known:
            if leaf.kind == "pair" and (leaf["round"], leaf["attempt"]) == key and leaf.seq < until:
                by_board.setdefault(leaf["board"], []).append(leaf)
        return [*by_board.values()]

    def _results(self, draws: Sequence[_KnownDraw], stage: int, until: int) -> Iterator[TableResult]:
        """Yield the results of a stage's tables before a leaf."""
        stage_draws = [other for other in draws if other.stage == stage and other.shut.seq < until]
        first = min((other.listed.round for other in stage_draws), default=0)
        newest = {other.listed.round: other for other in stage_draws}
        for number, known_draw in sorted(newest.items()):
            boards = self._pairs(known_draw, until)
            if known_draw.listed.boards:
                yield from self._match_results(known_draw.listed, boards, number - first + 1, until)
                continue
            for board in boards:
                yield from self._board_results(board, number - first + 1, until)

    def _match_results(
        self, draw_list: DrawList, boards: Sequence[Sequence[Leaf]], within: int, until: int
    ) -> Iterator[TableResult]:
        """Yield the results of a round's matches; a board counts for its member's team."""
        teams = team_of_members(self.known) | {
            name: team for team, lineup in draw_list.lineups.items() for name in lineup
        }
        members = {number_of(name): number_of(team) for name, team in teams.items()}
        # `groupby` needs the boards of a match one behind another.
        in_order = sorted(boards, key=lambda board: board[0].num("board"))
        for match, group in groupby(
            in_order, key=lambda item: match_and_board(item[0].num("board"), draw_list.boards)[0]
        ):
            match_boards = list(group)
            results = [result for board in match_boards for result in self._board_results(board, within, until)]
            first, second = (match_boards[0][0][key] for key in ("first", "second"))
            if number_of(first) not in members:
                yield results[0]._replace(board=match)
            elif second in teams:
                pair = Pair(match, members[number_of(first)], members[number_of(second)])
                yield result_of_match(pair, within, results, members)

    def _board_results(self, board: Sequence[Leaf], within: int, until: int) -> Iterator[TableResult]:
        """Yield the results of a board's tables; the second has the sides exchanged."""
        names = _seated_names(board)
        seats = [NOBODY if name == "-" else number_of(name) for name in names]
        tables = ["-"] if NOBODY in seats else board[-1]["table"].split(" ")
        for leg, table in enumerate(tables):
            key, (first, second) = (board[0]["round"], board[0]["board"], table), seats if leg == 0 else seats[::-1]
            earlier_scores = (leaf for leaf in self.known if leaf.kind == "score" and leaf.seq < until)
            scores = [leaf for leaf in earlier_scores if (leaf["round"], leaf["board"], leaf["table"]) == key]
            number = board[0].num("board")
            if not scores:
                yield TableResult(within, number, first, second, how=PENDING)
                continue
            halves, last = tuple(map(int, scores[-1]["halves"].split(" "))), scores[-1]
            yield TableResult(within, number, first, second, (halves[0], halves[1]), int(last["margin"]), last["how"])

    def _table(
        self, rules: TournamentRules, draws: Sequence[_KnownDraw], last: _KnownDraw, until: int
    ) -> StandingsTable:
        """Return the standings of a stage before a leaf; `last` is its newest draw then."""
        results = tuple(self._results(draws, last.stage, until))
        entrants = self._round_input(rules, draws, last, last.shut.seq).entrants
        start = self._start_with_awards(draws, last, until)
        # Teams stay in the list whoever sits for them.
        for number, entry in ({} if last.listed.boards else self._seated_since(last, results)).items():
            entrants = (*entrants, Entrant(number, entry.num("strength")))
            halves = entry.get("halves") or half_points_for_missed_rounds(rules, entry.num("round"))
            start = {**start, number: start.get(number, 0) + int(halves)}
        round_input = RoundInput(
            max((result.round for result in results), default=0) + 1,
            tuple(Entrant(entrant.number, entrant.strength) for entrant in entrants),
            results,
            start=start,
            manner=manner_of(rules.stage[last.stage - 1]),
        )
        lots = last.lots
        if self.version > 1:
            tie = self._tie_lots(draws, last.stage, until)
            lots = tie[1] if tie is not None else None
        return stage_table(round_input, rules.ties.order, lots or _no_lots)

    def _start_with_awards(self, draws: Sequence[_KnownDraw], last: _KnownDraw, until: int) -> Mapping[int, int]:
        """E7.12 Return the start points of a stage with the awards that were ruled in it."""
        lines = []
        for leaf in (leaf for leaf in self.known if leaf.kind == "verdict" and leaf.seq < until):
            line = (self._text(leaf["text"]) or "").partition(" BECAUSE ")[0].partition(". ")[2]
            stage = max((known_draw.stage for known_draw in draws if known_draw.shut.seq < leaf.seq), default=1)
            if stage == last.stage or not is_award(line):
                lines.append((leaf.num("number"), line))
        start = dict(_start(last.listed))
        for number, halves in awards_by_entrant(lines).items():
            start[number] = start.get(number, 0) + halves
        return start

    def _seated_since(self, last: _KnownDraw, results: Iterable[TableResult]) -> dict[int, Leaf]:
        """Return the entries of entrants who took a seat after the newest list."""
        entries = {number_of(leaf["entrant"]): leaf for leaf in self.known if leaf.kind == "enter"}
        listed = {number_of(words[0]) for words in last.listed.entrants}
        seated = {number for result in results for number in (result.first, result.second)} - listed
        order = (
            number_of(leaf[key])
            for leaf in self.known
            if leaf.kind == "pair"
            for key in ("first", "second")
            if leaf[key] != "-"
        )
        return {number: entries[number] for number in order if number in seated and number in entries}

    def _check_table(self, rules: TournamentRules, draws: Sequence[_KnownDraw], leaf: Leaf) -> RedrawResult:
        """Check that a table follows from the scores before it."""
        place = f"{self.game} {leaf['round']}"
        text = self._text(leaf["table"])
        stages = [known_draw.stage for known_draw in draws if known_draw.listed.round <= number_of(leaf["round"])]
        # A table counted again after a dispute uses the lots of the newest draw of its stage.
        stage_draws = [
            known_draw
            for known_draw in draws
            if known_draw.stage in stages[-1:] and known_draw.lot and known_draw.lot.seq < leaf.seq
        ]
        if text is None or not stage_draws or stage_draws[-1].lots is None:
            return RedrawResult(None, f"{place}: its table, list or lots are in no letter here")
        if not _has_fair_byes(rules, stage_draws[-1].stage, self._results(draws, stage_draws[-1].stage, leaf.seq)):
            return RedrawResult(False, f"{place}: by these rules a round passed counts otherwise")
        if any(
            ruled.kind == "verdict" and ruled.seq < leaf.seq and self._text(ruled["text"]) is None
            for ruled in self.known
        ):
            return RedrawResult(None, f"{place}: a ruling before it, which may give points, is in no letter here")
        table = self._table(rules, draws, stage_draws[-1], leaf.seq)
        if self.version > 1 and any("lot" in row.values for row in table.rows):
            tie = self._tie_lots(draws, stage_draws[-1].stage, leaf.seq)
            last = max(
                (score.seq for score in self.known if score.kind == "score" and score.seq < leaf.seq), default=-1
            )
            if tie is None or tie[0].seq < last:
                return RedrawResult(False, f"{place}: those level were parted by lots that nobody drew for it")
            if tie[1] is None:
                return RedrawResult(None, f"{place}: the lots of those level are not proven here")
        return RedrawResult(dumps(_as_json(table)) == text, f"{place}: the scores add up to another table")


def _has_fair_byes(rules: TournamentRules, stage: int, results: Iterable[TableResult]) -> bool:
    """E7.1, E1.2 Check that byes and rests in a stage, from 1, score by the rules."""
    due = {BYE: half_points_for_bye(rules, stage - 1), "half-bye": half_points_for_rest(rules, 0, stage - 1)}
    unplayed = [result for result in results if result.second == NOBODY]
    most = max(Counter(result.first for result in unplayed if result.how == "half-bye").values(), default=0)
    return most <= rules.limits.half_byes and all(
        result.halves[0] == due.get(result.how, result.halves[0]) for result in unplayed
    )


def _as_json(table: StandingsTable) -> Json:
    """Return a table as in its leaf: rank, entrant, half points, tie-breaks."""
    return [
        {"rank": row.rank, "entrant": f"e{row.number}", "halves": row.tally.halves, "values": dict(row.values)}
        for row in table.rows
    ]


def _no_lots(label: str) -> int:
    return 0


def _lots(beta: bytes) -> Lots:
    stream = DiceStream(beta)
    return lambda label: stream.roll(label, 1, _FACES)[0] - 1


def _challenges(draw_list: DrawList) -> tuple[tuple[int, int], ...]:
    return tuple((number_of(challenger), number_of(challenged)) for challenger, challenged in draw_list.challenges)


def _start(draw_list: DrawList) -> Mapping[int, int]:
    return {number_of(words[0]): int(words[4]) for words in draw_list.entrants}


def _entrants(draw_list: DrawList, rounds_before: int) -> tuple[Entrant, ...]:
    """Return the entrants of a list in its order.

    `rounds_before` counts the rounds before the stage.
    """
    barred: dict[str, set[int]] = {}
    for low, high in draw_list.barred:
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
            # Counted within the stage: who entered before it is there from its first round on.
            max(1, int(since) - rounds_before),
        )
        for name, strength, pace, zone, _, team, since in draw_list.entrants
    )


def _seated_names(board: Sequence[Leaf]) -> list[str]:
    """Return the names at a board after replacements, the first side first."""
    names = [board[0]["first"], board[0]["second"]]
    for leaf in board[1:]:
        pair = [leaf["first"], leaf["second"]]
        if set(pair) == set(names):
            # E5.5 The same two with sides exchanged by bids.
            names = pair
        newcomers = [name for name in pair if name not in names]
        names = [name if name in pair else (newcomers or ["-"])[0] for name in names]
    return names if names[0] != "-" else names[::-1]


def _is_drawn(round_draw: RoundDraw, logged: Sequence[Leaf], draw_list: DrawList) -> bool:
    """Return whether boards, sides and byes equal the expected draw.

    Voluntary rests are not part of the draw.
    """
    resting = {name for name in draw_list.names if name not in draw_list.present}
    # Without teams `boards` is 0, and a pair has one board.
    most = max((pair.board for pair in round_draw.pairs), default=0) * max(1, draw_list.boards)
    logged_boards = {
        (leaf.num("board"), leaf["first"], leaf["second"])
        for leaf in logged
        if leaf["second"] != "-" or (leaf["first"] not in resting and leaf.num("board") <= most)
    }
    boards = [board for pair in round_draw.pairs for board in _boards(pair, draw_list)]
    return logged_boards == {(number, f"e{first}", f"e{second}" if second else "-") for number, first, second in boards}


def _boards(pair: Pair, draw_list: DrawList) -> Iterator[tuple[int, int, int]]:
    """Yield the boards of a pair: one, or those of a team match.

    If one team has no player at a board, the player of the other comes first.
    """
    if not draw_list.boards:
        yield pair.board, pair.first, pair.second
        return
    lines = {number_of(team): [number_of(name) for name in members] for team, members in draw_list.lineups.items()}
    if pair.second == NOBODY:
        yield board_number(pair.board, 1, draw_list.boards), pair.first, NOBODY
    for board in boards_of_match(pair, lines, draw_list.boards):
        number = board_number(pair.board, board.board, draw_list.boards)
        players = (board.first, board.second) if board.first and board.second else (board.first or board.second, NOBODY)
        yield number, *players


def _pairs_text(pairs: Sequence[Pair]) -> str:
    """Return the first few pairs in words."""
    # A choice: a line or so; where draws differ, the first pairs mostly do.
    texts = [f"e{pair.first}-e{pair.second}" if pair.second else f"e{pair.first} {BYE}" for pair in pairs[:8]]
    return ", ".join(texts) + (", ..." if len(pairs) > len(texts) else "")
