"""Tournaments as they go by: founded, shut, drawn, played round by round, closed; and what the director rules.

`running` does at most one thing a transaction, and nothing waits for anybody without an end. `round_states` says what a
tournament, a round and a table can be. `founding`, `entry` and `teams` bring people in; `draw`, `rounds`, `scoring`,
`no_shows`, `unfinished_tables` and `closing` are the life of a round; `disputes`, `rulings` and `director_letter` what
is decided about it; `lots`, `leaves`, `proofs` and `rerun` what others check. `commands` are letters of entrants,
`arithmetic` the rules, pairings, standings and ratings.
"""
