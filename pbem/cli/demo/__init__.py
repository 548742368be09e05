"""A game by mail on this machine: ``pbem demo``.

`stage` has the mail server, the daemon and the players, each a process; `player` is one of them, a script that knows
nothing but its letters; `progress` tells of the game; `games` holds a folder for each game that there is a demo of.
Imports any room, and nothing but `main` imports this one.
"""
