"""Keep the log: acts of a game are appended in the transaction they happen in.

`sequencer` numbers the leaves, signs trees and proves them, with the keys of `keyring`; `closing_times` says when
phases and the boards of a tournament close, `grades` what dice are worth, `witnesses` who watches. `log_health` guards
the log, `log_check` computes it again, `recovery` begins it anew after a backup, `published` writes it as files.
"""
