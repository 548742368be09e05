"""Check tournaments: lists shut before lots, lots before pairs, and scores.

Scores belong to boards that were paired.
"""

from __future__ import annotations

import re
from typing import Any

from .battle_checks import check_battles, check_editions
from .bracket_checks import check_bracket, check_qualifiers
from .bundles import Leaf
from .fields import sha256_hex
from .later_checks import GONE, check_beacon_and_vrf_proof, check_later_lots
from .list_checks import ListSources, check_list_values, pattern_of_admitting_rulings, rule_as_text, rules_in
from .log_checks import LogKeys
from .record import Findings, LogPlace, LogView
from .team_checks import (
    check_lineups,
    check_matches,
    pairs_of_teams,
    pattern_of_expelling_rulings,
    rulings_not_undone,
    seeded_strengths,
    strength_of_team,
    team_of_members,
    teams_in,
)
from .tournament_lists import DrawList, number_of

TOURNAMENT = "event/"
NEWEST = 2
"""The newest version of a tournament's leaves that this verifier knows."""
TEXT_OF = {"found": "rules", "standing": "table", "rated": "ratings", "verdict": "text"}
"""By kind of leaf, the line with the digest of its text."""

AGAIN = "abcdefghijklmnopqrstuvwxyz"
"""The letters for later attempts of a round in its tables' names; the first has none."""

PASSED = {"bye": "24", "half-bye": "12", "forfeit": "2", "rest": "0", "absent": "0", "late": "0"}
"""The half points that a round without an opponent may score, by its kind."""

DISPUTE = (
    "(?:RULING )?D ?0*[1-9][0-9]{0,3} (?:UPHOLD|DENY|DRAW|ESTIMAR|DESESTIMAR|TABLAS|FORFEIT|WARN|HOURS [0-9]{1,3})"
)
UNDO = "UNDO 0*[1-9][0-9]{0,4}"
"""The lines of rulings that change the score of a finished game; CORRECT names its table."""


def check_tournaments(view: LogView, findings: Findings, keys: LogKeys) -> None:
    """Check every tournament; lists never shut and boards never bound are false."""
    for game in sorted(game for game in view.histories if game.startswith(TOURNAMENT)):
        TournamentChecks(view, findings, keys, game).check()
    shut = {leaf["slate"] for leaf in view.leaves.values() if leaf.kind in ("shut", "bind") and leaf.known}
    for digest, draw in sorted(view.draws.items()):
        findings.say("draws", digest in shut, LogPlace(draw.block["game"]), "a list of a draw that was never shut")
    for digest, bound in sorted(view.boards.items()):
        findings.say("draws", digest in shut, LogPlace(bound.block["game"]), "a board that was never bound")
    for letter, opened in view.parts("opens"):
        check_opened_text(
            view,
            findings,
            LogPlace(letter.where),
            (opened["game"], opened.num("seq"), sha256_hex("".join(opened.all("text")).encode())),
        )


def check_opened_text(view: LogView, findings: Findings, place: LogPlace, opened: tuple[str, int, str]) -> None:
    """Check a text of a tournament against the digest that its leaf names."""
    game, seq, digest = opened
    leaf = view.leaves.get((game, seq))
    key = TEXT_OF.get(leaf.kind, "") if leaf is not None else ""
    truth = None if leaf is None or not leaf.known else leaf.get(key) == f"sha256:{digest}"
    findings.say("opened", truth, place, "a text is opened that leaf {} of {} does not name", seq, game)


