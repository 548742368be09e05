"""Where letters and moments come in and letters go out: the only room that the daemon calls.

`pump` polls the mailbox, `intake` takes a letter in, `strangers`, `visitors` and `bounces` are those without a seat
and what came back; `due` runs what is due, `postman` sends, `service` is what the command line asks for, `health`
counts.

May import: every room below.
"""
