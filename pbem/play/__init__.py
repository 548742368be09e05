"""A game in progress: its phases opened, waited for, closed, resolved, followed by the next, or taken back.

`phase_states` says what a phase can be and what moves it, `phases` is its course, `game_standing` how it stands.
`deadlines` are its clock and what follows a missed one, `pauses` its questions by letter, `beacons` the wait for a
public round; `holds`, `outage_guard` and `rollback` are what happens to it out of course. `adjudication` plays a phase,
`replay` plays stored games again. `phase_reports`, `outcome` and `attachment` are what players are sent; `log_entries`
is what the log is told.

`commands` are what a player's letter can do, `rulings` what a moderator's can.
"""
