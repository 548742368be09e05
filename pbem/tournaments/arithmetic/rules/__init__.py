"""E2 The rules of a tournament as one file: what may stand in it, what it means, its digest, and when a round ends.

`tables` says every key with its default; `reading` reads a file or canonical JSON; `ends` counts days. May import
the engine, entrants and the records of pairing.
"""
