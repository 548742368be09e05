"""A tournament by mail on this machine, on a clock that is moved from one thing that happens to the next.

`world` is the server with its mailboxes and the clock, `correspondent` one who plays by letter, `cast` who they are and
what becomes of them, `account` what is told of it all.
"""
