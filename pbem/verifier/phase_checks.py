"""Check closing: one list a segment, with groups and beacon round fixed before.

Also check the attempts at a phase.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from .bundles import ClosedList, Leaf
from .fields import read_json, sha256_hex
from .labels import LABELS
from .log_checks import LogKeys
from .record import BEACON_GENESIS, BEACON_PERIOD, QUICKNET, Findings, LogPlace, LogView, Phase

CHANGES = ("REOPEN", "READJUDICATE", "EDIT", "AWARD")
"""The rulings that may give a phase another attempt; the log has these words whatever the author's language."""

POSITION_CHANGES = ("EDIT", "AWARD")
"""The rulings that change the position itself."""


class LoggedRuling(NamedTuple):
    """A ruling in the log: its leaf, and the words of its line if a letter opens it."""

    leaf: Leaf
    words: list[str]

    @property
    def word(self) -> str:
        return self.words[0].upper() if self.words else ""

    def names(self, phase: str) -> bool:
        """Return whether it names a phase, with or without the attempt."""
        wanted = (phase.lower(), phase.partition("~")[0].lower())
        return len(self.words) > 1 and self.words[1].lower() in wanted


def rulings_of(view: LogView, game: str) -> list[LoggedRuling]:
    """Return the rulings of a game, in order."""
    texts = opened_rulings(view, game)
    rulings = []
    for leaf in (leaf for leaf in view.history(game) if leaf.kind == "ruling" and leaf.known):
        text = texts.get(leaf["text"].removeprefix("sha256:"))
        rulings.append(LoggedRuling(leaf, public_ruling(text)["line"].split() if text else []))
    return rulings


def opened_rulings(view: LogView, game: str) -> dict[str, str]:
    """Return the texts of a game's rulings that letters open, by hash."""
    texts = ("".join(part.all("text")) for _, part in view.parts("said", game))
    return {sha256_hex(text.encode()): text for text in texts}


def public_ruling(text: str) -> dict[str, str]:
    """Return the public part of a ruling, from JSON or from the line itself.

    It has `line` and `whole`, the digest of a sealed line; `whole` is empty where the line was public.
    """
    try:
        parsed = read_json(text)
    # No JSON: the line itself.
    except ValueError:
        parsed = None
    public = {key: parsed.get(key, "") for key in ("line", "whole")} if isinstance(parsed, dict) else {}
    if not public or not all(isinstance(value, str) for value in public.values()):
        return {"line": text, "whole": ""}
    return public


def check_phases(view: LogView, findings: Findings, keys: LogKeys) -> None:
    """Check attempts, sequence, closes, groups and rounds of every phase."""
    for game in sorted({game for game, _ in view.phases}):
        check_openings_of_game(view, findings, game)
        report_abandoned_game(view, findings, game)
    for _, phase in sorted(view.phases.items()):
        check_order_of_leaves(view, findings, phase)
        check_attempt(view, findings, phase)
        check_second_result(view, findings, phase)
        check_beacon_changes(view, findings, phase)
        for close in phase.of("close"):
            check_rolled_groups(findings, phase, close)
            slate = view.closed_list(close)
            if slate is None:
                findings.say("close", None, phase.place, "the list that was closed is in no letter")
                continue
            check_closed_list(findings, phase, close, slate)
            check_beacon_round(view, findings, (phase, close, slate), keys)
    named = {leaf["slate"] for leaf in view.leaves.values() if leaf.kind == "close" and leaf.known}
    for digest, slate in sorted(view.slates.items()):
        place = LogPlace(f"{slate.block['game']} {slate.block['phase']}", slate.block["game"], slate.block["phase"])
        findings.say("close", digest in named, place, "a list that was never closed")


UNCHANGED = ("edition", "seats", "system", "pace", "opened", "delta")
"""The values that all openings of a game share, because varying one would vary the dice."""


def check_openings_of_game(view: LogView, findings: Findings, game: str) -> None:
    """Check that a game's phases are opened in order, alike.

    All have one edition and one set of seats; a beacon may be given up once.
    """
    opens = [leaf for leaf in view.history(game) if leaf.kind == "open" and leaf.known]
    for before, after in pairwise(opens):
        place = LogPlace(f"{game} {after['phase']}", game, after["phase"])
        for key in UNCHANGED:
            findings.say("close", before[key] == after[key], place, "its {} is not that of the phase before", key)
        if before["chain"] != after["chain"]:
            between = range(before.seq, after.seq)
            given_up = any(leaf.kind == "beacon-change" and leaf.seq in between for leaf in view.history(game))
            good = given_up and after["chain"] == "none"
            findings.say("round", good, place, "it has another beacon than its game")
        if after["phase"].endswith("~1") and not (truth := has_result_between(view, before, after)):
            findings.say("attempts", truth, place, "it was opened while {} had no result", before["phase"])
    for leaf in (leaf for leaf in view.history(game) if leaf.kind == "ruling" and leaf.known):
        opened = any(opening["phase"] == leaf["phase"] and opening.seq < leaf.seq for opening in opens)
        truth = opened or (False if view.shows_all(game, ("open",), 0, leaf.seq) else None)
        if opens and not truth:
            why = "leaf {} is a ruling in {}, which was not opened before"
            findings.say("attempts", truth, LogPlace(game), why, leaf.seq, leaf["phase"])


