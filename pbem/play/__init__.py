"""Play a game: open, close and resolve its phases, or take them back.

`phase_states` defines states and their changes, `phases` the sequence, `game_standing` the present state.
`deadlines` has the clock and the results of a missed deadline, `pauses` questions by letter, `beacons` the
wait for a public round; `holds`, `outage_guard` and `rollback` are for irregular events. `adjudication`
resolves a phase, `replay` plays stored games again. `phase_reports`, `outcome` and `attachment` make the
players' letters; `log_entries` writes the log.

`commands` has the commands of players' letters, `rulings` those of moderators.
"""
