"""Define and run games: pure values and functions of the standard library.

Nothing here reads a clock, a file or the network, draws random numbers, or names a game.

- `game`, `parts`, `standard`: the record of a game, and functions that games share
- `run`, `cases`: steps, questions and rolls of a phase; `edition`, `game_files`: the files that a game is pinned to
- `orders`, `commanders`, `couriers`, `deployment`: read and carry out orders and standing orders
- `map`, `data`, `war`: maps and charts; events, reports and sentences; battles linked in a war
- `testing`: checks that the tests of every game run
"""
