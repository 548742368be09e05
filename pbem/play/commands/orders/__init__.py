"""Commands that give orders: blocks, standing orders, lines for later turns, answers to questions, quotes of all these.

May import: commands.answer, commands.command, and what commands may.
"""
