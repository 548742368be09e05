"""What is compared after a drill: letters written, database, letters delivered; and the table that tells of it."""

from __future__ import annotations

import email
import email.policy
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import select

from pbem.runtime.transaction import Server
from pbem.server.mailbox_poller import MOST_ENDED_RUNS
from pbem.store import tables
from tests.drill.letters import ROLES, Written

_LOOKED_AT: tuple[Any, ...] = (
    tables.Inbox,
    tables.Raw,
    tables.QueuedOrders,
    tables.Draft,
    tables.Outbox,
    tables.Phase,
    tables.Event,
    tables.Seat,
    tables.Begun,
)
_REFUSED = frozenset({"refusal", "closed", "over"})
_UNREAD = "unread"
"""A letter that was on the table when two lives were ended is set aside in the third; its author is told."""
_OVER_BUDGET = "over-budget"
"""Strangers of one domain get so many answers a day, and no more."""
_SHARE = 50
"""Of so many letters one at most may be unread: kills are spread over all points, and over all letters."""
_TRACE = re.compile(rb"\A(?:(?:Return-Path|Delivered-To|Received):[^\n]*\n(?:[ \t][^\n]*\n)*)+")


@dataclass
class Findings:
    """What was counted, and what is wrong: a green drill has no troubles."""

    letters: int = 0
    copies: int = 0
    orders: int = 0
    refused: int = 0
    phases: int = 0
    reports: int = 0
    answers: int = 0
    deliveries: int = 0
    duplicates: int = 0
    given_up: int = 0
    unread: int = 0
    returned: int = 0
    over_budget: int = 0
    troubles: list[str] = field(default_factory=list)
    unread_names: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    lives: int = 0
    stops: int = 0
    seconds: float = 0.0

    def lines(self) -> Iterator[str]:
        """The table."""
        yield f"{sum(self.hits.values())} kills in {self.lives} lives, {self.stops} clean stops, {self.seconds:.0f} s"
        for name, counted in (("killed at", self.hits), ("line", self.faults)):
            for what, times in sorted(counted.items()):
                yield f"  {name:10} {what:22} {times:5}"
        rows = (
            ("letters written", self.letters),
            ("copies of them", self.copies),
            ("orders carried into a phase", self.orders),
            ("orders refused (late or of another turn)", self.refused),
            ("phases resolved", self.phases),
            ("reports", self.reports),
            ("answers", self.answers),
            ("letters delivered", self.deliveries),
            ("of these more than once", self.duplicates),
            ("letters given up (550)", self.given_up),
            ("letters set aside unread, after two kills", self.unread),
            ("letters given back, after three kills", self.returned),
            ("strangers above the day's answers", self.over_budget),
        )
        for label, count in rows:
            yield f"  {label:42} {count:6}"
        yield from (f"  WRONG: {trouble}" for trouble in self.troubles[:20])
        yield f"{len(self.troubles)} things wrong" if self.troubles else "nothing lost, nothing done twice"


def compare(
    server: Server,
    written: Mapping[str, Written],
    stored: Mapping[str, tuple[bytes, ...]],
    folders: Mapping[str, tuple[bytes, ...]],
    returned: int = 0,
) -> Findings:
    """Hold what the players wrote and got against what the database says; `folders` is empty without a mailbox.

    `returned`: how many letters went back to their senders, which are not among those written.
    """
    with server.session() as session:
        rows: dict[Any, list[Any]] = {table: list(session.exec(select(table)).all()) for table in _LOOKED_AT}
    findings = Findings(letters=len(written), copies=sum(letter.copies - 1 for letter in written.values()))
    findings.returned = returned
    # Its note stays: it was on the table when three lives were ended.
    ended = sum(row.account == "local" and row.lives > MOST_ENDED_RUNS + 1 for row in rows[tables.Begun])
    if returned != ended:
        findings.troubles.append(f"{returned} letters went back, and {ended} had ended three lives")
    _letters(findings, rows, written)
    if folders:
        _mailbox(findings, written, folders)
    _phases(findings, rows)
    delivered = _delivered(findings, stored)
    _answers(findings, rows, written, delivered)
    _reports(findings, rows, delivered)
    return findings


