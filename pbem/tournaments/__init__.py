"""Tournaments as they go by: founded, shut, drawn, played round by round, closed; and what the director rules.

`running` does at most one thing a transaction, and nothing waits for anybody without an end.

May import: base, people, chain, turn, proofs, contest, commands, moderator, wars.
"""
