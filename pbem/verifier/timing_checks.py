"""Check when the closed lists were known, and grade the phases by it.

A: a witness whom the reader believes has sworn, before the beacon's round was out, that he saw this closed list and
no other. B: the reader's own mail server received a letter with the closed list before the round was out. C:
neither is proven, so that the operator of the server, but nobody else, could have known the dice before the orders
were closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .bundles import Leaf, Letter
from .log_checks import LogKeys
from .notes import PLAIN, LogKey, SignedTree, WitnessStatement, key_id
from .record import QUICKNET, Findings, LogPlace, LogView, Phase, round_time

SLACK = 120
"""Seconds by which two clocks may differ, the same as the server's `log.grades.SLACK`."""
UNDATED = (
    "in an mbox without lengths a letter may bring the time of another: keep each as a file of its own, or a Maildir"
)
"""The reason given if a time of receipt is uncertain and would have counted."""


@dataclass
class PhaseGrade:
    """The grade of a phase, who saw its lists in time, and why it is not better."""

    grade: str = "C"
    letters: int = 0
    witnesses: int = 0
    why: list[tuple[str, tuple[object, ...]]] = field(default_factory=list)

    def lacks(self, why: str, *values: object) -> None:
        if (why, values) not in self.why:
            self.why.append((why, values))


@dataclass
class ListEvidence:
    """The evidence of one closed list.

    It has the letters that came in time, the witnesses who cosigned in time, and those who also made a statement
    about it.
    """

    letters: list[Letter] = field(default_factory=list)
    cosigned: set[str] = field(default_factory=set)
    sworn: set[str] = field(default_factory=set)
    late: bool = False
    strangers: set[str] = field(default_factory=set)


