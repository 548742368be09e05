"""Games: ``pbem game COMMAND``, and ``pbem chart``, ``replay`` and ``patch``, which are about games too.

A file a command, each with its app; `commands` puts those of ``pbem game`` together. Each opens the database of a
server, asks the campaign, and prints. Imports `server` and what lies beside the rooms.
"""
