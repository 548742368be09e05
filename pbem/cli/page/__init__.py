"""Pages for players that need no server: each one file, for whoever puts it where.

A command may import what lies beside the rooms, and `pbem.pages`.
"""
