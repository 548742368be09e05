"""Receive letters, run due jobs and send letters for daemon and commands.

`mailbox_poller` polls the mailbox, `intake` takes a letter in, `player_letter` carries out a seat's letter
and `anonymous` answers one without a seat, `bounces` counts returned letters; `scheduler` runs due jobs,
`rendering` and `outbox_sender` send, `worker` does all of this in turn. `service` takes letters in from
files, `game_cards` shows games to commands, `health` counts, `catalogue` lists the commands, `listeners` the
functions called for each act.
"""
