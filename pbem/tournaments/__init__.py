"""Run tournaments from founding to prizes, with the director's rulings.

`running` does at most one thing a transaction, and every wait has an end. `round_states` lists the states
of tournaments, rounds and tables. `founding`, `entry` and `teams` handle entries; `draw`, `rounds`,
`scoring`, `no_shows`, `unfinished_tables` and `closing` run a round; `disputes`, `rulings` and
`director_letter` decide about it; `lots`, `leaves`, `proofs` and `rerun` let others check it. `commands`
are letters of entrants, `arithmetic` the rules, pairings, standings and ratings.
"""
