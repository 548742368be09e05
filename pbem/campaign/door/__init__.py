"""Where letters and moments come in and letters go out: the room that the daemon and the command line call.

`pump` polls the mailbox, `intake` takes a letter in, `strangers`, `visitors` and `bounces` are those without a seat
and what came back; `due` runs what is due, `postman` sends, `service` is what the command line asks for, `health`
counts. `listeners` says who is told of what befalls a game.

May import: every room below.
"""