def report_abandoned_game(view: LogView, findings: Findings, game: str) -> None:
    """Report a game begun while an equal one was closed without a result.

    A game abandoned when its round is out, and begun again under another id, would be rolled again.
    """
    opens = [leaf for leaf in view.history(game) if leaf.kind == "open" and leaf.known]
    for _, phase in sorted(view.phases.items()) if opens else ():
        closed = [leaf for leaf in phase.of("close") if leaf.at < opens[0].at]
        same_values = [phase.opening[key] == opens[0][key] for key in ("seats", "system") if phase.opening is not None]
        if phase.game != game and closed and not phase.of("result") and any(same_values):
            place = LogPlace(f"{game} {opens[0]['phase']}", game, opens[0]["phase"])
            why = "this game was begun when {} {} was closed, which has not come out since: it may be the same game"
            findings.say("attempts", None, place, why, phase.game, phase.name)


def has_result_between(view: LogView, before: Leaf, after: Leaf) -> bool | None:
    """Return whether a phase had a result before the next was opened.

    None if unknown. A ruling may make an earlier phase the next. Without this check, a phase could be abandoned
    when its beacon round is out, and rolled again under another name.
    """
    between = [leaf for leaf in view.history(before.game) if before.seq < leaf.seq < after.seq and leaf.known]
    rerun_phases = {leaf["phase"] for leaf in between if leaf.kind == "again"}
    if any(leaf.kind == "result" and leaf["phase"] in {before["phase"], *rerun_phases} for leaf in between):
        return True
    return False if view.shows_all(before.game, ("result", "again"), before.seq, after.seq) else None


def check_order_of_leaves(view: LogView, findings: Findings, phase: Phase) -> None:
    """Check the order: opened, closed, rolled, answered, closed and rolled again.

    No leaf comes early, late or twice.
    """
    place, opens = phase.place, phase.of("open")
    findings.say("close", len(opens) < 2, place, "it was opened twice")
    first = opens[0].seq if opens else -1
    early = [leaf for leaf in phase.leaves if leaf.seq < first]
    findings.say("close", not early, place, "something came before it was opened")
    for segment in phase.segments():
        closes, rolls = phase.of("close", segment), phase.of("roll", segment)
        findings.say("close", len(closes) < 2, place, "segment {} was closed {} times", segment, len(closes))
        findings.say("close", len(rolls) < 2, place, "segment {} was rolled {} times", segment, len(rolls))
        if rolls and opens:
            known = view.gapless(phase.game, first, rolls[0].seq)
            good = closes[0].seq < rolls[0].seq if closes else False if known else None
            findings.say("close", good, place, "segment {} was rolled before it was closed", segment)
        if segment > 1 and closes and opens:
            before = phase.of("roll", segment - 1)
            known = view.gapless(phase.game, first, closes[0].seq)
            good = before[0].seq < closes[0].seq if before else False if known else None
            findings.say("close", good, place, "segment {} was closed before the one before it was rolled", segment)
    closed_or_rolled = [leaf.seq for leaf in phase.leaves if leaf.kind in ("close", "roll")]
    for result in phase.of("result"):
        good = all(seq < result.seq for seq in closed_or_rolled)
        findings.say("close", good, place, "something was closed or rolled after the result")
    if not opens:
        findings.say("close", None, place, "the leaf that opened it is in no letter, or is withheld")


