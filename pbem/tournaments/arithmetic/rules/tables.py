"""Define every key of a tournament's rules, with its default.

::

    title               text         must     what it is called
    code                conduct.txt  conduct.txt  file of the code of conduct, whose digest JOIN accepts
    zone                Europe/Madrid  UTC     time zone of its deadlines
    entry.places        2-4096       16       how many play
    entry.waiting       0-4096       8        how many may wait for a place
    entry.closes        date         -        when the list shuts; never by itself if nothing is said
    entry.games         0-1000       0        games that one must have finished
    entry.misses        0%-100%      100%     most of one's phases that one may have missed
    entry.late_rounds   0-99         2        last round that one may enter before, in swiss and ladder
    entry.late_points   0/0.5/1      0.5      points for each round missed by entering late
    entry.seeds         rating/entry/lot  rating  how the first stage is seeded
    entry.by            all/invitation/approval  all  who may enter: all, or whom the director invites or admits
    entry.least         0-9999       0        rating that one must have, of the pool; 1500 without one
    entry.most          0-9999       0        rating that one may have; 0: any
    table.game          text         -        whose scenario, where several games have one of that name
    table.scenario      text         must     what is played
    table.beacon        text         none     what the dice wait for, none or quicknet
    table.bank_hours    0-8760       240      hours in the bank of a seat
    table.step_hours    1-720        24       hours added for each phase
    table.terms         names        -        further terms of the games, as pbem game new has them
    round.days          0-1000       0        length of a round; 0: until its certain end
    round.list_hours    0-720        24       from the published list to the draw
    round.start_hours   1-720        48       from the draw to the first deadline
    round.gap_hours     0-8760       24       from the end of a round to the next list
    stage.format        swiss/robin/knockout/double/ladder/league  must  how it is paired
    stage.rounds        0-99         0        rounds of swiss and ladder; the others have their own
    stage.sides         balanced/mirror/duplicate/bid/lot  balanced  who has which side
    stage.double        true/false   false    robin and league: everybody meets everybody twice
    stage.challenge     swap/half    swap     ladder: what a challenger who wins gets
    stage.reach         1-99         4        ladder: how many places up one may challenge
    stage.divisions     1-64         1        league: how many divisions
    stage.moving        0-99         1        league: how many go up and down between two divisions
    stage.take          0-4096       0        how many of the stage before go on; 0: all
    stage.carry         none/half/all  none   which part of their points they bring along
    stage.days          0-1000       0        length of its rounds; 0: as round.days says
    stage.luck          own/one      own      whether the two tables of a mirrored board have one luck
    stage.scenarios     names        -        what its rounds play in turn; none: table.scenario
    stage.third         true/false   false    knockout: the losers of the semi-finals play for third place
    stage.deal          rank/snake   rank     league: divisions by rank, or dealt to and fro so that they are alike
    stage.each          0-99         0        how many of each division of the stage before go on, instead of take
    stage.replays       0-9          0        knockout: how often a drawn tie is played again
    stage.best          1-5          1        knockout: games of a tie, an odd number
    stage.battle        turn, lot, choice  -  how rounds find their battles among scenarios; none: in turn
    ties.order          points, buchholz, direct, sonneborn, margin, lot, median, cut, wins, progress, luck  \
points, buchholz, direct, sonneborn, margin, lot  what parts those level, in order
    ties.luck_weight    0%-100%      0%       how much of their luck is taken off margins in luck
    left.here_hours     1-720        72       to answer HERE when one was asked
    left.offer_hours    1-720        48       to accept a place that is offered
    left.substitute     waiting/none  waiting  who takes over from him who is silent
    left.forfeit_after  1-99         4        phases missed in a row that lose a game
    left.no_show        substitute, bye, forfeit  substitute, bye  what is done, in order, if one never wrote
    left.ask            director/-   -        who is asked before a seat is offered
    left.ask_hours      1-720        48       how long he has, until it is offered all the same
    unfinished.order    points:N, continue:N:P%, jury, draw  -  what decides a game that the end of the round cuts off
    disputes.director_hours  1-720   72       the director's, before a jury is drawn by lot
    disputes.jurors     1-9          3        how many, an odd number
    disputes.jury_hours  1-720       72       a juror's, before another is drawn
    disputes.appeal_hours  0-720     72       to appeal once; 0: nobody may
    limits.tables       1-16         2        tables at once
    limits.half_byes    0-9          1        rounds rested that are worth half a point
    teams.boards        0-32         0        boards of a match; 0: everybody plays for himself
    teams.reserves      0-32         2        members beyond the boards
    teams.lineup_hours  1-720        48       hours before a list shuts, when captains are asked
    rating.pool         text         -        the pool of ratings that results count in; none if nothing is said
    office.deputy_days  1-365        7        days of silence of the director until his deputy directs too
    holidays.first      date         must     first day of holidays, on which no deadline runs
    holidays.last       date         must     their last day
    prizes.N            text         -        a prize of place N: 1 = "Book"
    prizes."best:<N"    text         -        a prize of the best below a strength; "best:>=N", "best:N-M" likewise
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pbem.tournaments.arithmetic.rules.kinds import (
    TERMS,
    TableKey,
    day,
    flag,
    halves,
    integer_kind,
    moment,
    names_kind,
    percent,
    text_kind,
    ways,
    word_kind,
    words_kind,
)
from pbem.tournaments.arithmetic.rules.records import (
    DeputyRules,
    DisputeRules,
    EntryRules,
    Holiday,
    NoShowRules,
    RatingRules,
    RoundRules,
    StageRules,
    TableLimits,
    TableRules,
    TeamRules,
    TieBreakRules,
    UnfinishedGameRules,
)

CRITERIA_NAMES = (
    "points",
    "buchholz",
    "direct",
    "sonneborn",
    "margin",
    "lot",
    "median",
    "cut",
    "wins",
    "progress",
    "luck",
)
"""E7 The names of tie-break criteria."""

TOP = (
    TableKey("title", text_kind(80, 1, says="text"), None, "what it is called"),
    TableKey(
        "code", text_kind(80, 0, r"([\w-]+(\.[\w-]+)*)?", "conduct.txt"), "conduct.txt", "file of the code of conduct"
    ),
    TableKey("zone", text_kind(60, 1, r"[\w+-]+(/[\w+-]+)*", "Europe/Madrid"), "UTC", "time zone of its deadlines"),
)
_NO_SHOW = words_kind("substitute", "bye", "forfeit", joined="/")
_NAME = r"[A-Za-z0-9_-]*"
# The least and the most of numbers are a choice: wide enough for any tournament by mail, against slips in typing.
TABLES: Mapping[str, tuple[TableKey, ...]] = MappingProxyType(
    {
        "entry": (
            TableKey("places", integer_kind(2, 4096), 16, "how many play"),
            TableKey("waiting", integer_kind(0, 4096), 8, "how many may wait for a place"),
            TableKey("closes", moment, "", "when the list shuts"),
            TableKey("games", integer_kind(0, 1000), 0, "games that one must have finished"),
            TableKey("misses", percent, 100, "most of one's phases that one may have missed"),
            TableKey("late_rounds", integer_kind(0, 99), 2, "last round that one may enter before"),
            TableKey("late_points", halves, 1, "points for each round missed by entering late"),
            TableKey("seeds", word_kind("rating", "entry", "lot"), "rating", "how the first stage is seeded"),
            TableKey("by", word_kind("all", "invitation", "approval"), "all", "who may enter"),
            TableKey("least", integer_kind(0, 9999), 0, "rating that one must have"),
            TableKey("most", integer_kind(0, 9999), 0, "rating that one may have"),
        ),
        "table": (
            TableKey("game", text_kind(60, 0, _NAME), "", "whose scenario"),
            TableKey("scenario", text_kind(60, 1, _NAME), None, "what is played"),
            TableKey("beacon", text_kind(60, 1, _NAME), "none", "what the dice wait for"),
            TableKey("bank_hours", integer_kind(0, 8760), 240, "hours in the bank of a seat"),
            TableKey("step_hours", integer_kind(1, 720), 24, "hours added for each phase"),
            TableKey("terms", TERMS, MappingProxyType({}), "further terms of the games"),
        ),
        "round": (
            TableKey("days", integer_kind(0, 1000), 0, "length of a round"),
            TableKey("list_hours", integer_kind(0, 720), 24, "from the published list to the draw"),
            TableKey("start_hours", integer_kind(1, 720), 48, "from the draw to the first deadline"),
            TableKey("gap_hours", integer_kind(0, 8760), 24, "from the end of a round to the next list"),
        ),
        "stage": (
            TableKey(
                "format",
                word_kind("swiss", "robin", "knockout", "double", "ladder", "league"),
                None,
                "how it is paired",
            ),
            TableKey("rounds", integer_kind(0, 99), 0, "rounds of swiss and ladder"),
            TableKey(
                "sides", word_kind("balanced", "mirror", "duplicate", "bid", "lot"), "balanced", "who has which side"
            ),
            TableKey("double", flag, False, "everybody meets everybody twice"),
            TableKey("challenge", word_kind("swap", "half"), "swap", "what a challenger who wins gets"),
            TableKey("reach", integer_kind(1, 99), 4, "how many places up one may challenge"),
            TableKey("divisions", integer_kind(1, 64), 1, "how many divisions"),
            TableKey("moving", integer_kind(0, 99), 1, "how many go up and down"),
            TableKey("take", integer_kind(0, 4096), 0, "how many of the stage before go on"),
            TableKey("carry", word_kind("none", "half", "all"), "none", "which part of their points they bring along"),
            TableKey("days", integer_kind(0, 1000), 0, "length of its rounds"),
            TableKey(
                "luck", word_kind("own", "one"), "own", "whether the two tables of a mirrored board have one luck"
            ),
            TableKey("scenarios", names_kind(_NAME), (), "what its rounds play in turn"),
            TableKey("third", flag, False, "the losers of the semi-finals play for third place"),
            TableKey("deal", word_kind("rank", "snake"), "rank", "divisions by rank, or dealt to and fro"),
            TableKey("each", integer_kind(0, 99), 0, "how many of each division of the stage before go on"),
            TableKey("replays", integer_kind(0, 9), 0, "how often a drawn tie is played again"),
            TableKey("best", integer_kind(1, 5), 1, "games of a tie"),
            TableKey(
                "battle",
                words_kind("turn", "lot", "choice", joined="/", repeated=True),
                (),
                "how rounds find their battles",
            ),
        ),
        "ties": (
            # Up to the lot, which always decides; the criteria after it are for rules that name them.
            TableKey("order", words_kind(*CRITERIA_NAMES), CRITERIA_NAMES[:6], "what parts those level, in order"),
            TableKey("luck_weight", percent, 0, "how much of their luck is taken off margins"),
        ),
        "left": (
            TableKey("here_hours", integer_kind(1, 720), 72, "to answer HERE"),
            TableKey("offer_hours", integer_kind(1, 720), 48, "to accept a place that is offered"),
            TableKey("substitute", word_kind("waiting", "none"), "waiting", "who takes over"),
            TableKey("forfeit_after", integer_kind(1, 99), 4, "phases missed in a row that lose a game"),
            TableKey("no_show", _NO_SHOW, ("substitute", "bye"), "what is done, in order, if one never wrote"),
            TableKey("ask", word_kind("director", ""), "", "who is asked before a seat is offered"),
            TableKey("ask_hours", integer_kind(1, 720), 48, "how long he has"),
        ),
        "unfinished": (TableKey("order", ways, (), "what decides a game that the end of the round cuts off"),),
        "disputes": (
            TableKey("director_hours", integer_kind(1, 720), 72, "the director's"),
            TableKey("jurors", integer_kind(1, 9), 3, "how many"),
            TableKey("jury_hours", integer_kind(1, 720), 72, "a juror's"),
            TableKey("appeal_hours", integer_kind(0, 720), 72, "to appeal once"),
        ),
        "limits": (
            TableKey("tables", integer_kind(1, 16), 2, "tables at once"),
            TableKey("half_byes", integer_kind(0, 9), 1, "rounds rested that are worth half a point"),
        ),
        "teams": (
            TableKey("boards", integer_kind(0, 32), 0, "boards of a match"),
            TableKey("reserves", integer_kind(0, 32), 2, "members beyond the boards"),
            TableKey("lineup_hours", integer_kind(1, 720), 48, "hours before a list shuts"),
        ),
        "rating": (TableKey("pool", text_kind(60, 0, _NAME), "", "the pool of ratings"),),
        "office": (
            TableKey(
                "deputy_days", integer_kind(1, 365), 7, "days of silence of the director until his deputy directs too"
            ),
        ),
        "holidays": (
            TableKey("first", day, None, "first day of holidays"),
            TableKey("last", day, None, "their last day"),
        ),
    }
)
"""The tables of the file, and their keys in the order of their records' fields. A limit of a value keeps it plausible,
so that a slip in typing is found, and a tournament small enough to be drawn within seconds."""

RECORDS: Mapping[str, Any] = MappingProxyType(
    {
        "entry": EntryRules,
        "table": TableRules,
        "round": RoundRules,
        "stage": StageRules,
        "ties": TieBreakRules,
        "left": NoShowRules,
        "unfinished": UnfinishedGameRules,
        "disputes": DisputeRules,
        "limits": TableLimits,
        "teams": TeamRules,
        "rating": RatingRules,
        "office": DeputyRules,
        "holidays": Holiday,
    }
)
"""The record of each table."""

LISTS = ("stage", "holidays")
"""The tables that a file may have several of."""

FORMAT_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "rounds": ("swiss", "ladder"),
        "double": ("robin", "league"),
        "challenge": ("ladder",),
        "reach": ("ladder",),
        "divisions": ("league",),
        "moving": ("league",),
        "third": ("knockout",),
        "deal": ("league",),
        "replays": ("knockout",),
        "best": ("knockout",),
    }
)
"""The keys of a stage that only some formats have, with these formats."""
