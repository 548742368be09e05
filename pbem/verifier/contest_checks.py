"""Tournaments: lists shut before lots are drawn, lots before pairs, and scores of boards that were paired."""

from __future__ import annotations

import re
from typing import Any

from .bundles import Leaf
from .contest_lists import DrawList, number_of
from .fields import sha
from .later_checks import GONE, alpha_of_list, check_later, proven
from .list_checks import Stated, check_stated, rule, rules_in
from .log_checks import Keys
from .record import Board, Course, Place
from .team_checks import (
    check_lineups,
    check_matches,
    pairs_of_teams,
    strength_of_team,
    team_of_members,
    teams_in,
)

TOURNAMENT = "event/"
NEWEST = 2
"""The newest version of a tournament's leaves that is known here."""
TEXT_OF = {"found": "rules", "standing": "table", "rated": "ratings", "verdict": "text"}
"""Of which line of a leaf the text is that a letter opens."""


AGAIN = "abcdefghijklmnopqrstuvwxyz"
"""What follows a round in the names of its tables, by the attempt; nothing at the first."""

PASSED = {"bye": "24", "half-bye": "12", "forfeit": "2", "rest": "0", "absent": "0", "late": "0"}
"""How a round counts for one who meets nobody, with the halves that it may be worth."""


DISPUTE = "(?:RULING )?D ?0*[1-9][0-9]{0,3} (?:UPHOLD|DENY|DRAW|ESTIMAR|DESESTIMAR|TABLAS)"
"""The line of a verdict by which a game that is over counts otherwise; what passes a round is scored in each draw."""


def check_contests(course: Course, board: Board, keys: Keys) -> None:
    """Check every tournament of which letters show leaves, and that no list is there that was never shut."""
    for game in sorted(game for game in course.histories if game.startswith(TOURNAMENT)):
        Contest(course, board, keys, game).check()
    shut = {leaf["slate"] for leaf in course.leaves.values() if leaf.kind in ("shut", "bind") and leaf.known}
    for digest, draw in sorted(course.draws.items()):
        board.say("draws", digest in shut, Place(draw.block["game"]), "a list of a draw that was never shut")
    for digest, bound in sorted(course.boards.items()):
        board.say("draws", digest in shut, Place(bound.block["game"]), "a board that was never bound")
    for letter, one in course.parts("opens"):
        check_text(
            course, board, Place(letter.where), (one["game"], one.num("seq"), sha("".join(one.all("text")).encode()))
        )


def check_text(course: Course, board: Board, place: Place, opened: tuple[str, int, str]) -> None:
    """A text of a tournament is the one of which a leaf says the digest."""
    game, seq, digest = opened
    leaf = course.leaves.get((game, seq))
    key = TEXT_OF.get(leaf.kind, "") if leaf is not None else ""
    truth = None if leaf is None or not leaf.known else leaf.get(key) == f"sha256:{digest}"
    board.say("opened", truth, place, "a text is opened that leaf {} of {} does not name", seq, game)


def dealt_beta(course: Course, keys: Keys, name: str, rolled: tuple[str, bytes]) -> bytes | None:
    """The secret that a board was dealt, if it is that by which a table says that it rolled: signature and proof."""
    binds, deals = course.bindings(name, "bind"), course.bindings(name, "deal")
    if not binds or not deals or (deals[0]["sig"], deals[0].groups[0][1]) != rolled:
        return None
    key = keys.vrf_at(binds[0].at)
    alpha = alpha_of_list("dup", binds[0]["slate"], rolled[0])
    return keys.means.output(key, alpha, rolled[1]) if key is not None else None


