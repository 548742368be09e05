"""What others check the dice by: attachments, disclosure, witnesses' answers, and the guard over the log itself.

`attachment` makes `pbemdice.txt`, `disclosure` opens all when a game is over, `testimony` takes in what witnesses
signed; `guard`, `recovery` and `log_check` hold the database against what was signed; `rerun` is the verifier's.

May import: base, people, chain, turn.
"""
