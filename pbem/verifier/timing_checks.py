"""When the closed lists were known, by mailboxes or by witnesses, and which grade that is worth.

A: somebody whom the reader believes has sworn, before the beacon's round was out, that he saw this closed list and no
other. B: the reader's own mail server took a letter with the closed list before. C: neither is proven: whoever runs the
server could have known the dice before the orders were closed, and only he.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .bundles import Leaf, Letter
from .log_checks import Keys
from .notes import PLAIN, LogKey, Sees, Tree, key_ident
from .record import QUICKNET, Board, Course, Phase, Place, out_at

SLACK = 120
"""Seconds by which two clocks may differ before one of them is said to have told a lie."""
UNDATED = (
    "in an mbox without lengths a letter may bring the time of another: keep each as a file of its own, or a Maildir"
)
"""Said where a time of receipt would have counted."""


@dataclass
class Standing:
    """What a phase is worth, by what is here: its grade, who has seen its lists in time, and why it is no better."""

    grade: str = "C"
    letters: int = 0
    witnesses: int = 0
    why: list[tuple[str, tuple[object, ...]]] = field(default_factory=list)

    def lacks(self, why: str, *said: object) -> None:
        if (why, said) not in self.why:
            self.why.append((why, said))


@dataclass
class Seen:
    """What is proven of one closed list: letters in time, witnesses who cosigned in time, those who swore to it too."""

    letters: list[Letter] = field(default_factory=list)
    cosigned: set[str] = field(default_factory=set)
    sworn: set[str] = field(default_factory=set)
    late: bool = False
    strangers: set[str] = field(default_factory=set)


class Timing:
    """The checks of time: by the witnesses whom the reader believes, of whom `quorum` have to agree for an A."""

    def __init__(self, course: Course, board: Board, keys: Keys) -> None:
        self.course, self.board, self.keys = course, board, keys
        self.earlier: list[Course] = []
        """What letters show of the log before it was begun anew."""
        self.witnesses: list[LogKey] = []
        self.quorum = 1
        self.times: dict[tuple[str, bytes], int | None] = {}

    def believe(self, witnesses: Iterable[LogKey], quorum: int) -> None:
        self.witnesses, self.quorum = list(witnesses), quorum
        known = {key.public for key in self.keys.logs} | {vrf for _, vrf in self.keys.vrfs}
        for key in self.witnesses:
            own = key.public in known
            self.board.say("timing", not own, Place(""), "the witness {} has a key of the server itself", key.name)
        self.witnesses = [key for key in self.witnesses if key.public not in known]

    def check(self) -> dict[tuple[str, str], Standing]:
        """Every phase that was rolled, and what letters claim of it."""
        out: dict[tuple[str, str], Standing] = {}
        for key, phase in sorted(self.course.phases.items()):
            if phase.of("roll") and phase.opened is not None:
                out[key] = self.standing(phase)
        for letter in self.course.letters:
            self.claim(letter, out)
        self.draws()
        return out

    def draws(self) -> None:
        """The list of a draw was known before the round was out that its lots waited for."""
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
                    self.drawn(Place(f"{game} {name}", game, name), shut, lots)
            for needed in (leaf for leaf in leaves if leaf.kind == "lot-needed" and leaf.known):
                drawn = [one for one in leaves if one.kind == "lot-drawn" and one.get("lot") == needed["lot"]]
                if drawn:
                    self.drawn(Place(f"{game} {needed['lot']}", game, needed["lot"]), needed, drawn)

    def drawn(self, place: Place, shut: Leaf, lots: list[Leaf]) -> None:
        if shut["chain"] == "none":
            why = "lots waited for no beacon: whoever runs the server could have chosen them"
            self.board.say("timing", None, place, why)
        if shut["chain"] != QUICKNET:
            return
        until = out_at(shut.num("beacon"))
        holders = [one for one in self.course.letters if one.shows(shut) and not any(map(one.shows, lots))]
        trees: list[Tree] = [*holders, *(tree for leaf, tree in self.keys.trees if leaf.data == shut.data)]
        known = {name for tree in trees for name, when in self.cosigners(tree) if 0 < when < until}
        good = len(known) >= self.quorum or self.came_before(place, holders, until)
        why = "nothing shows that the list was shut before round {} was out"
        if shut.kind == "lot-needed":
            why = "nothing shows that lots were needed before round {} was out"
        self.board.say("timing", good or None, place, why, shut["beacon"])

    def came_before(self, place: Place, holders: Sequence[Letter], until: int) -> bool:
        """Whether a letter was received before a round was out; it is said if one is kept so that nobody can tell."""
        if any(one.received and one.received < until for one in holders):
            return True
        if any(one.undated for one in holders):
            self.board.say("timing", None, place, UNDATED)
        return False

    def standing(self, phase: Phase) -> Standing:
        """What a phase is worth: no more than the worst of its segments."""
        out, opened = Standing("A"), phase.opened
        if opened is None or opened["chain"] != QUICKNET:
            chain = opened["chain"] if opened is not None else "none"
            out.lacks("it waited for no beacon" if chain == "none" else "its beacon is not a public one")
            out.grade = "C"
        for changed in phase.of("beacon-change"):
            out.lacks("by ruling {} it waited for another beacon than it was closed for", changed["ruling"])
            out.grade = "C"
        if opened is not None and opened["bots"] != "-":
            out.lacks("bots play in it, whose orders the server could vary: {}", opened["bots"])
            out.grade = "C"
        if len(phase.segments()) > 1 and (phase.game, phase.name) not in self.course.rerun:
            # Who does not like the dice of one segment could leave it off, and roll the rest by the next round.
            out.lacks("it was left off when its first dice were known: that the rules ask there, full mode says")
            out.grade = "C"
        if not all(map(self.bound, phase.of("close"))):
            out.lacks("leaves of the tournament are in no letter: its board may have been bound twice")
            out.grade = "C"
        seen = [self.seen(phase, close) for close in phase.of("close")]
        if {one.num("segment") for one in phase.of("roll")} - {one.num("segment") for one in phase.of("close")}:
            out.lacks("no letter shows the closed list")
            out.grade = "C"
        for one in seen if out.grade != "C" else ():
            self.worth(out, one)
        for close in phase.of("close") if out.grade != "C" else ():
            self.moved(out, phase, close)
            self.anew(out, phase, close)
        out.letters = min((len(one.letters) for one in seen), default=0) if out.grade != "C" else 0
        out.witnesses = min((len(self.swearing(one)) for one in seen), default=0) if out.grade == "A" else 0
        return out

    def bound(self, close: Leaf) -> bool:
        """Whether the board of a list, if it has one, was bound after nothing that is not shown."""
        slate = self.course.slate(close)
        bind = next(iter(self.course.bindings(slate.board, "bind")), None) if slate is not None else None
        return bind is None or self.course.gapless(bind.game, 0, bind.seq)

    def swearing(self, one: Seen) -> set[str]:
        """Who is worth an A: he has sworn to have seen this list, or cosigned it while a letter came in time."""
        return one.sworn | (one.cosigned if one.letters else set())

    def worth(self, out: Standing, one: Seen) -> None:
        """Lower a grade to what is proven of one closed list."""
        enough = len(self.swearing(one)) >= self.quorum
        if not enough and (one.letters or one.cosigned or one.late or one.strangers):
            if one.strangers and not one.cosigned:
                why = "cosigned by {}, whose key you have not named: believe it with --witness KEY"
                out.lacks(why, ", ".join(sorted(one.strangers)))
            elif one.cosigned and not self.swearing(one):
                out.lacks("a witness saw the log, and does not say that he saw this closed list, and no other")
            elif self.swearing(one):
                out.lacks("{} of {} witnesses have seen the closed list", len(self.swearing(one)), self.quorum)
        if enough:
            return
        if one.letters:
            out.grade = max(out.grade, "B")
            return
        out.grade = "C"
        if one.late:
            out.lacks("the closed list came too late to prove that it is older than the round")
        else:
            out.lacks("no letter shows when a mailbox knew the closed list")

    def moved(self, out: Standing, phase: Phase, close: Leaf) -> None:
        """A closing time that was put off counts if that was known before the round was out that it replaced."""
        opened = phase.opened
        if opened is None or not self.course.told(phase.game, ("deadline",), opened.seq, close.seq):
            out.grade = "C"
            out.lacks("leaves between opening and closing are in no letter, or withheld")
        why = "its closing time was put off, and nothing shows that this was before round {} was out"
        for before, after in pairwise(phase.due(close)):
            if 0 < before.num("round") < after.num("round"):
                self.replaced(out, phase, before.num("round"), after, why)

    def anew(self, out: Standing, phase: Phase, close: Leaf) -> None:
        """So does one that was fixed otherwise before the log was begun anew: else a restore would put it off."""
        due, slate = phase.due(close), self.course.slate(close)
        why = "it was begun anew after a restore, and nothing shows that this was before round {} was out"
        for course in self.earlier if due and slate is not None else ():
            before = course.phases.get((phase.game, phase.name), Phase(phase.game, phase.name))
            gone = [leaf for leaf in before.fixed(close.num("segment")) if leaf.hash not in self.course.places]
            for leaf in gone:
                if slate is not None and 0 < leaf.num("round") < slate.round:
                    self.replaced(out, phase, leaf.num("round"), due[-1], why)

    def replaced(self, out: Standing, phase: Phase, old: int, after: Leaf, why: str) -> None:
        """Lower a grade to what shows that a leaf was there before the round was out that it replaced."""
        until = out_at(old)
        holders = [one for one in self.course.letters if one.shows(after)]
        trees: list[Tree] = [*holders, *(tree for _, tree in self.keys.trees if tree.size > after.at)]
        known = {name for tree in trees for name, when in self.cosigners(tree) if 0 < when < until}
        if len(known) >= self.quorum:
            return
        if self.came_before(phase.place, holders, until):
            out.grade = max(out.grade, "B")
            return
        out.grade = "C"
        out.lacks(why, old)

    def seen(self, phase: Phase, close: Leaf) -> Seen:
        """Who has seen a closed list before the round that it waited for."""
        out, slate = Seen(), self.course.slate(close)
        rolls = phase.of("roll", close.num("segment"))
        fixed, number = close, slate.round if slate is not None else 0
        if slate is not None and slate.board:
            # Where tables have one luck it is the board that waits, and is fixed by a leaf of its own.
            bind = next(iter(self.course.bindings(slate.board, "bind")), None)
            fixed, number = bind or close, bind.num("beacon") if bind is not None else 0
            rolls = [*rolls, *self.course.bindings(slate.board, "deal")]
        # A letter that shows the roll came when everything was known, and proves nothing about before.
        holders = [one for one in self.course.letters if one.shows(fixed) and not any(map(one.shows, rolls))]
        trees: list[Tree] = [*holders, *(tree for leaf, tree in self.keys.trees if leaf.data == fixed.data)]
        due = phase.due(close)
        if slate is None or not number or slate.chain != QUICKNET or not due:
            return out
        until, begin = out_at(number), due[-1].num("D") - SLACK
        came = [(one, one.received) for one in holders if one.received is not None]
        told = [(name, when) for tree in trees for name, when in self.cosigners(tree)]
        sworn = self.sworn(phase, close)
        times = [when for _, when in (*came, *told, *sworn) if when]
        early = any(when < begin for when in times)
        self.board.say("timing", not early, phase.place, "the list was closed before the closing time")
        out.letters = [one for one, when in came if when < until]
        self.came_before(phase.place, holders, until)
        out.cosigned = {name for name, when in told if 0 < when < until}
        out.sworn = {name for name, when in sworn if 0 < when < until} & out.cosigned
        out.late = any(when >= until for when in times)
        known = {(key.name, key.ident) for key in (*self.witnesses, *self.keys.logs)}
        known |= {(key.name, key_ident(key.name, PLAIN, key.public)) for key in self.witnesses}
        out.strangers = {
            f"{name}+{ident}" for tree in trees for name, ident, _ in tree.signatures if (name, ident) not in known
        }
        return out

    def cosigners(self, tree: Tree) -> list[tuple[str, int]]:
        """The witnesses whom the reader believes and who have signed a tree, by their keys, each with his time."""
        found = []
        for key in self.witnesses:
            for name, ident, raw in tree.signatures:
                if (name, ident) == (key.name, key.ident):
                    when = self.time_of(key, tree.body, raw)
                    found += [(key.public.hex(), when)] if when else []
        return found

    def time_of(self, key: LogKey, body: bytes, raw: bytes) -> int | None:
        """The time of a cosignature (C2SP tlog-cosignature); None, and said once, if it is false."""
        place = (key.text, raw + body)
        if place not in self.times:
            when = int.from_bytes(raw[:8], "big")
            told = f"cosignature/v1\ntime {when}\n".encode() + body
            good = 0 < when < 2**63 and self.keys.means.signed(key.public, told, raw[8:])
            self.board.say("timing", good, Place(key.name), "a false cosignature")
            self.times[place] = when if good else None
        return self.times[place]

    def sworn(self, phase: Phase, close: Leaf) -> list[tuple[str, int]]:
        """The witnesses who say that they see this leaf close its segment, each with his time."""
        found = []
        where = (phase.game, phase.name, close.num("segment"))
        names = {key.name for key in self.keys.logs}
        for letter in self.course.letters:
            trees: list[Tree] = [letter, *(tree for _, tree in self.keys.trees)]
            for told in letter.sees:
                mine = {digest for *place, digest in told.closes if tuple(place) == where}
                held = any((tree.size, tree.root) == (told.size, told.root) for tree in trees)
                for key in self.witnesses if mine and held and told.origin in names else ():
                    if not self.swears(key, told):
                        continue
                    one = mine == {close.hash}
                    self.board.say("close", one, phase.place, "{} has seen another closed list", key.name)
                    found += [(key.public.hex(), told.time)] if one else []
        return found

    def swears(self, key: LogKey, told: Sees) -> bool:
        """Whether a witness has signed a statement of what he sees, with his plain key."""
        name, ident, raw = told.by
        if (name, ident) != (key.name, key_ident(key.name, PLAIN, key.public)):
            return False
        good = self.keys.means.signed(key.public, told.told, raw)
        self.board.say("timing", good, Place(key.name), "a false statement of what was seen")
        return good

    def claim(self, letter: Letter, out: dict[tuple[str, str], Standing]) -> None:
        """A letter claims no better grade than is proven."""
        claim, place = letter.head["grade"], Place(letter.where, letter.game, letter.head["phase"])
        if claim == "-":
            return
        found = out.get((letter.game, letter.head["phase"]))
        if found is None:
            why = "it grades {}, and shows no roll of it"
            self.board.say("timing", False, place, why, letter.head["phase"])
            return
        phase = self.course.phases[letter.game, letter.head["phase"]]
        opened = phase.opened
        public = opened is not None and opened["chain"] == QUICKNET and not phase.of("beacon-change")
        if claim >= found.grade:
            self.board.say("timing", True, place, "")
        elif not public:
            self.board.say("timing", False, place, "without a public beacon the grade is C, not {}", claim)
        elif claim == "A" and not self.watched(phase):
            self.board.say("timing", False, place, "it claims a witness, and no letter shows one")
        else:
            for why, said in found.why or [("what is here does not prove it", ())]:
                self.board.say("timing", None, place, why, *said)
            why = "it claims {}; what is here proves {}"
            self.board.say("timing", None, place, why, claim, found.grade)

    def watched(self, phase: Phase) -> bool:
        """Whether anybody but the log has signed a tree in which a list of a phase was closed."""
        logs = {(key.name, key.ident) for key in self.keys.logs}
        slates = [slate for slate in map(self.course.slate, phase.of("close")) if slate is not None]
        closes = [*phase.of("close"), *(leaf for one in slates for leaf in self.course.bindings(one.board, "bind"))]
        trees: list[Tree] = [tree for leaf, tree in self.keys.trees if any(leaf.data == one.data for one in closes)]
        trees += [one for one in self.course.letters if any(map(one.shows, closes))]
        return any((name, ident) not in logs for tree in trees for name, ident, _ in tree.signatures)
