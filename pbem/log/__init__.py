"""The log as it grows: what happened to a game is appended to it in the transaction in which it happens.

`sequencer` numbers the leaves, signs trees and proves them, with the keys of `keyring`; `closing_times` says when
phases and the boards of a tournament close, `grades` what dice are worth, `witnesses` who watches. `log_health` guards
the log, `log_check` computes it again, `recovery` begins it anew after a backup, `published` writes it as files.
"""
