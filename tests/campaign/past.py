"""The past of other games, written into a database by statements: what a server has behind it after a year."""

from __future__ import annotations

from sqlalchemy import Engine

HISTORY = (
    """INSERT INTO game (id, system, scenario, edition_digest, scheme, state, held_why, zone, weekdays, hour,
       grace_hours, undo_minutes, root, created, open_seats, terms, result, asked_by)
       SELECT 'f' || n, system, scenario, edition_digest, scheme, state, held_why, zone, weekdays, hour,
       grace_hours, undo_minutes, root, created, open_seats, terms, result, asked_by
       FROM game, few WHERE id = 'g1'""",
    """INSERT INTO seat (game_id, name, side, person_id, generation, language, zone, format, map, nonce, template,
       last_letter, strikes, bounces, missed, spent, notify, reminded, repeats, muted, press_forbidden, bot, published,
       pen_name)
       SELECT 'f' || n, name, side, person_id, 1, 'en', 'UTC', 'text', 'on', '', '', '', 0, 0, 0, 0, '', 1, '', '', 0,
       '', '', '' FROM seat, few WHERE game_id = 'g1'""",
    """INSERT INTO phase (game_id, number, turn, name, attempt, run, state, opened, deadline)
       SELECT 'f' || (n % {games}), 1 + n / {games}, 1 + n / {games}, 'north', 1, 1, 'resolved', opened, deadline
       FROM phase, many""",
    """INSERT INTO event (phase_id, number, kind, cite, body)
       SELECT id, 1, 'moved', '1.1', '{{}}' FROM phase WHERE game_id != 'g1'""",
    """INSERT INTO snapshot SELECT 'f' || (n % {games}), n / {games}, body FROM snapshot, many WHERE game_id = 'g1'""",
    """INSERT INTO raw SELECT 'raw' || n, x'00' FROM many""",
    """INSERT INTO inbox (account, folder, uidvalidity, uid, message_id, sha256, sender, internaldate, taken, seat_id,
       verdict, outcome)
       SELECT 'old', 'INBOX', 1, n, '<old' || n || '@x>', 'raw' || n, 'x@y', created, created, seat.id,
       'seat', 'receipt'
       FROM game, many, seat WHERE game.id = 'g1' AND seat.game_id = 'f' || (n % {games}) AND seat.name = 'north'""",
    """INSERT INTO order_set (phase_id, seat_id, revision, text, state, inbox_id, received, mark, origin, waits, luck)
       SELECT phase.id, inbox.seat_id, 1, '', 'carried', min(inbox.id), inbox.taken, '', 'letter', 0, ''
       FROM phase, inbox, seat WHERE seat.id = inbox.seat_id AND phase.game_id = seat.game_id GROUP BY phase.id""",
    """INSERT INTO outbox (message_id, kind, game_id, seat_id, inbox_id, recipient, envelope_sender, reply_to,
       in_reply_to, "references", language, format, state, attempts, created, next_try, last_text, bounced)
       SELECT message_id || kinds.kind, kinds.kind, seat.game_id, seat_id, inbox.id, sender,
       'e' || inbox.id || kinds.kind,
       '', '', '', 'en', 'text', 'sent', 1, taken, taken, '', ''
       FROM inbox, seat, (SELECT 'receipt' AS kind UNION SELECT 'report') AS kinds WHERE seat.id = inbox.seat_id""",
    """INSERT INTO content SELECT id, '{{}}', x'00' FROM outbox WHERE inbox_id IS NOT NULL AND seat_id NOT IN
       (SELECT id FROM seat WHERE game_id = 'g1')""",
    """INSERT INTO attempt (outbox_id, at, code, text) SELECT id, created, 250, 'ok' FROM outbox""",
    """INSERT INTO leaf (game, seq, kind, phase, body, says, opens, number, written)
       SELECT 'f' || (n % {games}), n / {games}, 'order', 'T1.north~1', x'00', x'00', '', 1000000 + n, created
       FROM game, many WHERE id = 'g1'""",
    """INSERT INTO due (at, kind, game_id, cause) SELECT '2030-01-01 00:00:00.000000', 'close', 'f' || n, 'deadline'
       FROM few""",
)
COUNTED = "WITH RECURSIVE many(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM many WHERE n < {rows} - 1), "
COUNTED += "few(n) AS (SELECT n FROM many WHERE n < {games}) "


def grow(engine: Engine, games: int, each: int) -> None:
    """Write so many games beside g1, each with so many letters in and twice as many out, phases, events and leaves."""
    with engine.begin() as connection:
        for statement in HISTORY:
            connection.exec_driver_sql((COUNTED + statement).format(games=games, rows=games * each))
