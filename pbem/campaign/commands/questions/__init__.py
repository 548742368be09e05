"""Commands that only ask: map, moves, rules, charts, odds, dice and luck, the why of a happening, help.

May import: commands.answer, commands.command, commands.orders, and what commands may.
"""
