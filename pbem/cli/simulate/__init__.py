"""Games between bots by letter, on a clock that is moved, for `pbem simulate`.

`games` says what is played of a game, a file for each that can be.
"""