def check_attempt(view: LogView, findings: Findings, phase: Phase) -> None:
    """Check that an attempt is the first, or follows the one before by a ruling.

    It begins with the position of the first attempt.
    """
    place, opened, number = phase.place, phase.opening, phase.attempt
    findings.say("attempts", number > 0, place, "the phase does not say which attempt it is")
    if number < 2 or opened is None:
        return
    before = view.phases.get((phase.game, f"{phase.stem}~{number - 1}"))
    known = view.shows_all(phase.game, ("open",), 0, opened.seq)
    if before is None or before.opening is None:
        findings.say("attempts", None if not known else False, place, "the attempt before it is not to be seen")
        return
    since = before.opening.seq
    findings.say("attempts", since < opened.seq, place, "it was opened before the attempt before it")
    rulings = rulings_of(view, phase.game)
    check_ruling(view, findings, phase, [ruling for ruling in rulings if since < ruling.leaf.seq < opened.seq])
    first = view.phases.get((phase.game, f"{phase.stem}~1"))
    if first is None or first.opening is None:
        findings.say("attempts", None, place, "the first attempt is in no letter: whether this began as it did")
        return
    start = first.opening
    if opened["state"] == start["state"]:
        findings.say("attempts", True, place, "")
        return
    between = [ruling for ruling in rulings if start.seq < ruling.leaf.seq < opened.seq]
    excused = any(
        ruling.word in POSITION_CHANGES or (ruling.word in CHANGES and reruns_earlier(view, phase, ruling, start.seq))
        for ruling in between
    )
    all_told = view.shows_all(phase.game, ("ruling",), start.seq, opened.seq) and all(
        ruling.words for ruling in between
    )
    truth = None if excused or not all_told else False
    why = "it did not begin in the position in which the first attempt began: whether rulings made that, full mode says"
    if truth is False:
        why = "it did not begin in the position in which the first attempt began, and no ruling changed that"
    findings.say("attempts", truth, place, why)


def reruns_earlier(view: LogView, phase: Phase, ruling: LoggedRuling, start: int) -> bool:
    """Return whether a ruling reruns a phase before this one.

    This phase then begins with the result of the rerun.
    """
    return any(
        other.stem != phase.stem
        and ruling.names(other.name)
        and other.opening is not None
        and other.opening.seq < start
        for (game, _), other in view.phases.items()
        if game == phase.game
    )


def check_ruling(view: LogView, findings: Findings, phase: Phase, between: list[LoggedRuling]) -> None:
    """Check the ruling that an attempt names.

    It is logged between the two openings, and is of a kind that makes attempts.
    """
    place, opened = phase.place, phase.opening
    if opened is None:
        return
    if not findings.say("attempts", opened["ruling"] != "-", place, "no ruling is named by which it was opened again"):
        return
    ruling = next((entry for entry in between if entry.leaf["number"] == opened["ruling"]), None)
    if ruling is None:
        hidden = not view.shows_all(phase.game, ("ruling",), 0, opened.seq)
        why = "ruling {}, by which it was opened again, does not stand before it"
        findings.say("attempts", None if hidden else False, place, why, opened["ruling"])
        return
    if not ruling.words:
        findings.say(
            "attempts", None, place, "ruling {}, by which it was opened again, is in no letter", opened["ruling"]
        )
        return
    begun = {
        name.lower()
        for (game, name), other in view.phases.items()
        if game == phase.game and other.opening and other.opening.seq < opened.seq
    }
    stems = {name.partition("~")[0] for name in begun}
    named = ruling.word in POSITION_CHANGES or (len(ruling.words) > 1 and ruling.words[1].lower() in begun | stems)
    # The sentence below shows the beginning of the ruling only, which may be a long text.
    good = ruling.word in CHANGES and named
    findings.say(
        "attempts", good, place, "ruling {} opens no phase again: {}", opened["ruling"], " ".join(ruling.words)[:80]
    )


def check_second_result(view: LogView, findings: Findings, phase: Phase) -> None:
    """Check that a phase has a second result only by a ruling logged before."""
    place, results, agains = phase.place, phase.of("result"), phase.of("again")
    for number, result in enumerate(results):
        announced = sum(again.seq < result.seq for again in agains)
        why = "it came out {} times, resolved once more {} times"
        findings.say("attempts", announced == number, place, why, number + 1, announced)
    rulings = rulings_of(view, phase.game)
    for again in agains:
        run = 1 + sum(result.seq < again.seq for result in results)
        findings.say("attempts", again.num("run") == run, place, "this is run {}, not {}", run, again["run"])
        ruling = next((entry for entry in rulings if entry.leaf["number"] == again["ruling"]), None)
        if ruling is None and view.shows_all(phase.game, ("ruling",), 0, again.seq):
            why = "ruling {}, by which it is resolved once more, does not stand before it"
            findings.say("attempts", False, place, why, again["ruling"])
            continue
        why = "ruling {}, by which it is resolved once more, is in no letter"
        if ruling is None or not ruling.words:
            findings.say("attempts", None, place, why, again["ruling"])
            continue
        good = ruling.word == "READJUDICATE" and ruling.names(phase.name) and ruling.leaf.seq < again.seq
        findings.say("attempts", good, place, "ruling {} does not have this phase resolved once more", again["ruling"])


