"""Letters without a mailbox: ``pbem mail COMMAND``, a file a command, and a letter as text.

Imports `server` and what lies beside the rooms.
"""
