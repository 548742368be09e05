"""What is written instead of each value, by which server; and what the verifiers say of the letters then.

A field that `LIES` has not is changed by `another_value`, in the first story that writes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from pbem.audit import signing
from pbem.cli.letter_checks import verify_items
from pbem.engine.data.canon import dumps, loads
from pbem.verifier.mailbox import LetterToCheck
from pbem.verifier.verification import Verdict, status_by_check
from pbem.verifier.words import ONLY_FULL_MODE, UNVERIFIABLE
from tests.audit.checked import QUICK, reader, verify
from tests.audit.lies import Lie, another_value, watch_writing
from tests.audit.provenance import read_rows
from tests.audit.server_stories import STORIES

HASH, SIGNATURE = "ab" * 32, "ab" * 48
GROUND = "ground"
"""A name that nobody gave."""


class Change(NamedTuple):
    """The story in which something else is written, and what; in the first block after `skip`, or in all."""

    story: str
    change: Callable[[str], str] = another_value
    skip: int = 0
    all: bool = False
    also: str = ""


def put(value: str) -> Callable[[str], str]:
    return lambda _: value


def swap(old: str, new: str) -> Callable[[str], str]:
    return lambda value: value.replace(old, new)


def break_proof(value: str) -> str:
    """A proof with another end."""
    return value[:-1] + ("1" if value[-1] == "0" else "0")


def add_hour(value: str) -> str:
    """An hour later."""
    return str(int(value) + 3600)


def reverse_words(value: str) -> str:
    """The words of a value in the other order."""
    return " ".join(value.split(" ")[::-1])


def mirror_lot(value: str) -> str:
    """The lot that is as far from the end as this one from the beginning."""
    return str(2**32 + 1 - int(value))


def edit_json(change: Callable[[Any], Any]) -> Callable[[str], str]:
    return lambda value: dumps(change(loads(value)))


def rob_unit(unit: str) -> Callable[[Any], Any]:
    """Rows in which a unit has a step less than it has: the second of two numbers, or the only one."""
    steps = re.compile(rf'("{unit}"[^0-9]*[0-9],|"{unit}"[^0-9]*)([2-9])')
    return lambda state: loads(steps.sub(lambda match: f"{match[1]}{int(match[2]) - 1}", dumps(state), count=1))


def rob(rows_: Any) -> Any:
    """A ledger in which the first unit has a step less."""
    text = dumps(rows_)
    position = next(
        index for index, letter in enumerate(text) if letter in "23456789" and not text[index - 1].isalnum()
    )
    return loads(f"{text[:position]}{int(text[position]) - 1}{text[position + 1 :]}")


OTHER_KEY = signing.make_signer("games.example/pbem", b"q" * 32)[0].text
OTHER_PHASE = swap("T1", "T7")

ASKED, SMALL, SMALL_BOARD = "asked_and_ruled", "small_change", "small_board"
LIES: dict[str, Change] = {
    "slate.game": Change(ASKED, put("g9")),
    "slate.phase": Change(SMALL, OTHER_PHASE),
    "slate.segment": Change("small_pause", swap("2", "3")),
    "slate.dice": Change("one_luck", put("own")),
    "slate.groups": Change(ASKED, put("all lucky7")),
    "slate.beacon": Change(SMALL, swap(" 123", " 1000")),
    "slate.seat.name": Change(SMALL, swap("morocco", "maroc")),
    "board.game": Change(SMALL_BOARD, put("event/cup61")),
    "board.board": Change(SMALL_BOARD, OTHER_PHASE),
    "board.table.name": Change(SMALL_BOARD, swap("01b", "01c")),
    "board.beacon": Change(SMALL_BOARD, swap(" 123", " 1000")),
    "draw.game": Change("cup", put("event/cup61")),
    "draw.round": Change("cup", swap("r1", "r7")),
    "draw.beacon": Change(SMALL_BOARD, swap(" 123", " 1000")),
    "draw.entrant.name": Change(SMALL_BOARD, swap("e1", "e9")),
    "draw.entrant.team": Change("cup", put("lions")),
    "draw.away": Change("cup", put("e1")),
    "draw.barred": Change("cup", put("e4-e7")),
    "draw.challenge": Change("ladder", reverse_words),
    "draw.boards": Change("small_teams"),
    "draw.lineup": Change("teams", lambda value: " ".join([value.split()[0], *value.split()[:0:-1]])),
    "manifest.game": Change(ASKED, put("g9")),
    "manifest.phase": Change(ASKED, OTHER_PHASE),
    "manifest.segment": Change(ASKED),
    "manifest.group": Change(ASKED, put("lucky7")),
    "manifest.roll": Change(ASKED, lambda value: value[:-1] + ("1" if value[-1] != "1" else "2")),
    **{f"label.{purpose}": Change("cup", mirror_lot, all=True) for purpose in ("lot", "bye", "seed", "jury")},
    **{f"label.{purpose}": Change("cup", mirror_lot) for purpose in ("side", "tie")},
    "label.battle": Change("battles", mirror_lot, all=True),
    "label.adj": Change("cut_off", lambda value: re.sub("[0-9]+", "1", value)),
    "edition.options": Change(
        "against_a_bot", edit_json(lambda options: {**options, "loss_basis": "opponent-stack"}), all=True
    ),
    "edition.charts": Change(
        "against_a_bot", edit_json(lambda charts: {name: f"{text}\n" for name, text in charts.items()}), all=True
    ),
    "edition.map": Change("against_a_bot", edit_json(rob), all=True),
    "edition.scenario": Change("against_a_bot", edit_json(lambda scenario: {**scenario, "title": GROUND}), all=True),
    "edition.errata": Change("against_a_bot", put('""'), all=True),
    "camp.title": Change("war", put('"ground"')),
    "camp.file": Change("war", edit_json(lambda file: {**file, "title": GROUND})),
    "camp.legs": Change("open_war", edit_json(rob_unit("Cordoba"))),
    "camp.camp": Change("open_war"),
    "camp.before": Change("war", edit_json(rob)),
    "camp.after": Change("war", edit_json(rob_unit("Cordoba"))),
    "camp.seats": Change("war", edit_json(lambda _: {"morocco": "spain", "spain": "morocco"})),
    "camp.order": Change("war", edit_json(lambda order: order[::-1])),
    "camp.options": Change("war", edit_json(lambda options: {})),
    "camp.fog": Change("war", put("false")),
    "camp.salt": Change("war", edit_json(lambda _: HASH), all=True, also="battle.salt"),
    "battle.salt": Change("war", edit_json(lambda _: HASH), all=True, also="camp.salt"),
    "war.war": Change("war", put("w61")),
    "war.terms": Change("open_war"),
    "link.war": Change("war", put("w61")),
    "link.after": Change("war", put("w60-9")),
    "leaf.seq": Change(SMALL, put("7"), 3),
    "leaf.prev": Change(ASKED, put(HASH), 3),
    "leaf.salt": Change(ASKED, another_value, 3),
    "genesis.log": Change(ASKED, put(OTHER_KEY)),
    "genesis.chain": Change(SMALL, put(HASH)),
    "beacon.chain": Change("waited", put(HASH), all=True),
    "rotate.log": Change("with_other_keys", put(OTHER_KEY)),
    "rotate.why": Change("with_other_keys", put("recovery")),
    "open.phase": Change(ASKED, OTHER_PHASE),
    "open.D": Change("waited", add_hour),
    "open.chain": Change(SMALL, put(HASH)),
    "open.round": Change("waited"),
    "open.seats": Change(SMALL, put("morocco")),
    "open.system": Change(ASKED, put("chess")),
    "open.pace": Change(ASKED, put("activation")),
    "open.opened": Change(ASKED, put("all")),
    "open.bots": Change("against_a_bot", put("-"), all=True),
    "deadline.phase": Change(ASKED, OTHER_PHASE),
    "deadline.D": Change("waited", add_hour),
    "deadline.cause": Change(ASKED, put("outage")),
    "order.phase": Change(ASKED, OTHER_PHASE),
    "order.seat": Change(ASKED, put("south"), 1),
    "order.standing": Change(ASKED, another_value, 1, all=True),
    "order.orders": Change(ASKED, another_value, 1, all=True),
    "order.recv": Change(SMALL_BOARD, add_hour),
    "answer.phase": Change(ASKED, OTHER_PHASE),
    "answer.seat": Change(ASKED, put("north")),
    "close.phase": Change(ASKED, OTHER_PHASE),
    "close.groups": Change(ASKED, put("all lucky7")),
    "close.seen": Change(ASKED, put(f"north:1:{HASH}")),
    "roll.phase": Change(ASKED, OTHER_PHASE),
    "roll.groups": Change(SMALL, put("lucky7")),
    "roll.sig": Change("waited"),
    "roll.group": Change(ASKED, break_proof),
    "result.phase": Change(ASKED, OTHER_PHASE),
    "again.phase": Change(ASKED, OTHER_PHASE),
    "ruling.phase": Change(ASKED, swap("T2", "T7")),
    "disclose.phase": Change(ASKED, OTHER_PHASE),
    "beacon-change.phase": Change(SMALL, OTHER_PHASE),
    "beacon-change.segment": Change(SMALL),
    "beacon-change.ruling": Change(SMALL),
    "beacon-change.chain": Change(SMALL, put(HASH)),
    "beacon-change.round": Change(SMALL, put("123")),
    "found.name": Change("cup", put("cup61")),
    "enter.entrant": Change("cup", swap("e1", "e9")),
    "found.version": Change("cup", put("1")),
    "team.entrant": Change("teams", put("e90")),
    "member.entrant": Change("teams", put("e90")),
    "member.team": Change("teams", put("e90")),
    "lineup.team": Change("teams", put("e90")),
    "lineup.boards": Change("teams", reverse_words),
    "leave.entrant": Change("cup", put("e1")),
    "leave.why": Change("cup", put("return")),
    "challenge.round": Change("ladder", swap("r2", "r3")),
    "challenge.challenger": Change("ladder", put("e6")),
    "challenge.challenged": Change("ladder", put("e4")),
    "shut.round": Change("cup", swap("r1", "r7")),
    "shut.chain": Change(SMALL_BOARD, put(HASH)),
    "shut.beacon": Change(SMALL_BOARD),
    "lot.round": Change("cup", swap("r1", "r7")),
    "lot.sig": Change(SMALL_BOARD),
    "lot.group": Change("cup", break_proof),
    "lot-needed.lot": Change("small_lots", swap("jury", "appeal")),
    "lot-needed.first": Change("small_lots", put("e1")),
    "lot-needed.then": Change("small_lots", put("e1")),
    "lot-needed.chain": Change("small_lots", put(HASH)),
    "lot-needed.beacon": Change("small_lots"),
    "lot-drawn.lot": Change("small_lots", swap("jury", "appeal")),
    "lot-drawn.asked": Change("small_lots", reverse_words),
    "lot-drawn.sig": Change("small_lots"),
    "lot-drawn.group": Change("cup", break_proof),
    "pair.round": Change("cup", swap("r1", "r7")),
    "pair.first": Change("cup", put("e1")),
    "pair.second": Change("cup", put("e1")),
    "pair.table": Change("cup", put("cup60-r1-09")),
    "pair.battle": Change("battles", put("tetuan")),
    "score.round": Change("cup", swap("r1", "r2")),
    "score.table": Change("cup", put("cup60-r1-09")),
    "score.halves": Change("played_out", lambda value: "1 1" if value != "1 1" else "2 0"),
    "score.margin": Change("played_out"),
    "score.how": Change("played_out", swap("played", "adjudicated")),
    "standing.round": Change("cup", swap("r1", "r2")),
    "rated.pool": Change("cup", put("other")),
    "rated.period": Change("cup", put("2031-07")),
    "bind.board": Change(SMALL_BOARD, OTHER_PHASE),
    "bind.chain": Change(SMALL_BOARD, put(HASH)),
    "bind.beacon": Change(SMALL_BOARD),
    "deal.board": Change(SMALL_BOARD, OTHER_PHASE),
    "deal.sig": Change(SMALL_BOARD),
    "deal.group": Change(SMALL_BOARD, break_proof),
}

UNTOLD = {
    "edition.game": "no server plays an edition of other rules than its game's",
    "edition.rules": "no server plays an edition of other rules than its game's",
    "roll.groups": "a leaf whose groups are not those of its proofs is none",
}
"""What cannot be told otherwise, and why not."""


NAMED = {"NOT CHECKED believed": UNVERIFIABLE, "NOT CHECKED unasked": ONLY_FULL_MODE}
"""The lines below all checks that name fields, or all fields of a block."""


@cache
def play_honestly(story: str) -> tuple[frozenset[str], Verdict, Verdict]:
    """The fields that a story writes, and what plain and full mode say of its letters."""
    with watch_writing() as made:
        letters = play(story)
    return frozenset(made.fields), *judge_both(story, letters)


def play(story: str) -> list[LetterToCheck]:
    with TemporaryDirectory() as folder:
        return STORIES[story].play(Path(folder))


def judge_both(story: str, letters: list[LetterToCheck]) -> tuple[Verdict, Verdict]:
    """What plain and full mode say of letters."""
    return verify(letters), verify_items(letters, reader(), QUICK, STORIES[story].books)


def tell_lie(field: str) -> tuple[str, list[LetterToCheck]]:
    """A story, and the letters of a server that writes another value in a field."""
    change = LIES.get(field) or Change(next(story for story in STORIES if field in play_honestly(story)[0]))
    with watch_writing(Lie(field, *change[1:])) as made:
        letters = play(change.story)
    assert made.told_of is not None, f"{field}: {change.story} has no value of it that is changed"
    return change.story, letters


def names(field: str, text: str) -> bool:
    """Whether a text names a field, or the block that it stands in."""
    return bool({field, field.partition(".")[0]} & {word.strip(".") for word in re.findall("[a-z.-]+", text)})


def find_differences(field: str, story: str, verdicts: tuple[Verdict, Verdict]) -> list[str]:
    """Where the verifiers say something else of another value than its row."""
    row, out = read_rows()[field], []
    for mode, wanted, verdict, usual in zip(
        ("plain", "full"), (row.plain, row.full), verdicts, play_honestly(story)[1:], strict=True
    ):
        after, before = status_by_check(verdict), status_by_check(usual)
        false = sorted(check for check, status in after.items() if status == "FALSE" and before[check] != "FALSE")
        if wanted in NAMED:
            good = not false and names(field, NAMED[wanted])
        else:
            status, _, check = wanted.rpartition(" ")
            good = check in false if status == "FALSE" else not false and after[check] == status
        if not good:
            doubts = [check for check, status in after.items() if status == "NOT CHECKED" and before[check] != status]
            out.append(f"{field}: {mode} mode is to say {wanted}, and says FALSE {false}, NOT CHECKED {doubts}")
    return out