def _letters(findings: Findings, rows: dict[Any, list[Any]], written: Mapping[str, Written]) -> None:
    """Each letter was taken in as often as it came, and its orders are held once."""
    sets = Counter(row.inbox_id for row in rows[tables.QueuedOrders])
    # Names are read from the bytes: what the server believes of them is what is examined here.
    names = {row.sha256: str(_parsed(row.body)["Message-ID"]) for row in rows[tables.Raw]}
    taken: dict[str, list[tables.Inbox]] = defaultdict(list)
    for row in rows[tables.Inbox]:
        taken[names[row.sha256]].append(row)
    for name, letter in written.items():
        ours = taken.get(name, [])
        if not ours:
            findings.troubles.append(f"lost: {letter.kind} {name} was never taken in")
            continue
        effects = sum(sets[row.id] for row in ours)
        first = [row for row in ours if row.copy_of is None]
        unread = sum(row.outcome == _UNREAD for row in ours)
        findings.unread += unread
        findings.unread_names[name] += unread
        settled = unread or any(row.outcome in _REFUSED for row in first)
        if letter.kind == "orders" and effects == 0 and not settled:
            findings.troubles.append(f"lost: the orders of {name} are nowhere")
        if effects > 1:
            findings.troubles.append(f"twice: the orders of {name} were carried out {effects} times")
        if len(ours) > letter.copies:
            findings.troubles.append(f"twice: {name} was taken in {len(ours)} times and came {letter.copies} times")
        if len(ours) < letter.copies:
            findings.troubles.append(f"lost: {name} was taken in {len(ours)} times and came {letter.copies} times")
        findings.orders += effects
        findings.refused += letter.kind == "orders" and effects == 0 and not unread
    asked = sum(row.verdict in ROLES and row.outcome == "confirm" for row in rows[tables.Inbox])
    ruled = sum(letter.kind == "ruling" for letter in written.values())
    if not asked == len(rows[tables.Draft]) <= ruled <= asked + findings.unread:
        findings.troubles.append(f"{ruled} letters of rulings, {asked} codes, {len(rows[tables.Draft])} drafts")
    if (findings.unread + findings.returned) * _SHARE > max(len(written), 2 * _SHARE):
        findings.troubles.append(f"{findings.unread} letters were set aside unread, {findings.returned} given back")


def _mailbox(findings: Findings, written: Mapping[str, Written], folders: Mapping[str, tuple[bytes, ...]]) -> None:
    """Every letter lies in the folder of those that are done, as often as it came."""
    if folders["INBOX"]:
        findings.troubles.append(f"{len(folders['INBOX'])} letters are still in the inbox")
    done = Counter(str(_parsed(raw)["Message-ID"]) for raw in folders["Processed"])
    spoilt = Counter(str(_parsed(raw)["Message-ID"]) for raw in folders["Poison"])
    for name, letter in written.items():
        if spoilt[name] > findings.unread_names[name]:
            findings.troubles.append(f"{name} lies in the poison folder and was not set aside unread")
        if done[name] + spoilt[name] != letter.copies:
            findings.troubles.append(f"{name} came {letter.copies} times and lies {done[name]} times in Processed")


def _phases(findings: Findings, rows: dict[Any, list[Any]]) -> None:
    """Each phase was resolved once, and none is left out."""
    ends = Counter(row.phase_id for row in rows[tables.Event] if row.kind == "ended")
    numbers: dict[str, list[int]] = defaultdict(list)
    for row in rows[tables.Phase]:
        numbers[row.game_id].append(row.number)
        findings.phases += row.state == "resolved"
        if ends[row.id] != (row.state == "resolved"):
            findings.troubles.append(f"phase {row.number} of {row.game_id} ended {ends[row.id]} times")
    for game, counted in numbers.items():
        if sorted(counted) != list(range(1, len(counted) + 1)):
            findings.troubles.append(f"the phases of {game} are {sorted(counted)}")


