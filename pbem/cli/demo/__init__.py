"""Play games by mail on this machine: `pbem demo` and `pbem demo-event`.

Both commands are in `demo`.

`stage` has the mail server, the daemon and the players of a game, each a process; `player` is one of them, a script
that knows nothing but its letters. `casts` has who sits where in each game that there is a demo of. `tournament` has a
tournament on a moved clock; its rules and its people are in `event`.
"""
