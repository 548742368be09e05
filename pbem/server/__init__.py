"""Where letters and moments come in and letters go out: the room that the daemon and the command line call.

`pump` polls the mailbox, `intake` takes a letter in, `strangers` and `visitors` are letters without a seat, `bounces`
those that came back; `due` runs what is due, `postman` sends, `service` is what the command line asks for, `health`
counts. `listeners` says who is told of each act.

May import: every room below.
"""
