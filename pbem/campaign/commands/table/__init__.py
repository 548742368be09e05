"""Commands between those at the table: time, talk, appeals, the end of a game, letters sent once more.

May import: commands.answer, and what commands may.
"""
