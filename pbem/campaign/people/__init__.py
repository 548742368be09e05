"""Those the server writes to, and the letters on their way to them.

`outbox` is the one place that queues a letter, `news` what may wait for a digest; `moderators` and `witnesses` are
found and written to here, `seating` gives seats away, `senders` tells who wrote a letter.

May import: base.
"""
