"""The log as it grows: what happened to a game is appended to it in the transaction in which it happens.

`ledger` says act by act what a game leaves in it, `logbook` numbers the leaves, signs trees and proves them;
`closing_times`, `cosignatures` and `grades` say what the log knows of a phase's closing; `courses` what went before a
game of a war, and what follows from its end.

May import: base, people.
"""
