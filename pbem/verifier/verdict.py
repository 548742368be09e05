"""What is told to the reader, in his language: a sentence a phase first, then the checks, then what to compare."""

from __future__ import annotations

from collections.abc import Iterator

from .judge import Line, PhaseVerdict, Verdict
from .record import FALSE, Finding
from .words import BELIEVED, SPANISH, UNASKED

GRADE_B = (
    "{}: grade B. The dice could not be foreseen by anybody, if the clock of your mail server is right; seen by {}."
)

RULES = "rules"
"""The check of full mode, and what it says is so."""
SAME_AGAIN = "the rules, run again on what was opened, give the same rolls, events and positions"

MOST_REASONS = 3
"""Of one phase in its sentence; all stand below, check by check."""

WHAT = {
    "form": "every pbemdice.txt is written as it must be",
    "keys": "the keys are those of the log's first leaf, and yours",
    "signature": "the log has signed every checkpoint",
    "inclusion": "every leaf is in the log",
    "chain": "each game's leaves follow one another, none changed or left out",
    "consistency": "every later log begins with the earlier ones",
    "recovery": "what was signed before a restore is so after it",
    "close": "each segment was closed once, on the list that was hashed",
    "groups": "what is rolled was declared when the list was closed",
    "attempts": "a phase is played or resolved again by a ruling alone",
    "orders": "the closed lists have the last orders of every seat",
    "own": "your orders are what was logged and closed",
    "others": "what was closed for the others was fixed by their orders alone",
    "round": "the beacon's round was fixed before",
    "beacon": "the beacon's value is the beacon's",
    "vrf": "the secret of every roll is proven",
    "dice": "every die follows from it",
    "labels": "rolls are called as the game's rolls are; whether the rules asked for them, full mode says",
    "manifest": "every roll is listed and numbered",
    "opened": "what was opened is what was sealed",
    "draws": "lots were drawn from lists that were shut, tables paired once, and scored as they ended",
    "timing": "the grade is deserved",
}


def harmless(text: str) -> str:
    """What others wrote as a terminal may show it: no letter moves its cursor or makes a line of ours."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class Teller:
    """Words in the reader's language, `en` or `es`."""

    def __init__(self, language: str = "en") -> None:
        self.spanish = language == "es"

    def say(self, sentence: str, *said: object) -> str:
        """Return a sentence with its gaps filled; what fills one may come from a letter, and its own gaps stay."""
        if self.spanish:
            sentence = SPANISH.get(sentence, sentence)
            said = tuple(SPANISH.get(one, one) if isinstance(one, str) else one for one in said)
        return sentence.format(*said)

    def finding(self, one: Finding) -> str:
        """What is not true, or not checked: where, and why."""
        why = self.say(one.why, *one.said)
        return f"{one.place.where}: {why}" if one.place.where else why

    def counted(self, letters: int, witnesses: int) -> str:
        """By whom the closed list was seen in time."""
        told = [self.say("a letter" if letters == 1 else "{} letters", letters)] if letters else []
        if witnesses:
            told.append(self.say("a witness" if witnesses == 1 else "{} witnesses", witnesses))
        return self.say(" and ").join(told)

    def phase(self, one: PhaseVerdict, alone: bool) -> str:
        """The sentence of a phase."""
        name, _, attempt = one.name.partition("~")
        name = name if alone else f"{one.game} {name}"
        grade, worth = one.grade, one.worth
        if grade == FALSE:
            told = self.say("{}: FALSE. These dice are not to be believed: {}.", name, self.reasons(one, False))
        elif grade == "A":
            who = self.counted(worth.letters, worth.witnesses)
            told = self.say("{}: grade A. The dice could not be foreseen by anybody; seen by {}.", name, who)
        elif grade == "B":
            who = self.counted(worth.letters, worth.witnesses)
            told = self.say(GRADE_B, name, who)
        else:
            why = "; ".join(self.say(sentence, *said) for sentence, said in worth.why)
            told = self.say("{}: grade C. Nobody else could foresee the dice; the server could have: {}.", name, why)
        if one.attempts > 1:
            told += " " + self.say("It is attempt {} of {}.", attempt, one.attempts)
        if open_ := self.reasons(one, None):
            told += " " + self.say("Not checked: {}.", open_)
        return told

    def reasons(self, one: PhaseVerdict, truth: bool | None) -> str:
        """The first reasons of a phase."""
        told = list(dict.fromkeys(self.say(each.why, *each.said) for each in one.found if each.truth is truth))
        more = [self.say("and {} more", len(told) - MOST_REASONS)] if len(told) > MOST_REASONS else []
        return "; ".join([*told[:MOST_REASONS], *more])

    def line(self, line: Line) -> Iterator[str]:
        """A check, and below it what was found otherwise."""
        what = self.say(WHAT.get(line.check, SAME_AGAIN))
        yield f"{self.say(line.status):<13}  {line.check:<11}  {line.held:>5}  {what}"
        told = (
            self.say((one.truth is False and FALSE) or "NOT CHECKED") + f": {self.finding(one)}" for one in line.found
        )
        yield from (f"{'':15}{why}" for why in dict.fromkeys(told))

    def whole(self, verdict: Verdict) -> str:
        """All of it in a sentence."""
        if verdict.code == 0:
            return self.say("All of it is true.")
        if verdict.code == 2:
            return self.say("Nothing is false; not everything could be checked.")
        wrong = ", ".join(line.check for line in verdict.lines if line.status == FALSE)
        return self.say("Something is FALSE: {}. Keep these letters, and show them to the others.", wrong)

    def lines(self, verdict: Verdict) -> Iterator[str]:
        """Everything, a line each."""
        alone = len({one.game for one in verdict.phases}) < 2
        yield self.whole(verdict)
        yield from (self.phase(one, alone) for one in verdict.phases)
        yield ""
        for line in verdict.lines:
            yield from self.line(line)
        yield ""
        yield self.say(BELIEVED)
        if verdict.by_hand:
            yield self.say("One die by hand: {}", verdict.by_hand)
        if verdict.compare is not None:
            key, size, root = verdict.compare
            yield self.say("Compare this line with the other players, by another way than this server:")
            yield f"{key or '-'} | {size} | {root}"
        if all(line.check != RULES for line in verdict.lines):
            yield self.say(UNASKED)
