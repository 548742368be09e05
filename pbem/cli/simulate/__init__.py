"""Games between bots by letter, on a clock that is moved: ``pbem simulate``.

`match` is one game, `series` a table of many; `games` says what is played of a game, a file for each that can be.
Imports any room but `demo`, and nothing but `main` imports this one.
"""
