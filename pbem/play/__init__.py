"""The life of a phase: opened, waited for, closed, resolved, followed by the next, or taken back by a ruling.

`phases` is its course; `deadlines` and `ladder` are its clock, `pauses` its questions, `activations` the pace of
letters, `beacons` the waiting for a public round; `holds`, `resumption`, `breakers`, `rewind` and `attempts` are what
happens to it out of course. `replay` resolves stored games again.

May import: base, people, chain.
"""