def check_beacon_changes(view: LogView, findings: Findings, phase: Phase) -> None:
    """Check that only an earlier ruling has a closed list wait for another round."""
    for changed in phase.of("beacon-change"):
        before = [entry for entry in rulings_of(view, phase.game) if entry.leaf.seq < changed.seq]
        ruling = next((entry for entry in before if entry.leaf["number"] == changed["ruling"]), None)
        truth, why = None, "ruling {}, by which it waits for another round, is in no letter"
        if ruling is None and view.shows_all(phase.game, ("ruling",), 0, changed.seq):
            truth, why = False, "ruling {}, by which it waits for another round, does not stand before it"
        elif ruling is not None and ruling.words:
            truth, why = ruling.word == "BEACON", "ruling {} does not have it wait for another round"
        findings.say("attempts", truth, phase.place, why, changed["ruling"])


def check_rolled_groups(findings: Findings, phase: Phase, close: Leaf) -> None:
    """Check that exactly the declared groups are rolled."""
    for roll in phase.of("roll", close.num("segment")):
        same = roll["groups"] == close["groups"]
        findings.say(
            "groups", same, phase.place, "segment {} rolled other groups than it was closed with", close["segment"]
        )


def check_closed_list(findings: Findings, phase: Phase, close: Leaf, slate: ClosedList) -> None:
    """Check that the list is of its phase and follows the one before.

    Its values equal those of the phase's opening.
    """
    place, block = phase.place, slate.block
    where = (close.game, phase.name, close["segment"])
    same = (block["game"], block["phase"], block["segment"]) == where
    findings.say("close", same, place, "the closed list is of another phase")
    why = "segment {} was closed with other groups than its list has"
    findings.say("groups", block["groups"] == close["groups"], place, why, close["segment"])
    if block["groups"] != "all":
        known = phase.opening is not None and phase.opening["system"] in LABELS
        why = "whether this game has the groups {} is not known here: names that are free vary the dice"
        findings.say("groups", False if known else None, place, why, block["groups"])
    before = phase.of("close", close.num("segment") - 1)[:1] if block["segment"] != "1" else []
    if block["segment"] != "1" and not (before and before[0].known):
        findings.say("close", None, place, "the list of the segment before is in no letter")
    elif before:
        follows = block["previous"] == before[0]["slate"]
        findings.say("close", follows, place, "the list does not follow that of the segment before")
    if phase.opening is not None:
        opened = phase.opening
        same = all(block[key] == opened[key] for key in ("edition", "state"))
        findings.say("close", same, place, "the list has another edition or position than the phase was opened with")
        same = " ".join(sorted(slate.seats)) == opened["seats"]
        findings.say("close", same, place, "the list has other seats than the phase was opened with")


def first_round_after_closing(due: int, delta: int) -> int:
    """Return the first round at or after the closing time and the delay."""
    # There is no round before the first, which comes out at genesis; the negative quotient rounds up.
    return max(1, 1 + -(-(due + delta - BEACON_GENESIS) // BEACON_PERIOD))


def check_beacon_round(
    view: LogView, findings: Findings, closed: tuple[Phase, Leaf, ClosedList], keys: LogKeys
) -> None:
    """Check that the beacon's round is the one announced.

    It is the first at or after the closing time and the delay.
    """
    phase, close, slate = closed
    place, opened = phase.place, phase.opening
    if opened is None:
        findings.say("round", None, place, "the leaf that opened it is in no letter, or is withheld")
        return
    chain = opened["chain"]
    if keys.chains is not None:
        findings.say("round", chain in keys.chains | {"none"}, place, "it has another beacon than the server")
    findings.say("round", slate.chain == chain, place, "the list has another beacon than the phase")
    due = phase.due(close)
    if not view.shows_all(phase.game, ("deadline",), opened.seq, close.seq):
        findings.say("round", None, place, "leaves between opening and closing are in no letter, or withheld")
        return
    latest = due[-1] if due else None
    if chain == "none":
        none = {slate.round, opened.num("round"), latest.num("round") if latest else 0} == {0}
        findings.say("round", none, place, "there is a round, but no beacon")
        return
    if chain != QUICKNET:
        findings.say("round", None, place, "its beacon {} is not a public one", chain)
        return
    if latest is None:
        findings.say("round", False, place, "no round was fixed for segment {}", close["segment"])
        return
    findings.say("round", slate.round == latest.num("round"), place, "the list has another round than was said")
    for leaf in {leaf.seq: leaf for leaf in (opened, *due)}.values():
        right = leaf.num("round") == first_round_after_closing(leaf.num("D"), opened.num("delta"))
        findings.say("round", right, place, "leaf {} has a wrong round", leaf.seq)
