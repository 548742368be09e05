"""What was closed: one list a segment, on groups and a round that were fixed before; and which attempt it was."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from .bundles import Leaf, Slate
from .fields import read_json, sha
from .labels import LABELS
from .log_checks import Keys
from .record import BEACON_GENESIS, BEACON_PERIOD, QUICKNET, Board, Course, Phase, Place

CHANGES = ("REOPEN", "READJUDICATE", "EDIT", "AWARD")
"""The rulings that may give a phase another attempt; in other languages they are logged by these words too."""

POSITION_CHANGES = ("EDIT", "AWARD")
"""Those that change the position itself."""


class Ruled(NamedTuple):
    """A ruling in the log: its leaf, and the words of its line if a letter opens it."""

    leaf: Leaf
    words: list[str]

    @property
    def word(self) -> str:
        return self.words[0].upper() if self.words else ""

    def names(self, phase: str) -> bool:
        """Whether it names a phase, by its stem or as an attempt."""
        wanted = (phase.lower(), phase.partition("~")[0].lower())
        return len(self.words) > 1 and self.words[1].lower() in wanted


def rulings_of(course: Course, game: str) -> list[Ruled]:
    """The rulings of a game, in order."""
    said = said_in(course, game)
    found = []
    for leaf in (leaf for leaf in course.history(game) if leaf.kind == "ruling" and leaf.known):
        one = said.get(leaf["text"].removeprefix("sha256:"))
        found.append(Ruled(leaf, told_of(one)["line"].split() if one else []))
    return found


def said_in(course: Course, game: str) -> dict[str, str]:
    """What letters open of the rulings of a game, by its hash."""
    texts = ("".join(one.all("text")) for _, one in course.parts("said", game))
    return {sha(text.encode()): text for text in texts}


def told_of(text: str) -> dict[str, str]:
    """What all were told of a ruling, from JSON or as the line itself: `line`, and `whole`, the digest of a sealed one.

    `whole` is empty where the line was told whole.
    """
    try:
        told = read_json(text)
    except ValueError:
        told = None
    found = {key: told.get(key, "") for key in ("line", "whole")} if isinstance(told, dict) else {}
    if not found or not all(isinstance(one, str) for one in found.values()):
        return {"line": text, "whole": ""}
    return found


def check_phases(course: Course, board: Board, keys: Keys) -> None:
    """Check attempts, sequence, closes, groups and rounds of every phase."""
    for game in sorted({game for game, _ in course.phases}):
        check_openings(course, board, game)
        check_left(course, board, game)
    for _, phase in sorted(course.phases.items()):
        check_sequence(course, board, phase)
        check_attempt(course, board, phase)
        check_again(course, board, phase)
        check_beacon_changes(course, board, phase)
        for close in phase.of("close"):
            check_groups(board, phase, close)
            slate = course.slate(close)
            if slate is None:
                board.say("close", None, phase.place, "the list that was closed is in no letter")
                continue
            check_slate(board, phase, close, slate)
            check_round(course, board, (phase, close, slate), keys)
    named = {leaf["slate"] for leaf in course.leaves.values() if leaf.kind == "close" and leaf.known}
    for digest, slate in sorted(course.slates.items()):
        place = Place(f"{slate.block['game']} {slate.block['phase']}", slate.block["game"], slate.block["phase"])
        board.say("close", digest in named, place, "a list that was never closed")


UNCHANGED = ("edition", "seats", "system", "pace", "opened", "delta")
"""What is the same in all openings of a game: whatever could be varied there would vary the dice."""


def check_openings(course: Course, board: Board, game: str) -> None:
    """A game is opened, phase after phase, on one edition, for one set of seats; its beacon may be given up, once."""
    opens = [leaf for leaf in course.history(game) if leaf.kind == "open" and leaf.known]
    for before, after in pairwise(opens):
        place = Place(f"{game} {after['phase']}", game, after["phase"])
        for key in UNCHANGED:
            board.say("close", before[key] == after[key], place, "its {} is not that of the phase before", key)
        if before["chain"] != after["chain"]:
            between = range(before.seq, after.seq)
            given_up = any(leaf.kind == "beacon-change" and leaf.seq in between for leaf in course.history(game))
            good = given_up and after["chain"] == "none"
            board.say("round", good, place, "it has another beacon than its game")
        if after["phase"].endswith("~1") and not (truth := came_out(course, before, after)):
            board.say("attempts", truth, place, "it was opened while {} had no result", before["phase"])
    for leaf in (leaf for leaf in course.history(game) if leaf.kind == "ruling" and leaf.known):
        opened = any(one["phase"] == leaf["phase"] and one.seq < leaf.seq for one in opens)
        truth = opened or (False if course.told(game, ("open",), 0, leaf.seq) else None)
        if opens and not truth:
            why = "leaf {} is a ruling in {}, which was not opened before"
            board.say("attempts", truth, Place(game), why, leaf.seq, leaf["phase"])


def check_left(course: Course, board: Board, game: str) -> None:
    """A game that is left when its round is out, and begun again under another id, would be rolled again."""
    opens = [leaf for leaf in course.history(game) if leaf.kind == "open" and leaf.known]
    for _, phase in sorted(course.phases.items()) if opens else ():
        closed = [leaf for leaf in phase.of("close") if leaf.at < opens[0].at]
        alike = [phase.opened[key] == opens[0][key] for key in ("seats", "system") if phase.opened is not None]
        if phase.game != game and closed and not phase.of("result") and any(alike):
            place = Place(f"{game} {opens[0]['phase']}", game, opens[0]["phase"])
            why = "this game was begun when {} {} was closed, which has not come out since: it may be the same game"
            board.say("attempts", None, place, why, phase.game, phase.name)


def came_out(course: Course, before: Leaf, after: Leaf) -> bool | None:
    """Whether a phase, or by a ruling one before it, came out before the next was opened; None if that is not told.

    A phase that is left when its round is out, and goes on under another name, would be rolled again.
    """
    between = [leaf for leaf in course.history(before.game) if before.seq < leaf.seq < after.seq and leaf.known]
    again = {leaf["phase"] for leaf in between if leaf.kind == "again"}
    if any(leaf.kind == "result" and leaf["phase"] in {before["phase"], *again} for leaf in between):
        return True
    return False if course.told(before.game, ("result", "again"), before.seq, after.seq) else None


def check_sequence(course: Course, board: Board, phase: Phase) -> None:
    """Opened, closed, rolled, answered, closed again, rolled again: nothing early, late, or twice."""
    place, opens = phase.place, phase.of("open")
    board.say("close", len(opens) < 2, place, "it was opened twice")
    first = opens[0].seq if opens else -1
    early = [one for one in phase.leaves if one.seq < first]
    board.say("close", not early, place, "something came before it was opened")
    for segment in phase.segments():
        closes, rolls = phase.of("close", segment), phase.of("roll", segment)
        board.say("close", len(closes) < 2, place, "segment {} was closed {} times", segment, len(closes))
        board.say("close", len(rolls) < 2, place, "segment {} was rolled {} times", segment, len(rolls))
        if rolls and opens:
            known = course.gapless(phase.game, first, rolls[0].seq)
            good = closes[0].seq < rolls[0].seq if closes else False if known else None
            board.say("close", good, place, "segment {} was rolled before it was closed", segment)
        if segment > 1 and closes and opens:
            before = phase.of("roll", segment - 1)
            known = course.gapless(phase.game, first, closes[0].seq)
            good = before[0].seq < closes[0].seq if before else False if known else None
            board.say("close", good, place, "segment {} was closed before the one before it was rolled", segment)
    done = [one.seq for one in phase.leaves if one.kind in ("close", "roll")]
    for result in phase.of("result"):
        good = all(seq < result.seq for seq in done)
        board.say("close", good, place, "something was closed or rolled after the result")
    if not opens:
        board.say("close", None, place, "the leaf that opened it is in no letter, or is withheld")


def check_attempt(course: Course, board: Board, phase: Phase) -> None:
    """An attempt is the first, or follows the one before by a ruling, from where the first began."""
    place, opened, number = phase.place, phase.opened, phase.attempt
    board.say("attempts", number > 0, place, "the phase does not say which attempt it is")
    if number < 2 or opened is None:
        return
    before = course.phases.get((phase.game, f"{phase.stem}~{number - 1}"))
    known = course.told(phase.game, ("open",), 0, opened.seq)
    if before is None or before.opened is None:
        board.say("attempts", None if not known else False, place, "the attempt before it is not to be seen")
        return
    since = before.opened.seq
    board.say("attempts", since < opened.seq, place, "it was opened before the attempt before it")
    rulings = rulings_of(course, phase.game)
    check_ruling(course, board, phase, [one for one in rulings if since < one.leaf.seq < opened.seq])
    first = course.phases.get((phase.game, f"{phase.stem}~1"))
    if first is None or first.opened is None:
        board.say("attempts", None, place, "the first attempt is in no letter: whether this began as it did")
        return
    start = first.opened
    if opened["state"] == start["state"]:
        board.say("attempts", True, place, "")
        return
    between = [one for one in rulings if start.seq < one.leaf.seq < opened.seq]
    excused = any(
        one.word in POSITION_CHANGES or (one.word in CHANGES and earlier(course, phase, one, start.seq))
        for one in between
    )
    all_told = course.told(phase.game, ("ruling",), start.seq, opened.seq) and all(one.words for one in between)
    truth = None if excused or not all_told else False
    why = "it did not begin in the position in which the first attempt began: whether rulings made that, full mode says"
    if truth is False:
        why = "it did not begin in the position in which the first attempt began, and no ruling changed that"
    board.say("attempts", truth, place, why)


def earlier(course: Course, phase: Phase, ruled: Ruled, start: int) -> bool:
    """Whether a ruling has a phase before this one played or resolved again, from which this one then follows."""
    return any(
        other.stem != phase.stem and ruled.names(other.name) and other.opened is not None and other.opened.seq < start
        for (game, _), other in course.phases.items()
        if game == phase.game
    )


def check_ruling(course: Course, board: Board, phase: Phase, between: list[Ruled]) -> None:
    """The ruling that an attempt names stands between the two openings, and is one that makes attempts."""
    place, opened = phase.place, phase.opened
    if opened is None:
        return
    if not board.say("attempts", opened["ruling"] != "-", place, "no ruling is named by which it was opened again"):
        return
    one = next((one for one in between if one.leaf["number"] == opened["ruling"]), None)
    if one is None:
        hidden = not course.told(phase.game, ("ruling",), 0, opened.seq)
        why = "ruling {}, by which it was opened again, does not stand before it"
        board.say("attempts", None if hidden else False, place, why, opened["ruling"])
        return
    if not one.words:
        board.say("attempts", None, place, "ruling {}, by which it was opened again, is in no letter", opened["ruling"])
        return
    begun = {
        name.lower()
        for (game, name), other in course.phases.items()
        if game == phase.game and other.opened and other.opened.seq < opened.seq
    }
    stems = {name.partition("~")[0] for name in begun}
    named = one.word in POSITION_CHANGES or (len(one.words) > 1 and one.words[1].lower() in begun | stems)
    good = one.word in CHANGES and named
    board.say("attempts", good, place, "ruling {} opens no phase again: {}", opened["ruling"], " ".join(one.words)[:80])


def check_again(course: Course, board: Board, phase: Phase) -> None:
    """A phase comes out a second time only where a ruling has it resolved once more, and the log says so before."""
    place, results, agains = phase.place, phase.of("result"), phase.of("again")
    for number, result in enumerate(results):
        said = sum(again.seq < result.seq for again in agains)
        why = "it came out {} times, resolved once more {} times"
        board.say("attempts", said == number, place, why, number + 1, said)
    rulings = rulings_of(course, phase.game)
    for again in agains:
        run = 1 + sum(result.seq < again.seq for result in results)
        board.say("attempts", again.num("run") == run, place, "this is run {}, not {}", run, again["run"])
        one = next((one for one in rulings if one.leaf["number"] == again["ruling"]), None)
        if one is None and course.told(phase.game, ("ruling",), 0, again.seq):
            why = "ruling {}, by which it is resolved once more, does not stand before it"
            board.say("attempts", False, place, why, again["ruling"])
            continue
        why = "ruling {}, by which it is resolved once more, is in no letter"
        if one is None or not one.words:
            board.say("attempts", None, place, why, again["ruling"])
            continue
        good = one.word == "READJUDICATE" and one.names(phase.name) and one.leaf.seq < again.seq
        board.say("attempts", good, place, "ruling {} does not have this phase resolved once more", again["ruling"])


def check_beacon_changes(course: Course, board: Board, phase: Phase) -> None:
    """Check that a closed list waits for another round, or for none, by a ruling that stands before that."""
    for changed in phase.of("beacon-change"):
        before = [one for one in rulings_of(course, phase.game) if one.leaf.seq < changed.seq]
        one = next((one for one in before if one.leaf["number"] == changed["ruling"]), None)
        truth, why = None, "ruling {}, by which it waits for another round, is in no letter"
        if one is None and course.told(phase.game, ("ruling",), 0, changed.seq):
            truth, why = False, "ruling {}, by which it waits for another round, does not stand before it"
        elif one is not None and one.words:
            truth, why = one.word == "BEACON", "ruling {} does not have it wait for another round"
        board.say("attempts", truth, phase.place, why, changed["ruling"])


def check_groups(board: Board, phase: Phase, close: Leaf) -> None:
    """What is rolled is what was declared before the round was out: no group more, and none less."""
    for roll in phase.of("roll", close.num("segment")):
        same = roll["groups"] == close["groups"]
        board.say(
            "groups", same, phase.place, "segment {} rolled other groups than it was closed with", close["segment"]
        )


def check_slate(board: Board, phase: Phase, close: Leaf, slate: Slate) -> None:
    """The list is of its phase, follows the one before, and says what the phase was opened with."""
    place, said = phase.place, slate.block
    where = (close.game, phase.name, close["segment"])
    same = (said["game"], said["phase"], said["segment"]) == where
    board.say("close", same, place, "the closed list is of another phase")
    why = "segment {} was closed with other groups than its list has"
    board.say("groups", said["groups"] == close["groups"], place, why, close["segment"])
    if said["groups"] != "all":
        known = phase.opened is not None and phase.opened["system"] in LABELS
        why = "whether this game has the groups {} is not known here: names that are free vary the dice"
        board.say("groups", False if known else None, place, why, said["groups"])
    before = phase.of("close", close.num("segment") - 1)[:1] if said["segment"] != "1" else []
    if said["segment"] != "1" and not (before and before[0].known):
        board.say("close", None, place, "the list of the segment before is in no letter")
    elif before:
        follows = said["previous"] == before[0]["slate"]
        board.say("close", follows, place, "the list does not follow that of the segment before")
    if phase.opened is not None:
        opened = phase.opened
        same = all(said[key] == opened[key] for key in ("edition", "state"))
        board.say("close", same, place, "the list has another edition or position than the phase was opened with")
        same = " ".join(sorted(slate.seats)) == opened["seats"]
        board.say("close", same, place, "the list has other seats than the phase was opened with")


def round_of(due: int, delta: int) -> int:
    """The first round that comes out at or after the closing time and the delay."""
    return max(1, 1 + -(-(due + delta - BEACON_GENESIS) // BEACON_PERIOD))


def check_round(course: Course, board: Board, closed: tuple[Phase, Leaf, Slate], keys: Keys) -> None:
    """The beacon's round is the first at or after the closing time and the delay, as it was said before."""
    phase, close, slate = closed
    place, opened = phase.place, phase.opened
    if opened is None:
        board.say("round", None, place, "the leaf that opened it is in no letter, or is withheld")
        return
    chain = opened["chain"]
    if keys.chains is not None:
        board.say("round", chain in keys.chains | {"none"}, place, "it has another beacon than the server")
    board.say("round", slate.chain == chain, place, "the list has another beacon than the phase")
    due = phase.due(close)
    if not course.told(phase.game, ("deadline",), opened.seq, close.seq):
        board.say("round", None, place, "leaves between opening and closing are in no letter, or withheld")
        return
    said = due[-1] if due else None
    if chain == "none":
        none = {slate.round, opened.num("round"), said.num("round") if said else 0} == {0}
        board.say("round", none, place, "there is a round, but no beacon")
        return
    if chain != QUICKNET:
        board.say("round", None, place, "its beacon {} is not a public one", chain)
        return
    if said is None:
        board.say("round", False, place, "no round was fixed for segment {}", close["segment"])
        return
    board.say("round", slate.round == said.num("round"), place, "the list has another round than was said")
    for leaf in {leaf.seq: leaf for leaf in (opened, *due)}.values():
        right = leaf.num("round") == round_of(leaf.num("D"), opened.num("delta"))
        board.say("round", right, place, "leaf {} has a wrong round", leaf.seq)
