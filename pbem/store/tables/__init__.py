"""The tables. Text with a check stands where a closed set of words is meant; every moment is aware and in UTC.

`event` and `basis` are append-only, and so are the bytes of `leaf`: the migrations that make them add triggers that
refuse UPDATE and DELETE. `snapshot` is a cache; the rest is what a game, its log and its post are made of.
"""

from __future__ import annotations

import pbem.store.naming  # noqa: F401  # constraints are named by what it says
from pbem.store.tables.budgets import Begun, Use
from pbem.store.tables.dues import Delay, Due
from pbem.store.tables.games import Edition, Game, Seat
from pbem.store.tables.log import Checkpoint, Leaf, Lease, Node, Shown
from pbem.store.tables.orders import Later, Proposal, QueuedOrders, Standing, Wish
from pbem.store.tables.pauses import Question, Segment
from pbem.store.tables.people import Absence, Address, Observer, Person, Seek, Standby, Writer
from pbem.store.tables.phases import Basis, Event, Phase, Snapshot
from pbem.store.tables.post import Attempt, Content, Gathered, Inbox, Outbox, Picture, Poll, Press, Raw, Tally
from pbem.store.tables.rulings import Appeal, Draft, Moderator, Ruling
from pbem.store.tables.tournaments import (
    Bid,
    Board,
    Challenge,
    Dispute,
    Docket,
    Entrant,
    Follower,
    Ground,
    Lineup,
    Lot,
    Rating,
    Round,
    Silence,
    Team,
    Tournament,
    Vote,
)
from pbem.store.tables.wars import War, WarGame
from pbem.store.tables.witnesses import Cosignature, Statement, WebCosignature, Witness

__all__ = [
    "Absence",
    "Address",
    "Appeal",
    "Attempt",
    "Basis",
    "Begun",
    "Bid",
    "Board",
    "Challenge",
    "Checkpoint",
    "Content",
    "Cosignature",
    "Delay",
    "Dispute",
    "Docket",
    "Draft",
    "Due",
    "Edition",
    "Entrant",
    "Event",
    "Follower",
    "Game",
    "Gathered",
    "Ground",
    "Inbox",
    "Later",
    "Leaf",
    "Lease",
    "Lineup",
    "Lot",
    "Moderator",
    "Node",
    "Observer",
    "Outbox",
    "Person",
    "Phase",
    "Picture",
    "Poll",
    "Press",
    "Proposal",
    "Question",
    "QueuedOrders",
    "Rating",
    "Raw",
    "Round",
    "Ruling",
    "Seat",
    "Seek",
    "Segment",
    "Shown",
    "Silence",
    "Snapshot",
    "Standby",
    "Standing",
    "Statement",
    "Tally",
    "Team",
    "Tournament",
    "Use",
    "Vote",
    "War",
    "WarGame",
    "WebCosignature",
    "Wish",
    "Witness",
    "Writer",
]
