"""A witness, who watches a server's log from a machine of his own: ``pbem witness COMMAND``, a file a command.

`home` is what he has there: settings, a key, the trees that he has cosigned; `cosigner` answers the server's letters,
and `watch` looks for them again and again. Imports `server` and what lies beside the rooms.
"""
