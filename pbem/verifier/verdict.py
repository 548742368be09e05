"""Word the verdict in the reader's language.

A sentence for each phase comes first, then the checks, then what to compare.
"""

from __future__ import annotations

from collections.abc import Iterator

from .record import FALSE, Finding
from .verification import CheckVerdict, PhaseVerdict, Verdict
from .words import ONLY_FULL_MODE, SPANISH, UNVERIFIABLE

GRADE_B = (
    "{}: grade B. The dice could not be foreseen by anybody, if the clock of your mail server is right; seen by {}."
)

RULES = "rules"
"""The name of the check that full mode adds."""
RERUN_STATEMENT = "the rules, run again on what was opened, give the same rolls, events and positions"

MOST_REASONS = 3
"""Reasons in the sentence of a phase: a sentence with more is hard to read; the checks list all."""

STATEMENTS = {
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


def escape_unprintable(text: str) -> str:
    """Replace characters that do not print, which could control a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


class Wording:
    """The sentences of a verdict in the reader's language, `en` or `es`."""

    def __init__(self, language: str = "en") -> None:
        self.spanish = language == "es"

    def say(self, sentence: str, *values: object) -> str:
        """Return a sentence with its gaps filled.

        A value may come from a letter; gaps in it are not filled.
        """
        if self.spanish:
            sentence = SPANISH.get(sentence, sentence)
            values = tuple(SPANISH.get(value, value) if isinstance(value, str) else value for value in values)
        return sentence.format(*values)

    def finding(self, finding: Finding) -> str:
        """Return the sentence of a finding: place and reason."""
        why = self.say(finding.why, *finding.said)
        return f"{finding.place.where}: {why}" if finding.place.where else why

    def supporters_text(self, letters: int, witnesses: int) -> str:
        """Return in words how many letters and witnesses saw the closed list in time."""
        counts = [self.say("a letter" if letters == 1 else "{} letters", letters)] if letters else []
        if witnesses:
            counts.append(self.say("a witness" if witnesses == 1 else "{} witnesses", witnesses))
        return self.say(" and ").join(counts)

    def phase(self, verdict: PhaseVerdict, alone: bool) -> str:
        """Return the sentences of a phase."""
        name, _, attempt = verdict.name.partition("~")
        name = name if alone else f"{verdict.game} {name}"
        grade, evidence = verdict.grade, verdict.worth
        if grade == FALSE:
            sentences = self.say(
                "{}: FALSE. These dice are not to be believed: {}.", name, self.reasons(verdict, False)
            )
        elif grade == "A":
            witnesses = self.supporters_text(evidence.letters, evidence.witnesses)
            sentences = self.say("{}: grade A. The dice could not be foreseen by anybody; seen by {}.", name, witnesses)
        elif grade == "B":
            witnesses = self.supporters_text(evidence.letters, evidence.witnesses)
            sentences = self.say(GRADE_B, name, witnesses)
        else:
            why = "; ".join(self.say(sentence, *values) for sentence, values in evidence.why)
            sentences = self.say(
                "{}: grade C. Nobody else could foresee the dice; the server could have: {}.", name, why
            )
        if verdict.attempts > 1:
            sentences += " " + self.say("It is attempt {} of {}.", attempt, verdict.attempts)
        if open_ := self.reasons(verdict, None):
            sentences += " " + self.say("Not checked: {}.", open_)
        return sentences

    def reasons(self, verdict: PhaseVerdict, truth: bool | None) -> str:
        """Return the first reasons of a phase."""
        reasons = list(
            dict.fromkeys(self.say(finding.why, *finding.said) for finding in verdict.found if finding.truth is truth)
        )
        more = [self.say("and {} more", len(reasons) - MOST_REASONS)] if len(reasons) > MOST_REASONS else []
        return "; ".join([*reasons[:MOST_REASONS], *more])

    def line(self, line: CheckVerdict) -> Iterator[str]:
        """Yield the line of a check, and below it its findings."""
        statement = self.say(STATEMENTS.get(line.check, RERUN_STATEMENT))
        yield f"{self.say(line.status):<13}  {line.check:<11}  {line.held:>5}  {statement}"
        reasons = (
            self.say((finding.truth is False and FALSE) or "NOT CHECKED") + f": {self.finding(finding)}"
            for finding in line.found
        )
        yield from (f"{'':15}{why}" for why in dict.fromkeys(reasons))

    def whole(self, verdict: Verdict) -> str:
        """Return the verdict in one sentence."""
        if verdict.code == 0:
            return self.say("All of it is true.")
        if verdict.code == 2:
            return self.say("Nothing is false; not everything could be checked.")
        wrong = ", ".join(line.check for line in verdict.lines if line.status == FALSE)
        return self.say("Something is FALSE: {}. Keep these letters, and show them to the others.", wrong)

    def lines(self, verdict: Verdict) -> Iterator[str]:
        """Yield all lines of the verdict."""
        alone = len({phase.game for phase in verdict.phases}) < 2
        yield self.whole(verdict)
        yield from (self.phase(phase, alone) for phase in verdict.phases)
        yield ""
        for line in verdict.lines:
            yield from self.line(line)
        yield ""
        yield self.say(UNVERIFIABLE)
        if verdict.by_hand:
            yield self.say("One die by hand: {}", verdict.by_hand)
        if verdict.compare is not None:
            key, size, root = verdict.compare
            yield self.say("Compare this line with the other players, by another way than this server:")
            yield f"{key or '-'} | {size} | {root}"
        if all(line.check != RULES for line in verdict.lines):
            yield self.say(ONLY_FULL_MODE)
