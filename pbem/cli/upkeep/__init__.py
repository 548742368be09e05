"""What is done to a server's database as a whole: ``pbem backup`` and ``pbem restore``.

`postgresql` does by its own programs what SQLite does here. Imports `server` and what lies beside the rooms.
"""