class TimingChecks:
    """The checks of time by the witnesses whom the reader believes.

    `quorum` of them must agree for an A.
    """

    def __init__(self, view: LogView, findings: Findings, keys: LogKeys) -> None:
        self.course, self.board, self.keys = view, findings, keys
        self.earlier: list[LogView] = []
        """The views of earlier epochs of the log."""
        self.witnesses: list[LogKey] = []
        self.quorum = 1
        self.times: dict[tuple[str, bytes], int | None] = {}

    def believe(self, witnesses: Iterable[LogKey], quorum: int) -> None:
        self.witnesses, self.quorum = list(witnesses), quorum
        known = {key.public for key in self.keys.logs} | {vrf for _, vrf in self.keys.vrfs}
        for key in self.witnesses:
            of_server = key.public in known
            self.board.say(
                "timing", not of_server, LogPlace(""), "the witness {} has a key of the server itself", key.name
            )
        self.witnesses = [key for key in self.witnesses if key.public not in known]

    def check(self) -> dict[tuple[str, str], PhaseGrade]:
        """Grade every phase that was rolled, and check the grades that letters claim."""
        grades: dict[tuple[str, str], PhaseGrade] = {}
        for key, phase in sorted(self.course.phases.items()):
            if phase.of("roll") and phase.opening is not None:
                grades[key] = self.standing(phase)
        for letter in self.course.letters:
            self.check_claim(letter, grades)
        self.draws()
        return grades

    def draws(self) -> None:
        """Check that the list of a draw was known before its round was out."""
        for game, leaves in sorted(self.course.histories.items()):
            for shut in (leaf for leaf in leaves if leaf.kind == "shut" and leaf.known):
                draw = (shut["round"], shut["attempt"])
                lots = [
                    leaf
                    for leaf in leaves
                    if leaf.kind == "lot" and leaf.known and (leaf["round"], leaf["attempt"]) == draw
                ]
                if lots:
                    name = "~".join(draw)
                    self.check_draw(LogPlace(f"{game} {name}", game, name), shut, lots)
            for needed in (leaf for leaf in leaves if leaf.kind == "lot-needed" and leaf.known):
                drawn = [
                    drawn_leaf
                    for drawn_leaf in leaves
                    if drawn_leaf.kind == "lot-drawn" and drawn_leaf.get("lot") == needed["lot"]
                ]
                if drawn:
                    self.check_draw(LogPlace(f"{game} {needed['lot']}", game, needed["lot"]), needed, drawn)

    def check_draw(self, place: LogPlace, shut: Leaf, lots: list[Leaf]) -> None:
        if shut["chain"] == "none":
            why = "lots waited for no beacon: whoever runs the server could have chosen them"
            self.board.say("timing", None, place, why)
        if shut["chain"] != QUICKNET:
            return
        until = round_time(shut.num("beacon"))
        holders = [letter for letter in self.course.letters if letter.shows(shut) and not any(map(letter.shows, lots))]
        trees: list[SignedTree] = [*holders, *(tree for leaf, tree in self.keys.trees if leaf.data == shut.data)]
        known = {name for tree in trees for name, when in self.cosigners(tree) if 0 < when < until}
        good = len(known) >= self.quorum or self.came_before(place, holders, until)
        why = "nothing shows that the list was shut before round {} was out"
        if shut.kind == "lot-needed":
            why = "nothing shows that lots were needed before round {} was out"
        self.board.say("timing", good or None, place, why, shut["beacon"])

    def came_before(self, place: LogPlace, holders: Sequence[Letter], until: int) -> bool:
        """Return whether a letter was received before a round was out.

        Reports letters that are stored in a way that leaves the time uncertain.
        """
        if any(letter.received and letter.received < until for letter in holders):
            return True
        if any(letter.undated for letter in holders):
            self.board.say("timing", None, place, UNDATED)
        return False

    def standing(self, phase: Phase) -> PhaseGrade:
        """Return the grade of a phase, no better than its worst segment."""
        grade, opened = PhaseGrade("A"), phase.opening
        if opened is None or opened["chain"] != QUICKNET:
            chain = opened["chain"] if opened is not None else "none"
            grade.lacks("it waited for no beacon" if chain == "none" else "its beacon is not a public one")
            grade.grade = "C"
        for changed in phase.of("beacon-change"):
            grade.lacks("by ruling {} it waited for another beacon than it was closed for", changed["ruling"])
            grade.grade = "C"
        if opened is not None and opened["bots"] != "-":
            grade.lacks("bots play in it, whose orders the server could vary: {}", opened["bots"])
            grade.grade = "C"
        if len(phase.segments()) > 1 and (phase.game, phase.name) not in self.course.rerun:
            # A server that dislikes the dice of one segment could stop there, and roll the rest by the next round.
            grade.lacks("it was left off when its first dice were known: that the rules ask there, full mode says")
            grade.grade = "C"
        if not all(map(self.is_board_gapless, phase.of("close"))):
            grade.lacks("leaves of the tournament are in no letter: its board may have been bound twice")
            grade.grade = "C"
        seen = [self.evidence_of(phase, close) for close in phase.of("close")]
        if {roll.num("segment") for roll in phase.of("roll")} - {
            close_leaf.num("segment") for close_leaf in phase.of("close")
        }:
            grade.lacks("no letter shows the closed list")
            grade.grade = "C"
        for evidence in seen if grade.grade != "C" else ():
            self.lower_by_evidence(grade, evidence)
        for close in phase.of("close") if grade.grade != "C" else ():
            self.check_delays(grade, phase, close)
            self.check_restart(grade, phase, close)
        grade.letters = min((len(list_seen.letters) for list_seen in seen), default=0) if grade.grade != "C" else 0
        grade.witnesses = (
            min((len(self.supporters(list_seen)) for list_seen in seen), default=0) if grade.grade == "A" else 0
        )
        return grade

    def is_board_gapless(self, close: Leaf) -> bool:
        """Return whether no leaf before the binding of a list's board is missing.

        It is True for a list without a board.
        """
        slate = self.course.closed_list(close)
        bind = next(iter(self.course.bindings(slate.board, "bind")), None) if slate is not None else None
        return bind is None or self.course.gapless(bind.game, 0, bind.seq)

    def supporters(self, evidence: ListEvidence) -> set[str]:
        """Return the witnesses who count for an A.

        They made a statement about this list, or cosigned it while a letter came in time.
        """
        return evidence.sworn | (evidence.cosigned if evidence.letters else set())

    def lower_by_evidence(self, grade: PhaseGrade, evidence: ListEvidence) -> None:
        """Lower a grade to the evidence of one closed list."""
        enough = len(self.supporters(evidence)) >= self.quorum
        if not enough and (evidence.letters or evidence.cosigned or evidence.late or evidence.strangers):
            if evidence.strangers and not evidence.cosigned:
                why = "cosigned by {}, whose key you have not named: believe it with --witness KEY"
                grade.lacks(why, ", ".join(sorted(evidence.strangers)))
            elif evidence.cosigned and not self.supporters(evidence):
                grade.lacks("a witness saw the log, and does not say that he saw this closed list, and no other")
            elif self.supporters(evidence):
                grade.lacks("{} of {} witnesses have seen the closed list", len(self.supporters(evidence)), self.quorum)
        if enough:
            return
        if evidence.letters:
            # The later letter of the alphabet is the lower grade: C stays C.
            grade.grade = max(grade.grade, "B")
            return
        grade.grade = "C"
        if evidence.late:
            grade.lacks("the closed list came too late to prove that it is older than the round")
        else:
            grade.lacks("no letter shows when a mailbox knew the closed list")

    def check_delays(self, grade: PhaseGrade, phase: Phase, close: Leaf) -> None:
        """Check that a delay of the closing time was known in time.

        A delay counts if it was known before the round that it replaced was out.
        """
        opened = phase.opening
        if opened is None or not self.course.shows_all(phase.game, ("deadline",), opened.seq, close.seq):
            grade.grade = "C"
            grade.lacks("leaves between opening and closing are in no letter, or withheld")
        why = "its closing time was put off, and nothing shows that this was before round {} was out"
        for before, after in pairwise(phase.due(close)):
            if 0 < before.num("round") < after.num("round"):
                self.lower_if_replaced(grade, phase, before.num("round"), after, why)

    def check_restart(self, grade: PhaseGrade, phase: Phase, close: Leaf) -> None:
        """Check closing times that differed before the log was started anew.

        Otherwise a restore could be used to put off a closing time.
        """
        due, slate = phase.due(close), self.course.closed_list(close)
        why = "it was begun anew after a restore, and nothing shows that this was before round {} was out"
        for view in self.earlier if due and slate is not None else ():
            before = view.phases.get((phase.game, phase.name), Phase(phase.game, phase.name))
            gone = [
                leaf for leaf in before.closing_time_leaves(close.num("segment")) if leaf.hash not in self.course.places
            ]
            for leaf in gone:
                if slate is not None and 0 < leaf.num("round") < slate.round:
                    self.lower_if_replaced(grade, phase, leaf.num("round"), due[-1], why)

    def lower_if_replaced(self, grade: PhaseGrade, phase: Phase, old: int, after: Leaf, why: str) -> None:
        """Lower a grade unless a leaf was known before the round it replaced was out."""
        until = round_time(old)
        holders = [letter for letter in self.course.letters if letter.shows(after)]
        trees: list[SignedTree] = [*holders, *(tree for _, tree in self.keys.trees if tree.size > after.at)]
        known = {name for tree in trees for name, when in self.cosigners(tree) if 0 < when < until}
        if len(known) >= self.quorum:
            return
        if self.came_before(phase.place, holders, until):
            grade.grade = max(grade.grade, "B")
            return
        grade.grade = "C"
        grade.lacks(why, old)

    def evidence_of(self, phase: Phase, close: Leaf) -> ListEvidence:
        """Return who saw a closed list before the round that it waited for."""
        evidence, slate = ListEvidence(), self.course.closed_list(close)
        rolls = phase.of("roll", close.num("segment"))
        fixed, number = close, slate.round if slate is not None else 0
        if slate is not None and slate.board:
            # With shared luck the board waits for the round, which a leaf of its own fixes.
            bind = next(iter(self.course.bindings(slate.board, "bind")), None)
            fixed, number = bind or close, bind.num("beacon") if bind is not None else 0
            rolls = [*rolls, *self.course.bindings(slate.board, "deal")]
        # A letter that shows the roll came too late to prove anything about the time before.
        holders = [
            letter for letter in self.course.letters if letter.shows(fixed) and not any(map(letter.shows, rolls))
        ]
        trees: list[SignedTree] = [*holders, *(tree for leaf, tree in self.keys.trees if leaf.data == fixed.data)]
        due = phase.due(close)
        if slate is None or not number or slate.chain != QUICKNET or not due:
            return evidence
        until, begin = round_time(number), due[-1].num("D") - SLACK
        came = [(letter, letter.received) for letter in holders if letter.received is not None]
        cosigned = [(name, when) for tree in trees for name, when in self.cosigners(tree)]
        sworn = self.witnesses_of(phase, close)
        times = [when for _, when in (*came, *cosigned, *sworn) if when]
        early = any(when < begin for when in times)
        self.board.say("timing", not early, phase.place, "the list was closed before the closing time")
        evidence.letters = [letter for letter, when in came if when < until]
        self.came_before(phase.place, holders, until)
        evidence.cosigned = {name for name, when in cosigned if 0 < when < until}
        evidence.sworn = {name for name, when in sworn if 0 < when < until} & evidence.cosigned
        evidence.late = any(when >= until for when in times)
        known = {(key.name, key.ident) for key in (*self.witnesses, *self.keys.logs)}
        known |= {(key.name, key_id(key.name, PLAIN, key.public)) for key in self.witnesses}
        evidence.strangers = {
            f"{name}+{ident}" for tree in trees for name, ident, _ in tree.signatures if (name, ident) not in known
        }
        return evidence

    def cosigners(self, tree: SignedTree) -> list[tuple[str, int]]:
        """Return the believed witnesses who signed a tree, by key, each with the time."""
        signers = []
        for key in self.witnesses:
            for name, ident, raw in tree.signatures:
                if (name, ident) == (key.name, key.ident):
                    when = self.time_of(key, tree.body, raw)
                    signers += [(key.public.hex(), when)] if when else []
        return signers

    def time_of(self, key: LogKey, body: bytes, raw: bytes) -> int | None:
        """Return the time of a cosignature (C2SP tlog-cosignature); None if it is false.

        A false cosignature is reported once.
        """
        place = (key.text, raw + body)
        if place not in self.times:
            # The time comes first, in eight octets.
            when = int.from_bytes(raw[:8], "big")
            message = f"cosignature/v1\ntime {when}\n".encode() + body
            good = 0 < when < 2**63 and self.keys.means.signed(key.public, message, raw[8:])
            self.board.say("timing", good, LogPlace(key.name), "a false cosignature")
            self.times[place] = when if good else None
        return self.times[place]

    def witnesses_of(self, phase: Phase, close: Leaf) -> list[tuple[str, int]]:
        """Return the witnesses who state that this leaf closes its segment, with times."""
        witnesses = []
        segment_key = (phase.game, phase.name, close.num("segment"))
        names = {key.name for key in self.keys.logs}
        for letter in self.course.letters:
            trees: list[SignedTree] = [letter, *(tree for _, tree in self.keys.trees)]
            for statement in letter.sees:
                digests = {digest for *place, digest in statement.closes if tuple(place) == segment_key}
                in_log = any((tree.size, tree.root) == (statement.size, statement.root) for tree in trees)
                for key in self.witnesses if digests and in_log and statement.origin in names else ():
                    if not self.has_signed(key, statement):
                        continue
                    same = digests == {close.hash}
                    self.board.say("close", same, phase.place, "{} has seen another closed list", key.name)
                    witnesses += [(key.public.hex(), statement.time)] if same else []
        return witnesses

    def has_signed(self, key: LogKey, statement: WitnessStatement) -> bool:
        """Return whether a witness signed a statement with the plain key."""
        name, ident, raw = statement.by
        if (name, ident) != (key.name, key_id(key.name, PLAIN, key.public)):
            return False
        good = self.keys.means.signed(key.public, statement.told, raw)
        self.board.say("timing", good, LogPlace(key.name), "a false statement of what was seen")
        return good

    def check_claim(self, letter: Letter, grades: dict[tuple[str, str], PhaseGrade]) -> None:
        """Check that a letter claims no better grade than is proven."""
        claim, place = letter.head["grade"], LogPlace(letter.where, letter.game, letter.head["phase"])
        if claim == "-":
            return
        proven_grade = grades.get((letter.game, letter.head["phase"]))
        if proven_grade is None:
            why = "it grades {}, and shows no roll of it"
            self.board.say("timing", False, place, why, letter.head["phase"])
            return
        phase = self.course.phases[letter.game, letter.head["phase"]]
        opened = phase.opening
        public = opened is not None and opened["chain"] == QUICKNET and not phase.of("beacon-change")
        if claim >= proven_grade.grade:
            self.board.say("timing", True, place, "")
        elif not public:
            self.board.say("timing", False, place, "without a public beacon the grade is C, not {}", claim)
        elif claim == "A" and not self.is_witnessed(phase):
            self.board.say("timing", False, place, "it claims a witness, and no letter shows one")
        else:
            for why, values in proven_grade.why or [("what is here does not prove it", ())]:
                self.board.say("timing", None, place, why, *values)
            why = "it claims {}; what is here proves {}"
            self.board.say("timing", None, place, why, claim, proven_grade.grade)

    def is_witnessed(self, phase: Phase) -> bool:
        """Return whether anybody but the log signed a tree with a closed list of a phase."""
        logs = {(key.name, key.ident) for key in self.keys.logs}
        slates = [slate for slate in map(self.course.closed_list, phase.of("close")) if slate is not None]
        closes = [
            *phase.of("close"),
            *(leaf for closed in slates for leaf in self.course.bindings(closed.board, "bind")),
        ]
        trees: list[SignedTree] = [
            tree for leaf, tree in self.keys.trees if any(leaf.data == close.data for close in closes)
        ]
        trees += [letter for letter in self.course.letters if any(map(letter.shows, closes))]
        return any((name, ident) not in logs for tree in trees for name, ident, _ in tree.signatures)
