"""The unit of work, the pumps and the clocks: letters become commands, commands one transaction each.

This layer alone calls store, mail, audit and games together. It names no game and words no layout: games come
through `core.game.Registry`, letters go out through a `Renderer`. Import the functions from their modules:

clock.py
    Clock (Protocol): now() -> datetime         aware, UTC
    Pace(zone="UTC", weekdays=(0, ..., 6), hour=20, grace_hours=24, undo_minutes=30)      ValueError
    next_deadline(after, zone, weekdays, hour) -> datetime

server.py
    Server(engine, games, clock, renderer, key, local, domain, operator, secrets)     what stays while the server runs
        .session() -> Session                   one transaction: `with server.session() as session: ...` commits
        .work(now=None) -> Work                 the same, with the server and its moment
    Renderer (Protocol): subject(model, language) -> str; letter(model, language, aloud=False) -> str;
                         page(model, language) -> str
    Broken(ValueError)                          a request of the command line that cannot be done; `.why: Msg`

service.py                                      what the command line asks for; all raise Broken
    new_game(work, NewGame(name, game, scenario, options={}, overlay={}, pace=Pace(), terms=Terms(), open_seats=False))
    invite_seat(work, Invitation(game, seat, email, person="", language="en", zone="UTC")) -> str    (seat's address)
    rotate_seat(work, *, game, seat) -> str                 another address, the old one worthless
    start_game(work, name) -> None
    resume_game(work, name) -> None                         a held game goes on
    list_games(session) -> tuple[GameLine, ...]             name, game, scenario, state, phase, deadline
    show_game(work, name) -> GameCard                       .line: GameLine, .seats: tuple[SeatCard, ...], .dues
    deliver(server, raw: bytes) -> Delivered                one letter through the same door; .verdict, .outcome,
                                                            .answers: tuple[bytes, ...] (rendered, also queued)

due.py
    tick(server, at=nowhere) -> int             run what is due, each row in its own transaction; how many ran. A phase
                                                waits for a poll of the mailbox begun at its closing or later, unless
                                                all orders are in and there is no undo window. server.WEATHER passes.

pump.py                                         one thread, one mailbox (mail.imap)
    InboundPump(server, mailbox, at=nowhere, Polling(jitter=..., transact=at_once, guarded=False))
                                                `at` is told each point reached (pump.POINTS), `transact` runs the
                                                transactions: at once, or on the one thread that makes them all
        .step() -> Step                         one poll: fetch, take, commit, move; never raises MailboxDown
                                                Step.taken: int; Step.retry_in: float | None (seconds to wait after
                                                the mailbox was down; None: the poll went well)

postman.py
    async drain(server, send, worker=inline, at=nowhere) -> int
                                                one pass over the outbox: render, store the bytes, send, record;
                                                how many letters were sent. `send` takes a list of mail.smtp
                                                envelopes and whom to tell of each reply (mail.smtp.send_all with its
                                                settings); `worker` runs a blocking function off the loop:
                                                `await worker(function)`.

replay.py
    replay(work, name) -> Replayed              .phases: int; .difference: Difference | None (phase, what, stored, now)
    differences(work, name) -> tuple[Difference, ...]        phase by phase, each from its stored state

A letter in goes through intake.py (who wrote), reading.py (what it says: commands of forms.py, at most one block) and
commands.py (all of it or nothing): orders.py queues a block, verifying.py only looks at it, foretelling.py tells what
no die decides, weighing.py the odds of attacks, standing.py keeps standing orders, later.py orders for turns to come,
repeating.py lines that are repeated, and ahead.py makes both the orders of their phase; answers.py tells map, moves,
rules, charts and history (past.py), why.py takes a happening apart and precedents.py finds what was like it, throws.py
tells the dice of a turn and leverage.py what hung on them (fortune.py), preferences.py sets language, zone and temper,
digest.py tells together what gathering.py kept, joining.py lists games and gives seats away (seating.py), observing.py
lets others watch, visitors.py serves those without a seat.
deadlines.py plans when a phase closes, by the terms of the game (terms.py), absences (absences.py) and wishes
(timing.py); ladder.py says what follows a missed one, takeover.py gives a seat to somebody else, ending.py ends games
by the will of their players, each after a code (confirming.py); press.py passes letters on between players;
holding.py stops a game until a named person has decided (moderating.py, appeals.py), breakers.py when something is
wrong that no player is to blame for. ledger.py notes what happens in a game, logbook.py numbers and signs the
notes, proofs.py puts those that are new to a seat into its letters; disclosing.py opens everything when a game is
over. guard.py holds the database against what was signed last, which a file beside the keys remembers (signed.py);
recovering.py begins the log anew after a restore, checking.py recomputes it. witnessing.py asks friends to watch the
log, testimony.py takes in what they have signed, and cosigning.py says which of it counts for
grade A (grading.py).

moderating.py reads a moderator's line and makes the ruling, of those in rulings.py, on a game as bench.py puts it
before him; looking.py is for what only looks. By letter (chambers.py, read by dictation.py) he is told what his lines
would do, and a code makes them so (drafts.py); briefing.py answers his questions, evidence.py that for all dice of a
game. chairs.py knows who moderates and writes to him, appointing.py gives a game its moderator. resuming.py lets a
held game go on.

A phase in which somebody is asked by letter waits (pausing.py) for his answers (responding.py); each pause begins dice
anew (segments.py). letterwise.py carries letters of orders out one by one.

What has happened is changed by rulings alone: correcting.py, retrials.py and reopening.py, on rewinding.py, which makes
phases void; attempts.py counts and tells them, patching.py finds where corrected rules would change stored games.

Who wrote is told by admission.py; strangers.py answers those without a good address, bounces.py counts what came back,
quoted.py keeps what a letter merely quotes from counting.

A letter's model is a plain JSON value; every key is always there (letters.py):
    kind        "report" "question" "waiting" "receipt" "answered" "refusal" "verified" "status" "answer" "help"
                "cancelled" "settings" "confirm" "joined" "invitation" "unknown-sender" "no-seat" "closed" "over"
                "fault" "sealed" "disclosure" "announcement" "reminder" "press" "digest" "oath"
                "witness"; of an answer that says several things the weightiest (desk.py)
    subject     Msg                             as `Msg.to_json`
    game        str                             the id of the game, or ""
    rules       str                             the name of its rules in the registry, or ""
    title       Msg | null                      the game's title
    seat        str                             or ""
    phase       str                             "T3.spain~1", or ""
    address     str                             where to write (the Reply-To), or ""
    opening     [Msg]                           paragraphs, in order: what happened, what to do, by when
    report      Report.to_json | null           numbered events, forces, warnings of the game
    errors      [{line, text, column, width, why: Msg, rule, suggestions: [str]}]
                                                line counts from 1 in the letter, 0 when no line is meant; text is
                                                that line, the caret goes under column (from 0), width long
    warnings    [{line, why: Msg, rule}]        line 0 when none is meant
    blocks      [{title: Msg, lines}]           echoed orders, corrected block, maps, charts, what will happen; a line
                                                is a str, shown as it stands, or [depth, Msg], said and wrapped.
                                                In a stored model one may hold `weigh` or `luck`, what is to be reckoned
                                                in the place of its lines (weighing.kept, leverage.kept), before a
                                                renderer sees it
    closing     [Msg]                           paragraphs after the blocks
    template    [str]                           the order template with its header and END: the last thing in the
                                                letter but the footer, byte for byte as it stands; [] if none
Dates inside sentences are Msg of their own (letters.when), so a renderer has no zone to know.
"""
