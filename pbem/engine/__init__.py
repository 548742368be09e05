"""What games are made of and what runs them: pure values and functions of the standard library.

Nothing here reads a clock, a file, the network or chance; nothing here names a game.

- `game`, `parts`, `standard`: what a game is, and what games share of it
- `run`, `cases`: steps, questions and rolls of a phase; `edition`, `shelf`: what a game is pinned to
- `orders`, `commanders`, `couriers`, `deployment`: orders and standing orders, read and carried out
- `map`, `data`, `war`: maps and charts; events, reports and sentences; battles linked in a war
- `testing`: what every game is held against by its tests
"""
