"""Commands between those at the table: time, talk, appeals, the end of a game, letters sent once more.

May import: commands.answer, commands.command, and what commands may.
"""
