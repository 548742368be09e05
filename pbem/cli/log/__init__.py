"""The signed log of what the server does: ``pbem log COMMAND``, a file a command, and trees as lines.

Imports `server` and what lies beside the rooms.
"""
