"""Where letters and moments come in and letters go out: what the daemon and the command line call.

`mailbox_poller` polls the mailbox, `intake` takes a letter in, `player_letter` carries a seat's out and `anonymous`
answers one without a seat, `bounces` counts those that came back; `scheduler` runs what is due, `rendering` and
`outbox_sender` send, `worker` does all of this in turn. `service` takes letters in from files, `game_cards` are games
as commands show them, `health` counts, `catalogue` lists the commands, `listeners` who is told of each act.
"""