class Contest:
    """The checks of one tournament."""

    def __init__(self, course: Course, board: Board, keys: Keys, game: str) -> None:
        self.course, self.board, self.keys, self.game = course, board, keys, game
        self.known = [leaf for leaf in course.history(game) if leaf.known]
        found = course.leaves.get((game, 0))
        self.found = found if found is not None and found.kind == "found" and found.known else None
        self.version = int(self.found.get("version") or 1) if self.found is not None else 0
        self.texts = {
            sha(text.encode()): text for _, one in course.parts("opens") if (text := "".join(one.all("text")))
        }
        told = self.found["rules"].removeprefix("sha256:") if self.found is not None else ""
        self.rules = rules_in(self.texts.get(told))

    def say(self, truth: bool | None, place: Place, why: str, *said: object) -> bool | None:
        return self.board.say("draws", truth, place, why, *said)

    def unless_told(self, last: int) -> bool | None:
        """What it means that something is not there before a leaf: FALSE if all leaves before it are."""
        return False if self.course.gapless(self.game, 0, last) else None

    def of(self, kind: str, draw: tuple[str, str]) -> list[Leaf]:
        return [leaf for leaf in self.known if leaf.kind == kind and (leaf["round"], leaf["attempt"]) == draw]

    def check(self) -> None:
        place = Place(self.game)
        if self.version > NEWEST:
            why = "its leaves are of version {}, which is newer than this program: check it by a newer one"
            self.say(None, place, why, self.version)
            return
        for leaf in self.course.history(self.game):
            first = (leaf.kind == "found") == (leaf.seq == 0)
            self.say(first, place, "a tournament is founded by its first leaf, once: leaf {}", leaf.seq)
            if leaf.kind == "found" and leaf.known:
                own = self.game == TOURNAMENT + leaf["name"]
                self.say(own, place, "it is founded under the name of {}", leaf["name"])
        kinds = ("shut", "lot", "pair")
        draws = {(leaf["round"], leaf["attempt"]) for leaf in self.known if leaf.kind in kinds}
        for draw in sorted(draws, key=lambda draw: (number_of(draw[0]), int(draw[1]))):
            self.draw(draw)
        check_later(self)
        self.scores()
        self.counted(place)

    def counted(self, place: Place) -> None:
        """Verdicts are counted, with the numbers of their texts; a table is of a round that was drawn before."""
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
                truth = leaf["round"] in drawn or self.unless_told(leaf.seq)
                self.say(
                    truth, place, "leaf {} has the table of {}, which was not drawn before", leaf.seq, leaf["round"]
                )

    def draw(self, draw: tuple[str, str]) -> None:
        """One draw of a round: in its order, once, on its list."""
        name = "~".join(draw)
        place = Place(f"{self.game} {name}", self.game, name)
        shuts, lots, pairs = (self.of(kind, draw) for kind in ("shut", "lot", "pair"))
        self.say(len(shuts) < 2, place, "its list was shut {} times", len(shuts))
        self.say(len(lots) < 2, place, "its lots were drawn {} times", len(lots))
        for before, after, why in (
            (shuts, lots, "lots were drawn before the list was shut"),
            (lots, pairs, "it was paired before lots were drawn"),
        ):
            if after:
                early = not before or before[0].seq > after[0].seq
                truth = True if not early else False if before else self.unless_told(after[0].seq)
                self.say(truth, place, why)
        if shuts and draw[1] != "1":
            self.again(place, draw, shuts[0])
        closed = self.course.draws.get(shuts[0]["slate"]) if shuts else None
        if shuts and closed is None:
            self.say(None, place, "the list that was shut is in no letter")
        if closed is not None:
            self.listed(place, draw, shuts[0], closed)
        if shuts and lots:
            proven(self.keys, self.board, place, (shuts[0], "draw", lots[0]))
        if pairs:
            self.paired(place, pairs, closed, draw)
        if closed is not None and self.has_one_luck(closed):
            for table in sorted({one for pair in pairs for one in pair["table"].split(" ")}):
                self.shared(table)

    def has_one_luck(self, closed: DrawList) -> bool:
        """Whether the rules that the tournament was founded with let tables of a list's stage roll alike."""
        stage = self.stage(closed) or {}
        return stage.get("sides") == "duplicate" or (stage.get("sides") == "mirror" and stage.get("luck") == "one")

    def stage(self, closed: DrawList) -> dict[str, Any] | None:
        """What the rules that the tournament was founded with say of a list's stage; None if that is not known."""
        stages = self.rules.get("stage") if isinstance(self.rules, dict) else None
        number = int(closed.block["stage"])
        if self.found is None or self.found["rules"] != closed.block["rules"] or not isinstance(stages, list):
            return None
        stage = stages[number - 1] if number <= len(stages) else None
        return stage if isinstance(stage, dict) else None

    def shared(self, table: str) -> None:
        """A table of such a stage has no dice of its own, until its board goes on without it or it plays again."""
        mine = (one for (game, _), one in self.course.phases.items() if game == table)
        phases = sorted(mine, key=lambda phase: phase.leaves[0].seq)
        history = self.course.history(self.game)
        for phase in phases:
            if phase.attempt != 1:
                return  # from then on its dice are its own
            for close in phase.of("close", 1):
                slate = self.course.slate(close)
                if slate is None:
                    continue
                bound = [one["board"].rsplit("/", 2) for one in self.course.bound if one.at < close.at]
                gone = any(name[1:2] == [phase.name] and len(name) == 3 and table.startswith(name[0]) for name in bound)
                whole = history[-1].at > close.at and self.course.gapless(self.game, 0, history[-1].seq)
                truth = slate.board != "" or gone or (False if whole else None)
                why = "the tables of its stage have one luck, and this list has dice of its own"
                self.board.say("close", truth, phase.place, why)

    def again(self, place: Place, draw: tuple[str, str], shut: Leaf) -> None:
        """A round is drawn again by a verdict alone, that stands between the two."""
        before = self.of("shut", (draw[0], str(int(draw[1]) - 1)))
        ruled = (
            self.ruled(f"REDRAW R ?0*{draw[0][1:]}", before[0].seq, shut.seq) if before else self.unless_told(shut.seq)
        )
        self.say(ruled, place, "it was drawn again, and no verdict says so before")

    def ruled(self, line: str, since: int, until: int) -> bool | None:
        """Whether a verdict between two leaves has a line; None if that may be one whose text is in no letter."""
        verdicts = [leaf for leaf in self.known if leaf.kind == "verdict" and since < leaf.seq < until]
        texts = [self.texts.get(leaf["text"].removeprefix("sha256:")) for leaf in verdicts]
        if any(text is not None and re.match(rf"[1-9][0-9]{{0,8}}[.] (?:{line}) BECAUSE ", text) for text in texts):
            return True
        return None if None in texts else self.unless_told(until)

    def listed(self, place: Place, draw: tuple[str, str], shut: Leaf, closed: DrawList) -> None:
        """The list is that of this draw, and has everybody who is to be in it."""
        said = closed.block
        same = (said["game"], said["round"], said["attempt"]) == (self.game, *draw)
        self.say(same, place, "the list that was shut is of another draw")
        beacon = "none" if shut["chain"] == "none" else f"{shut['chain']} {shut['beacon']}"
        self.board.say("round", said["beacon"] == beacon, place, "the list has another round than was said")
        if self.keys.chains is not None:
            own = shut["chain"] in self.keys.chains | {"none"}
            self.board.say("round", own, place, "it has another beacon than the server")
        if self.found is not None:
            ruled = any(leaf.kind == "verdict" and leaf.seq < shut.seq for leaf in self.known)
            other = None if ruled and self.version == 1 else self.unless_told(shut.seq)
            truth = said["rules"] == self.found["rules"] or other
            self.say(truth, place, "its rules are not those that it was founded with")
        if not self.course.gapless(self.game, 0, shut.seq):
            self.say(None, place, "leaves of the tournament are in no letter: who is to be listed is not known")
            return
        self.members(place, shut, closed)

    def members(self, place: Place, shut: Leaf, closed: DrawList) -> None:
        """Nobody is listed who did not enter, nobody left out who did, and nobody away who plays."""
        before = [leaf for leaf in self.known if leaf.seq < shut.seq]
        gone, resting = self.absent(before, closed.round)
        kind = "team" if closed.boards else "enter"
        entered = {leaf["entrant"]: leaf for leaf in before if leaf.kind == kind}
        strong = {
            name: strength_of_team(name, before, gone) if closed.boards else leaf["strength"]
            for name, leaf in entered.items()
        }
        if closed.boards:
            check_lineups(self.say, place, before, closed, gone | resting)
        for words in closed.entrants:
            name = words[0]
            if self.say(name in entered, place, "{} is listed, and never entered", name):
                same = words[1] == strong[name]
                self.say(same, place, "{} is listed with another strength than he entered with", name)
            away = name in gone or name in resting or (closed.boards > 0 and not closed.lineups[name])
            why = "{} is away in the list, and rests, otherwise than the log says"
            self.say(away == (name in closed.away), place, why, name)
        if self.version == 1:
            why = "it was founded under version 1.0.0: the server could have chosen hours, zones and halves in the list"
            self.say(None, place, why)
        else:
            self.entered_once(place, before)
            told = Stated(before, self.earlier(shut), gone, resting, self.texts, entered, self.rules)
            check_stated(self.say, place, closed, told)
        self.challenged(place, shut, closed)
        wanted, orders, firm = self.expected(closed, shut, (entered, strong))
        for name in wanted:
            left_out = name not in closed.names and name not in gone
            self.say(not left_out, place, "{} is to play, and is not listed", name)
        full = (self.game, f"{closed.block['round']}~{closed.block['attempt']}") in self.course.rerun
        if not orders:
            why = "who goes on into stage {} is not checked here: full mode does"
            self.say(full or None, place, why, closed.block["stage"])
            return
        same = any(closed.names == [name for name in order if name in closed.names] for order in orders)
        self.say(same or full or (False if firm else None), place, "the list is not in the order of seeds")

    def entered_once(self, place: Place, before: list[Leaf]) -> None:
        """Nobody who is in enters again, with other values; and nobody is expelled but by a ruling."""
        there: set[str] = set()
        team_of = team_of_members(before)
        for leaf in (one for one in before if one.kind in ("enter", "leave")):
            name = leaf["entrant"]
            if leaf.kind == "enter":
                self.say(name not in there, place, "{} entered again, and had not left", name)
                there.add(name)
            else:
                (there.discard if leaf["why"] in GONE else there.add)(name)
            if leaf.kind == "leave" and leaf["why"] == "expelled":
                # Who is of his team, or it, may be named: a team goes with the last who is expelled.
                of = {name, team_of.get(name, name), *(one for one, team in team_of.items() if team == name)}
                numbers = "|".join(sorted(one[1:] for one in of))
                ruled = self.ruled(f"EXPEL E?0*(?:{numbers})", -1, leaf.seq)
                self.say(ruled, place, "{} was expelled, and no verdict says so before", name)

    def challenged(self, place: Place, shut: Leaf, closed: DrawList) -> None:
        """Who meets because he was challenged has accepted; one left out is away, barred, or too far by the ladder."""
        told = [
            (leaf["challenger"], leaf["challenged"])
            for leaf in self.known
            if leaf.kind == "challenge" and leaf["round"] == shut["round"] and leaf.seq < shut.seq
        ]
        whole = self.course.told(self.game, ("challenge",), 0, shut.seq)
        for two in closed.challenges:
            truth = two in told or (False if whole else None)
            self.say(truth, place, "{} challenges {} in the list, and no leaf says that this was accepted", *two)
        met = {name for two in closed.challenges for name in two}
        full = (self.game, f"{closed.block['round']}~{closed.block['attempt']}") in self.course.rerun
        for challenger, challenged in told:
            both = {challenger, challenged}
            if not both & met and both <= set(closed.present) and all(set(pair) != both for pair in closed.barred):
                why = "{} challenged {}, which is not in the list: full mode says whether the ladder allowed it"
                self.say(full or None, place, why, challenger, challenged)

    def absent(self, before: list[Leaf], round_: int) -> tuple[set[str], set[str]]:
        """Who had left by a round, or comes later, and who rests in it."""
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
        """The lists that were shut before one, as far as letters show them."""
        shuts = [leaf for leaf in self.known if leaf.kind == "shut" and leaf.seq < shut.seq]
        return [self.course.draws[leaf["slate"]] for leaf in shuts if leaf["slate"] in self.course.draws]

    def expected(
        self, closed: DrawList, shut: Leaf, there: tuple[dict[str, Leaf], dict[str, str]]
    ) -> tuple[list[str], list[list[str]], bool]:
        """Who is to be listed unless he left, and in which orders he may be; whether any other is false.

        No order is known of those who come into a later stage. A lot may decide seeds when the first list is drawn.
        """
        entered, strong = there
        stage, numbers = closed.block["stage"], sorted(entered, key=number_of)
        mine = [one for one in self.earlier(shut) if one.block["stage"] == stage]
        seeds = rule(self.rules, "entry", "seeds") if self.version > 1 else ""
        former = mine[-1].names if mine else []
        wanted = [name for name in numbers if entered[name].num("round") <= closed.round] if stage == "1" else former
        if mine:
            order = [*former, *(name for name in numbers if name not in former)]
            return wanted, [order], len({one.round for one in mine}) > 1 or seeds in ("rating", "entry")
        ranked = sorted(numbers, key=lambda name: -int(strong[name]))
        either = [ranked] if seeds == "rating" else [numbers] if seeds else [numbers, ranked]
        return wanted, either if stage == "1" else [], True

    def paired(self, place: Place, pairs: list[Leaf], closed: DrawList | None, draw: tuple[str, str]) -> None:
        """One pair a board, everybody at one board, at tables of it; forbidden ones are said."""
        self.seated(place, pairs)
        self.kept(place, pairs, closed)
        players = [name for pair in pairs for name in (pair["first"], pair["second"]) if name != "-"]
        again = AGAIN[int(draw[1]) - 1 : int(draw[1])] if draw[1] != "1" else ""
        for pair in pairs:
            name = f"{self.game[len(TOURNAMENT) :]}-{draw[0]}{again}-{pair['board']:0>2}"
            own = pair["table"] == "-" or all(
                one.startswith(name) and re.fullmatch("[a-z]?", one[len(name) :]) for one in pair["table"].split(" ")
            )
            self.say(own, place, "board {} is played at a table of another: {}", pair["board"], pair["table"])
        if closed is None:
            return
        present = closed.present
        known = {leaf["entrant"] for leaf in self.known if leaf.kind in ("enter", "team")}
        first = self.drawn(pairs)
        sitting = [name for some in closed.lineups.values() for name in some] if closed.boards else present
        for pair in pairs:
            may = sitting if pair in first and pair["second"] != "-" else known
            for name in (pair["first"], pair["second"]):
                self.say(name == "-" or name in may, place, "{} is paired, and is away or not listed", name)
        busy = teams_in(first, closed) if closed.boards else {*players}
        missing = [name for name in present if name not in busy]
        last = pairs[-1].seq
        after = (self.game, last + 1) in self.course.leaves and self.course.gapless(self.game, pairs[0].seq, last)
        # Who is out of a bracket has no pair in its later rounds.
        first_list = all(
            one.block["stage"] != closed.block["stage"] or one.round >= closed.round
            for one in self.course.draws.values()
            if one.block["game"] == self.game
        )
        full = (self.game, "~".join(draw)) in self.course.rerun
        if closed.boards:
            check_matches(self.say, place, first, closed, whole=after)
        for name in missing:
            truth = False if after and first_list else None
            self.say(full or truth, place, "{} is in the list, and in no pair", name)
        self.forbidden(place, first, closed, draw)

    def drawn(self, pairs: list[Leaf]) -> list[Leaf]:
        """The pairs as they were drawn: of each board the first leaf."""
        first: dict[str, Leaf] = {}
        for pair in pairs:
            first.setdefault(pair["board"], pair)
        return [*first.values()]

    def seated(self, place: Place, pairs: list[Leaf]) -> None:
        """A board has one pair, and nobody sits at two; one whose place another takes has left, or is his comrade."""
        seats: dict[str, set[str]] = {}
        since, team_of = pairs[0].seq, team_of_members(self.known)
        for pair in pairs:
            board, mine = pair["board"], {pair["first"], pair["second"]} - {"-"}
            before = seats.get(board, mine)
            gone, new = sorted(before - mine), sorted(mine - before)
            good = len(gone) < 2 and len(new) < 2
            if good and gone and new and team_of:
                same = team_of.get(gone[0]) == team_of.get(new[0])
                self.say(same, place, "{} takes the place of {}, who is of another team", new[0], gone[0])
            if self.say(good, place, "board {} was paired twice", board) and gone:
                left = any(
                    leaf.kind == "leave" and leaf["why"] in GONE and leaf["entrant"] == gone[0] and leaf.seq > since
                    for leaf in self.known
                )
                why = "{} is no longer at board {}, and no letter says that he left"
                self.say(left or None, place, why, gone[0], board)
            busy = any(mine & names for other, names in seats.items() if other != board)
            self.say(not busy, place, "somebody was paired twice")
            seats[board] = mine

    def kept(self, place: Place, pairs: list[Leaf], closed: DrawList | None) -> None:
        """A board that is paired anew keeps its tables, and who stays his side, but where sides are bid for."""
        known: dict[str, Leaf] = {}
        for pair in pairs:
            first = known.setdefault(pair["board"], pair)
            same = pair["table"] in ("-", first["table"])
            self.say(same, place, "board {} is played at another table than it was paired for", pair["board"])
            stay = pair["second"] == "-" or (pair["first"] != first["second"] and pair["second"] != first["first"])
            if not stay:
                stage = self.stage(closed) if closed is not None else None
                truth = None if stage is None else stage.get("sides") == "bid"
                self.say(
                    truth, place, "the two at board {} exchanged sides, and nothing was bid for them", pair["board"]
                )
            if pair["second"] != "-":
                known[pair["board"]] = pair

    def forbidden(self, place: Place, pairs: list[Leaf], closed: DrawList, draw: tuple[str, str]) -> None:
        """Who is barred from another, or of his team, meets him only if nothing else was possible."""
        team = {words[0]: words[5] for words in closed.entrants}
        full = (self.game, "~".join(draw)) in self.course.rerun
        both = [(pair["first"], pair["second"]) for pair in pairs]
        for two in pairs_of_teams(pairs, closed) if closed.boards else both:
            low, high = sorted(two, key=lambda name: number_of(name) if name != "-" else 0)
            comrades = team.get(low, "-") != "-" and team.get(low) == team.get(high)
            if (low, high) in closed.barred or comrades:
                why = "{} and {} are not to meet: that nothing else was possible, full mode says"
                self.say(full or None, place, why, low, high)
        why = "that this is the cheapest of all pairings is not checked here: full mode does"
        self.say(full or None, place, why)

    def scores(self) -> None:
        """A score is of a board that was paired, by the last leaf of its table; another one names another."""
        place, unseen, last = Place(self.game), 0, dict[tuple[str, str, str], Leaf]()
        alone = 0
        for leaf in (leaf for leaf in self.known if leaf.kind == "score"):
            key = (leaf["round"], leaf["board"], leaf["table"])
            truth = True if leaf["table"] in self.tables(leaf) else self.unless_told(leaf.seq)
            self.say(
                truth, place, "leaf {} scores board {} of {}, where that table was not paired", leaf.seq, key[1], key[0]
            )
            self.say(self.counts(leaf), place, "leaf {} scores a table by more or less than there is to win", leaf.seq)
            before = last.get(key)
            if before is not None:
                line = f"{DISPUTE}|REDRAW R ?0*{leaf['round'][1:]}"
                anew = before["leaf"] != leaf["leaf"] or self.ruled(line, before.seq, leaf.seq)
                self.say(anew, place, "leaf {} scores a table again, and nothing new came of it", leaf.seq)
            last[key] = leaf
            unseen += self.ended(place, leaf) is None
            if key[2] != "-":
                self.silent(place, leaf)
                alone += (self.game, f"score {leaf.seq}") not in self.course.rerun
        if unseen:
            why = "scores name the last leaves of tables whose letters are not here: {}"
            self.say(None, place, why, unseen)
        if alone:
            why = "that scores are what their games came to is not checked here, full mode does: {}"
            self.say(None, place, why, alone)

    def silent(self, place: Place, score: Leaf) -> None:
        """E6.1 Two who count 0:0 because neither came have left; of one who sent orders the log does not say why."""
        if self.version < 2 or score["how"] != "forfeit" or score["halves"] != "0 0":
            return
        before = [leaf for leaf in self.known if leaf.seq < score.seq]
        gone = {leaf["entrant"] for leaf in before if leaf.kind == "leave" and leaf["why"] in GONE}
        where = (score["round"], score["board"])
        pairs = [leaf for leaf in before if leaf.kind == "pair" and (leaf["round"], leaf["board"]) == where]
        for name in (pairs[-1][key] for key in ("first", "second") if pairs):
            truth = name in gone or self.unless_told(score.seq)
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
        """Whether a table counts a win, a draw, or nothing for both; who meets nobody has what his round is worth."""
        first, second = map(int, score["halves"].split(" "))
        if score["table"] != "-":
            return first + second in (0, 2)
        return second == 0 and first < 10 and str(first) in PASSED.get(score["how"], "")

    def tables(self, score: Leaf) -> set[str]:
        """The tables of a board, in the last draw of its round before; ``-`` where somebody has nobody to play."""
        of = [leaf for leaf in self.known if leaf.kind == "pair" and leaf["round"] == score["round"]]
        before = [leaf for leaf in of if leaf.seq < score.seq]
        newest = max((leaf.num("attempt") for leaf in before), default=0)
        mine = [leaf for leaf in before if leaf.num("attempt") == newest and leaf["board"] == score["board"]]
        return {one for leaf in mine for one in leaf["table"].split(" ")} | {
            "-" for leaf in mine if leaf["second"] == "-"
        }

    def ended(self, place: Place, score: Leaf) -> bool | None:
        """Whether the leaf that a score names is the last one of its table then; None if its letters are not here."""
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