def _delivered(findings: Findings, stored: Mapping[str, tuple[bytes, ...]]) -> dict[str, email.message.EmailMessage]:
    """The different letters that were delivered; the same name must always mean the same bytes."""
    bodies: dict[str, set[bytes]] = defaultdict(set)
    letters = {}
    for recipient, raws in stored.items():
        for raw in raws:
            letter = _parsed(raw)
            name = str(letter["Message-ID"])
            if not str(letter["From"]).endswith("<pbem@games.example>"):
                continue
            findings.deliveries += 1
            bodies[name].add(hashlib.sha256(recipient.encode() + b"\n" + _TRACE.sub(b"", raw)).digest())
            letters[name] = letter
    for name, different in bodies.items():
        if len(different) > 1:
            findings.troubles.append(f"{name} was sent as {len(different)} different letters")
    findings.duplicates = findings.deliveries - len(letters)
    return letters


def _answers(
    findings: Findings,
    rows: dict[Any, list[Any]],
    written: Mapping[str, Written],
    delivered: Mapping[str, email.message.EmailMessage],
) -> None:
    """Every letter has one answer, delivered; that of a stranger may have been refused for good."""
    replies: dict[str, set[str]] = defaultdict(set)
    for name, reply in delivered.items():
        if reply["In-Reply-To"]:
            replies[str(reply["In-Reply-To"])].add(name)
    known = {row.message_id for row in rows[tables.Outbox]}
    failed = {row.in_reply_to: row for row in rows[tables.Outbox] if row.state == "failed"}
    findings.given_up = len(failed)
    for row in rows[tables.Outbox]:
        if row.state not in ("sent", "failed") or (row.state == "failed" and row.last_code != 550):
            findings.troubles.append(f"{row.message_id} is {row.state}: {row.last_code} {row.last_text}")
    findings.over_budget = sum(row.outcome == _OVER_BUDGET for row in rows[tables.Inbox])
    # Of a letter that was set aside unread its seat is told, and no stranger.
    silent = {row.message_id for row in rows[tables.Inbox] if row.outcome in (_OVER_BUDGET, _UNREAD)}
    for name, letter in written.items():
        # One that was set aside unread and came again is told of once more, and then no more.
        if len(replies[name]) > (2 if findings.unread_names[name] > 1 else 1):
            findings.troubles.append(f"{name} was answered under {len(replies[name])} names")
        if not replies[name] and not (letter.kind == "stranger" and (name in failed or name in silent)):
            findings.troubles.append(f"{name} ({letter.kind}) was never answered")
        findings.answers += len(replies[name])
    for name in delivered:
        if name not in known:
            findings.troubles.append(f"{name} was delivered, and the database does not know it")


def _reports(findings: Findings, rows: dict[Any, list[Any]], delivered: Mapping[str, Any]) -> None:
    """Each seat got a report of the beginning and of each phase resolved, each under one name."""
    resolved = Counter(row.game_id for row in rows[tables.Phase] if row.state == "resolved")
    queued: dict[int, list[str]] = defaultdict(list)
    for row in rows[tables.Outbox]:
        if row.kind == "report":
            queued[row.seat_id].append(row.message_id)
    for seat in rows[tables.Seat]:
        names = queued[seat.id]
        missing = [name for name in names if name not in delivered]
        findings.reports += len(names) - len(missing)
        if len(names) != resolved[seat.game_id] + 1:
            findings.troubles.append(
                f"{seat.name} of {seat.game_id} has {len(names)} reports of {resolved[seat.game_id]}"
            )
        findings.troubles += [f"lost: the report {name} was never delivered" for name in missing]


def _parsed(raw: bytes) -> email.message.EmailMessage:
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(letter, email.message.EmailMessage)
    return letter
