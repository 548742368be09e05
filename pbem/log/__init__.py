"""Keep the log: acts of a game are appended in the transaction they happen in.

`sequencer` numbers the leaves, signs trees and proves them, with the keys of `keyring`; `closing_times` logs when
phases and the boards of a tournament close, `grades` grades the dice, `witnesses` writes to witnesses. `log_health`
checks the log before it is signed, `log_check` recomputes it, `recovery` begins it anew after a restore,
`published` writes it as files.
"""
