"""What every room of the campaign stands on: the server, its clock and keys, the terms and the position of a game.

`server` is what stays while the server runs, `work` one transaction on it, `acts` what is told to listeners.
`command_lines` reads a letter, `letters` makes one out of sentences; `adjudication` and `segments` are pure, from
closed orders to events. `history` reads what is behind us, `replies` what came of a phase's pauses.

May import: core, audit, mail, store.
"""
