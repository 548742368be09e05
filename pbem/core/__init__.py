"""What games, mail, reports and campaign have in common: pure values and functions of the standard library.

Nothing here reads a clock, a file, the network or chance; nothing here names a game.
"""
