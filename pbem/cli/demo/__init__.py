"""Games by mail on this machine: `pbem demo` and `pbem demo-event`, both in `demo`.

`stage` has the mail server, the daemon and the players of a game, each a process; `player` is one of them, a script
that knows nothing but its letters; `tournament` has the people of a tournament, whose file of rules is in `event`.
`games` holds a folder for each game that there is a demo of.
"""
