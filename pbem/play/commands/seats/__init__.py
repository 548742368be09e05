"""Commands about seats: joining, watching, taking over, witnesses, addresses, and how one is written to.

May import: commands.answer, commands.command, commands.table, and what commands may.
"""