class TournamentChecks:
    """The checks of one tournament."""

    def __init__(self, view: LogView, findings: Findings, keys: LogKeys, game: str) -> None:
        self.course, self.board, self.keys, self.game = view, findings, keys, game
        self.known = [leaf for leaf in view.history(game) if leaf.known]
        first_leaf = view.leaves.get((game, 0))
        self.found = first_leaf if first_leaf is not None and first_leaf.kind == "found" and first_leaf.known else None
        self.version = int(self.found.get("version") or 1) if self.found is not None else 0
        self.texts = {
            sha256_hex(text.encode()): text for _, part in view.parts("opens") if (text := "".join(part.all("text")))
        }
        rules_digest = self.found["rules"].removeprefix("sha256:") if self.found is not None else ""
        self.rules = rules_in(self.texts.get(rules_digest))

    def say(self, truth: bool | None, place: LogPlace, why: str, *values: object) -> bool | None:
        return self.board.say("draws", truth, place, why, *values)

    def false_if_gapless(self, last: int) -> bool | None:
        """Return False if the letters show every leaf up to `last`, else None."""
        return False if self.course.gapless(self.game, 0, last) else None

    def of(self, kind: str, draw: tuple[str, str]) -> list[Leaf]:
        return [leaf for leaf in self.known if leaf.kind == kind and (leaf["round"], leaf["attempt"]) == draw]

    def check(self) -> None:
        place = LogPlace(self.game)
        if self.version > NEWEST:
            why = "its leaves are of version {}, which is newer than this program: check it by a newer one"
            self.say(None, place, why, self.version)
            return
        for leaf in self.course.history(self.game):
            first = (leaf.kind == "found") == (leaf.seq == 0)
            self.say(first, place, "a tournament is founded by its first leaf, once: leaf {}", leaf.seq)
            if leaf.kind == "found" and leaf.known:
                same_name = self.game == TOURNAMENT + leaf["name"]
                self.say(same_name, place, "it is founded under the name of {}", leaf["name"])
        kinds = ("shut", "lot", "pair")
        draws = {(leaf["round"], leaf["attempt"]) for leaf in self.known if leaf.kind in kinds}
        for draw in sorted(draws, key=lambda draw: (number_of(draw[0]), int(draw[1]))):
            self.draw(draw)
        check_editions(self, place)
        check_later_lots(self)
        self.scores()
        self.check_numbers(place)

    def check_numbers(self, place: LogPlace) -> None:
        """Check verdicts' numbers, and that tables are of rounds drawn before."""
        number, drawn = 0, set[str]()
        for leaf in self.known:
            if leaf.kind == "verdict":
                text = self.texts.get(leaf["text"].removeprefix("sha256:"))
                same = text is None or text.startswith(f"{leaf['number']}. ")
                why = "leaf {} is not the verdict that its number says"
                self.say(same and leaf.num("number") > number, place, why, leaf.seq)
                number = leaf.num("number")
            drawn |= {leaf["round"]} if leaf.kind == "shut" else set()
            if leaf.kind == "standing":
                truth = leaf["round"] in drawn or self.false_if_gapless(leaf.seq)
                self.say(
                    truth, place, "leaf {} has the table of {}, which was not drawn before", leaf.seq, leaf["round"]
                )

    def draw(self, draw: tuple[str, str]) -> None:
        """Check one draw of a round: its order, that it is single, and its list."""
        name = "~".join(draw)
        place = LogPlace(f"{self.game} {name}", self.game, name)
        shuts, lots, pairs = (self.of(kind, draw) for kind in ("shut", "lot", "pair"))
        self.say(len(shuts) < 2, place, "its list was shut {} times", len(shuts))
        self.say(len(lots) < 2, place, "its lots were drawn {} times", len(lots))
        for before, after, why in (
            (shuts, lots, "lots were drawn before the list was shut"),
            (lots, pairs, "it was paired before lots were drawn"),
        ):
            if after:
                early = not before or before[0].seq > after[0].seq
                truth = True if not early else False if before else self.false_if_gapless(after[0].seq)
                self.say(truth, place, why)
        if shuts and draw[1] != "1":
            self.again(place, draw, shuts[0])
        closed = self.course.draws.get(shuts[0]["slate"]) if shuts else None
        if shuts and closed is None:
            self.say(None, place, "the list that was shut is in no letter")
        if closed is not None:
            self.check_list(place, draw, shuts[0], closed)
        beta = (
            check_beacon_and_vrf_proof(self.keys, self.board, place, (shuts[0], "draw", lots[0]))
            if shuts and lots
            else None
        )
        if pairs:
            self.check_pairs(place, pairs, closed, draw)
        if closed is not None and pairs:
            check_battles(self, place, closed, (pairs, beta))
        if closed is not None and self.has_one_luck(closed):
            for table in sorted({table_name for pair in pairs for table_name in pair["table"].split(" ")}):
                self.check_shared_dice(table)

    def has_one_luck(self, closed: DrawList) -> bool:
        """Return whether the founding rules let the tables of a list roll the same dice."""
        stage = self.stage(closed) or {}
        return stage.get("sides") == "duplicate" or (stage.get("sides") == "mirror" and stage.get("luck") == "one")

    def stage(self, closed: DrawList) -> dict[str, Any] | None:
        """Return the founding rules of a list's stage, or None if unknown."""
        stages = self.rules.get("stage") if isinstance(self.rules, dict) else None
        number = int(closed.block["stage"])
        if self.found is None or self.found["rules"] != closed.block["rules"] or not isinstance(stages, list):
            return None
        stage = stages[number - 1] if number <= len(stages) else None
        return stage if isinstance(stage, dict) else None

    def check_shared_dice(self, table: str) -> None:
        """Check that a duplicate table has no dice of its own.

        It may have them once it has left its board or plays a phase again, so phases are read as they came.
        """
        own_phases = (table_phase for (game, _), table_phase in self.course.phases.items() if game == table)
        phases = sorted(own_phases, key=lambda phase: phase.leaves[0].seq)
        history = self.course.history(self.game)
        for phase in phases:
            if phase.attempt != 1:
                return  # from then on its dice are its own
            for close in phase.of("close", 1):
                slate = self.course.closed_list(close)
                if slate is None:
                    continue
                bound = [bind["board"].rsplit("/", 2) for bind in self.course.bound if bind.at < close.at]
                gone = any(name[1:2] == [phase.name] and len(name) == 3 and table.startswith(name[0]) for name in bound)
                complete = history[-1].at > close.at and self.course.gapless(self.game, 0, history[-1].seq)
                truth = slate.board != "" or gone or (False if complete else None)
                why = "the tables of its stage have one luck, and this list has dice of its own"
                self.board.say("close", truth, phase.place, why)

    def again(self, place: LogPlace, draw: tuple[str, str], shut: Leaf) -> None:
        """Check that a verdict between two draws of a round orders the second."""
        before = self.of("shut", (draw[0], str(int(draw[1]) - 1)))
        ruled = (
            self.has_verdict(f"REDRAW R ?0*{draw[0][1:]}", before[0].seq, shut.seq)
            if before
            else self.false_if_gapless(shut.seq)
        )
        self.say(ruled, place, "it was drawn again, and no verdict says so before")

    def has_verdict(self, line: str, since: int, until: int) -> bool | None:
        """Return whether a verdict between two leaves has a line.

        None if a verdict between them has its text in no letter.
        """
        verdicts = [leaf for leaf in self.known if leaf.kind == "verdict" and since < leaf.seq < until]
        texts = [self.texts.get(leaf["text"].removeprefix("sha256:")) for leaf in verdicts]
        if any(text is not None and re.match(rf"[1-9][0-9]{{0,8}}[.] (?:{line}) BECAUSE ", text) for text in texts):
            return True
        return None if None in texts else self.false_if_gapless(until)

    def check_list(self, place: LogPlace, draw: tuple[str, str], shut: Leaf, closed: DrawList) -> None:
        """Check that the list is of this draw, and its values and members."""
        block = closed.block
        same = (block["game"], block["round"], block["attempt"]) == (self.game, *draw)
        self.say(same, place, "the list that was shut is of another draw")
        beacon = "none" if shut["chain"] == "none" else f"{shut['chain']} {shut['beacon']}"
        self.board.say("round", block["beacon"] == beacon, place, "the list has another round than was said")
        if self.keys.chains is not None:
            own_beacon = shut["chain"] in self.keys.chains | {"none"}
            self.board.say("round", own_beacon, place, "it has another beacon than the server")
        if self.found is not None:
            ruled = any(leaf.kind == "verdict" and leaf.seq < shut.seq for leaf in self.known)
            otherwise = None if ruled and self.version == 1 else self.false_if_gapless(shut.seq)
            truth = block["rules"] == self.found["rules"] or otherwise
            self.say(truth, place, "its rules are not those that it was founded with")
        if not self.course.gapless(self.game, 0, shut.seq):
            self.say(None, place, "leaves of the tournament are in no letter: who is to be listed is not known")
            return
        self.members(place, shut, closed)

    def members(self, place: LogPlace, shut: Leaf, closed: DrawList) -> None:
        """Check that the list equals the entrants, and that absences are right.

        All entrants are listed and nobody else, and no entrant who plays counts as away.
        """
        before = [leaf for leaf in self.known if leaf.seq < shut.seq]
        gone, resting = self.absent(before, closed.round)
        kind = "team" if closed.boards else "enter"
        entered = {leaf["entrant"]: leaf for leaf in before if leaf.kind == kind}
        rulings = rulings_not_undone(before, self.texts)
        seeds = seeded_strengths(rulings or [])
        strengths = {
            name: strength_of_team(name, before, gone, seeds) if closed.boards else seeds.get(name, leaf["strength"])
            for name, leaf in entered.items()
        }
        if closed.boards:
            check_lineups(self.say, place, before, closed, gone | resting)
        for words in closed.entrants:
            name = words[0]
            if self.say(name in entered, place, "{} is listed, and never entered", name):
                same = words[1] == strengths[name] or (None if rulings is None else False)
                self.say(same, place, "{} is listed with another strength than he entered with", name)
            away = name in gone or name in resting or (closed.boards > 0 and not closed.lineups[name])
            why = "{} is away in the list, and rests, otherwise than the log says"
            self.say(away == (name in closed.away), place, why, name)
        if self.version == 1:
            why = "it was founded under version 1.0.0: the server could have chosen hours, zones and halves in the list"
            self.say(None, place, why)
        else:
            self.check_entries(place, before)
            sources = ListSources(before, self.earlier(shut), gone, resting, self.texts, entered, self.rules)
            check_list_values(self.say, place, closed, sources)
        self.check_challenges(place, shut, closed)
        wanted, orders, firm = self.expected_entrants(closed, shut, (entered, strengths))
        for name in wanted:
            left_out = name not in closed.names and name not in gone
            self.say(not left_out, place, "{} is to play, and is not listed", name)
        rerun = (self.game, f"{closed.block['round']}~{closed.block['attempt']}") in self.course.rerun
        if not orders:
            check_qualifiers(self, place, closed, shut, rerun=rerun)
            return
        same = any(closed.names == [name for name in order if name in closed.names] for order in orders)
        self.say(same or rerun or (False if firm else None), place, "the list is not in the order of seeds")

    def check_entries(self, place: LogPlace, before: list[Leaf]) -> None:
        """Check that nobody enters twice, and that only a ruling expels.

        A second entry could bring other values.
        """
        present: set[str] = set()
        team_of = team_of_members(before)
        for leaf in (entry for entry in before if entry.kind in ("enter", "leave")):
            name = leaf["entrant"]
            if leaf.kind == "enter":
                self.say(name not in present, place, "{} entered again, and had not left", name)
                present.add(name)
                if line := pattern_of_admitting_rulings(self.rules, name):
                    ruled = self.has_verdict(line, -1, leaf.seq)
                    self.say(ruled, place, "{} entered, and no verdict says so before", name)
            else:
                (present.discard if leaf["why"] in GONE else present.add)(name)
            if leaf.kind == "leave" and leaf["why"] == "expelled":
                ruled = self.has_verdict(pattern_of_expelling_rulings(name, team_of), -1, leaf.seq)
                self.say(ruled, place, "{} was expelled, and no verdict says so before", name)

    def check_challenges(self, place: LogPlace, shut: Leaf, closed: DrawList) -> None:
        """Check that listed challenges were accepted, and that none is left out.

        A challenge may be left out if a player is away or barred, or too far away on the ladder.
        """
        accepted = [
            (leaf["challenger"], leaf["challenged"])
            for leaf in self.known
            if leaf.kind == "challenge" and leaf["round"] == shut["round"] and leaf.seq < shut.seq
        ]
        complete = self.course.shows_all(self.game, ("challenge",), 0, shut.seq)
        for challenge in closed.challenges:
            truth = challenge in accepted or (False if complete else None)
            self.say(truth, place, "{} challenges {} in the list, and no leaf says that this was accepted", *challenge)
        challenge_names = {name for pair_listed in closed.challenges for name in pair_listed}
        rerun = (self.game, f"{closed.block['round']}~{closed.block['attempt']}") in self.course.rerun
        for challenger, challenged in accepted:
            both = {challenger, challenged}
            if (
                not both & challenge_names
                and both <= set(closed.present)
                and all(set(pair) != both for pair in closed.barred)
            ):
                why = "{} challenged {}, which is not in the list: full mode says whether the ladder allowed it"
                self.say(rerun or None, place, why, challenger, challenged)

    def absent(self, before: list[Leaf], round_: int) -> tuple[set[str], set[str]]:
        """Return who left before a round or enters later, and who rests in it."""
        gone, resting = set[str](), set[str]()
        for leaf in before:
            if leaf.kind in ("enter", "team"):
                (gone.discard if leaf.num("round") <= round_ else gone.add)(leaf["entrant"])
            if leaf.kind != "leave" or leaf.num("round") > round_:
                continue
            if leaf["why"] in GONE:
                gone.add(leaf["entrant"])
            elif leaf["why"] == "return":
                gone.discard(leaf["entrant"])
                resting.discard(leaf["entrant"])
            elif leaf.num("round") == round_:
                resting.add(leaf["entrant"])
        return gone, resting

    def earlier(self, shut: Leaf) -> list[DrawList]:
        """Return the lists shut before one, as far as letters show them."""
        shuts = [leaf for leaf in self.known if leaf.kind == "shut" and leaf.seq < shut.seq]
        return [self.course.draws[leaf["slate"]] for leaf in shuts if leaf["slate"] in self.course.draws]

    def expected_entrants(
        self, closed: DrawList, shut: Leaf, entries: tuple[dict[str, Leaf], dict[str, str]]
    ) -> tuple[list[str], list[list[str]], bool]:
        """Return who is to be listed unless gone, and in which sequences.

        The third value tells whether any other sequence is false. The sequence of entrants who begin in a later
        stage is not known, and a lot may decide seeds when the first list is drawn. Equally strong ones are by number.
        """
        entered, strengths = entries
        stage, numbers = closed.block["stage"], sorted(entered, key=number_of)
        stage_lists = [earlier for earlier in self.earlier(shut) if earlier.block["stage"] == stage]
        seeds = rule_as_text(self.rules, "entry", "seeds") if self.version > 1 else ""
        former = stage_lists[-1].names if stage_lists else []
        wanted = [name for name in numbers if entered[name].num("round") <= closed.round] if stage == "1" else former
        if stage_lists:
            order = [*former, *(name for name in numbers if name not in former)]
            return wanted, [order], len({earlier.round for earlier in stage_lists}) > 1 or seeds in ("rating", "entry")
        ranked = sorted(numbers, key=lambda name: -int(strengths[name]))
        either = [ranked] if seeds == "rating" else [numbers] if seeds else [numbers, ranked]
        return wanted, either if stage == "1" else [], True

    def check_pairs(self, place: LogPlace, pairs: list[Leaf], closed: DrawList | None, draw: tuple[str, str]) -> None:
        """Check that each board has one pair at its own tables.

        Each entrant sits at one board. Forbidden pairs are reported.
        """
        self.check_seats(place, pairs)
        self.check_kept_tables(place, pairs, closed)
        players = [name for pair in pairs for name in (pair["first"], pair["second"]) if name != "-"]
        again = AGAIN[int(draw[1]) - 1 : int(draw[1])] if draw[1] != "1" else ""
        for pair in pairs:
            name = f"{self.game[len(TOURNAMENT) :]}-{draw[0]}{again}-{pair['board']:0>2}"
            own = pair["table"] == "-" or all(
                table_name.startswith(name) and re.fullmatch("[a-z]?", table_name[len(name) :])
                for table_name in pair["table"].split(" ")
            )
            self.say(own, place, "board {} is played at a table of another: {}", pair["board"], pair["table"])
        if closed is None:
            return
        known = {leaf["entrant"] for leaf in self.known if leaf.kind in ("enter", "team")}
        first = self.first_pairs(pairs)
        lined_up = [name for some in closed.lineups.values() for name in some] if closed.boards else closed.present
        for pair in pairs:
            allowed = lined_up if pair in first and pair["second"] != "-" else known
            for name in (pair["first"], pair["second"]):
                self.say(name == "-" or name in allowed, place, "{} is paired, and is away or not listed", name)
        busy = teams_in(first, closed) if closed.boards else {*players}
        missing = [name for name in closed.present if name not in busy]
        last = pairs[-1].seq
        complete = (self.game, last + 1) in self.course.leaves and self.course.gapless(self.game, pairs[0].seq, last)
        # Entrants knocked out have no pair in later rounds.
        first_list = all(
            draw_list.block["stage"] != closed.block["stage"] or draw_list.round >= closed.round
            for draw_list in self.course.draws.values()
            if draw_list.block["game"] == self.game
        )
        rerun = (self.game, "~".join(draw)) in self.course.rerun
        if closed.boards:
            check_matches(self.say, place, first, closed, whole=complete)
        for name in missing:
            truth = False if complete and first_list else None
            self.say(rerun or truth, place, "{} is in the list, and in no pair", name)
        check_bracket(self, place, closed, first)
        self.forbidden(place, first, closed, draw)

    def first_pairs(self, pairs: list[Leaf]) -> list[Leaf]:
        """Return the pairs as drawn: the first leaf of each board."""
        first: dict[str, Leaf] = {}
        for pair in pairs:
            first.setdefault(pair["board"], pair)
        return [*first.values()]

    def check_seats(self, place: LogPlace, pairs: list[Leaf]) -> None:
        """Check that a board has one pair and nobody sits at two.

        A replaced player has left, or the new one is of the same team.
        """
        seats: dict[str, set[str]] = {}
        since, team_of = pairs[0].seq, team_of_members(self.known)
        for pair in pairs:
            board, players = pair["board"], {pair["first"], pair["second"]} - {"-"}
            before = seats.get(board, players)
            gone, arrived = sorted(before - players), sorted(players - before)
            good = len(gone) < 2 and len(arrived) < 2
            if good and gone and arrived and team_of:
                same = team_of.get(gone[0]) == team_of.get(arrived[0])
                self.say(same, place, "{} takes the place of {}, who is of another team", arrived[0], gone[0])
            if self.say(good, place, "board {} was paired twice", board) and gone:
                has_left = any(
                    leaf.kind == "leave" and leaf["why"] in GONE and leaf["entrant"] == gone[0] and leaf.seq > since
                    for leaf in self.known
                )
                why = "{} is no longer at board {}, and no letter says that he left"
                self.say(has_left or None, place, why, gone[0], board)
            busy = any(players & names for other_board, names in seats.items() if other_board != board)
            self.say(not busy, place, "somebody was paired twice")
            seats[board] = players

    def check_kept_tables(self, place: LogPlace, pairs: list[Leaf], closed: DrawList | None) -> None:
        """Check that boards paired anew keep their tables.

        They also keep their sides, unless these are bid for.
        """
        known: dict[str, Leaf] = {}
        for pair in pairs:
            first = known.setdefault(pair["board"], pair)
            same = pair["table"] in ("-", first["table"])
            self.say(same, place, "board {} is played at another table than it was paired for", pair["board"])
            same_sides = pair["second"] == "-" or (
                pair["first"] != first["second"] and pair["second"] != first["first"]
            )
            if not same_sides:
                stage = self.stage(closed) if closed is not None else None
                truth = None if stage is None else stage.get("sides") == "bid"
                self.say(
                    truth, place, "the two at board {} exchanged sides, and nothing was bid for them", pair["board"]
                )
            if pair["second"] != "-":
                known[pair["board"]] = pair

    def forbidden(self, place: LogPlace, pairs: list[Leaf], closed: DrawList, draw: tuple[str, str]) -> None:
        """Report pairs barred or of one team; only full mode knows if they were forced."""
        team = {words[0]: words[5] for words in closed.entrants}
        rerun = (self.game, "~".join(draw)) in self.course.rerun
        pairs_drawn = [(pair["first"], pair["second"]) for pair in pairs]
        for players in pairs_of_teams(pairs, closed) if closed.boards else pairs_drawn:
            # A bye, which has no number, comes before everybody.
            low, high = sorted(players, key=lambda name: number_of(name) if name != "-" else 0)
            comrades = team.get(low, "-") != "-" and team.get(low) == team.get(high)
            if (low, high) in closed.barred or comrades:
                why = "{} and {} are not to meet: that nothing else was possible, full mode says"
                self.say(rerun or None, place, why, low, high)
        self.say(rerun or None, place, "that this is the cheapest of all pairings is not checked here: full mode does")

    def scores(self) -> None:
        """Check that each score names a paired board and its table's last leaf.

        A second score names another leaf, unless a verdict changed it.
        """
        place, unseen, latest = LogPlace(self.game), 0, dict[tuple[str, str, str], Leaf]()
        unchecked = 0
        for leaf in (leaf for leaf in self.known if leaf.kind == "score"):
            key = (leaf["round"], leaf["board"], leaf["table"])
            truth = True if leaf["table"] in self.tables(leaf) else self.false_if_gapless(leaf.seq)
            self.say(
                truth, place, "leaf {} scores board {} of {}, where that table was not paired", leaf.seq, key[1], key[0]
            )
            self.say(self.counts(leaf), place, "leaf {} scores a table by more or less than there is to win", leaf.seq)
            before = latest.get(key)
            if before is not None:
                corrected = f"CORRECT {re.escape(leaf['table'])} [a-z][a-z0-9]*"
                line = f"{DISPUTE}|{UNDO}|{corrected}|REDRAW R ?0*{leaf['round'][1:]}"
                has_reason = before["leaf"] != leaf["leaf"] or self.has_verdict(line, before.seq, leaf.seq)
                self.say(has_reason, place, "leaf {} scores a table again, and nothing new came of it", leaf.seq)
            latest[key] = leaf
            unseen += self.names_last_leaf(place, leaf) is None
            if key[2] != "-":
                self.silent(place, leaf)
                unchecked += (self.game, f"score {leaf.seq}") not in self.course.rerun
        if unseen:
            why = "scores name the last leaves of tables whose letters are not here: {}"
            self.say(None, place, why, unseen)
        if unchecked:
            why = "that scores are what their games came to is not checked here, full mode does: {}"
            self.say(None, place, why, unchecked)

    def silent(self, place: LogPlace, score: Leaf) -> None:
        """E6.1 Check that the two players of a 0:0 by absence are out.

        For a player who sent orders the log does not say why.
        """
        if self.version < 2 or score["how"] != "forfeit" or score["halves"] != "0 0":
            return
        before = [leaf for leaf in self.known if leaf.seq < score.seq]
        gone = {leaf["entrant"] for leaf in before if leaf.kind == "leave" and leaf["why"] in GONE}
        board_key = (score["round"], score["board"])
        pairs = [leaf for leaf in before if leaf.kind == "pair" and (leaf["round"], leaf["board"]) == board_key]
        for name in (pairs[-1][key] for key in ("first", "second") if pairs):
            truth = name in gone or self.false_if_gapless(score.seq)
            self.say(
                truth, place, "leaf {} scores 0:0 as if neither player came, and {} did not leave", score.seq, name
            )
        orders = (leaf for leaf in self.course.history(score["table"]) if leaf.kind == "order" and leaf.at < score.at)
        for seat in sorted({leaf["seat"] for leaf in orders if leaf.known and leaf["eml"] != "-"}):
            why = (
                "leaf {} scores 0:0 as if neither player came, and {} sent orders: whether he gave up is not in the log"
            )
            self.say(None, place, why, score.seq, seat)

    def counts(self, score: Leaf) -> bool:
        """Return whether a score is a win, a draw or nothing, or the value of its kind.

        Its kind is that of a round without an opponent.
        """
        first, second = map(int, score["halves"].split(" "))
        if score["table"] != "-":
            return first + second in (0, 2)
        return second == 0 and first < 10 and str(first) in PASSED.get(score["how"], "")

    def tables(self, score: Leaf) -> set[str]:
        """Return a board's tables in the last draw of its round; ``-`` for a bye."""
        round_pairs = [leaf for leaf in self.known if leaf.kind == "pair" and leaf["round"] == score["round"]]
        before = [leaf for leaf in round_pairs if leaf.seq < score.seq]
        newest = max((leaf.num("attempt") for leaf in before), default=0)
        board_pairs = [leaf for leaf in before if leaf.num("attempt") == newest and leaf["board"] == score["board"]]
        return {table_name for leaf in board_pairs for table_name in leaf["table"].split(" ")} | {
            "-" for leaf in board_pairs if leaf["second"] == "-"
        }

    def names_last_leaf(self, place: LogPlace, score: Leaf) -> bool | None:
        """Return whether a score names the last leaf of its table at that time.

        None if no letter shows it.
        """
        table = score["table"]
        if score["leaf"] == "-":
            return True
        named = next((leaf for leaf in self.course.history(table) if leaf.hash == score["leaf"]), None)
        if named is None:
            elsewhere = score["leaf"] in self.course.places
            return (
                self.say(False, place, "leaf {} scores {} by a leaf of another game", score.seq, table)
                if elsewhere
                else None
            )
        after = self.course.leaves.get((table, named.seq + 1))
        good = named.at < score.at and (after is None or after.at > score.at)
        return self.say(good, place, "leaf {} scores {} by a leaf that was not its last", score.seq, table)
