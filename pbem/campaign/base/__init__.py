"""What every room of the campaign stands on: the server, its clock and keys, the terms and the position of a game.

`server` is what stays while the server runs; `command_lines` reads a letter, `letters` makes one out of sentences;
`adjudication` and `segments` are pure: from closed orders to events. `history` reads what is behind us.

May import: core, audit, mail, store.
"""
