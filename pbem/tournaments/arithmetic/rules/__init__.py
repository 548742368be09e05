"""E2 Read the rules of a tournament: keys, digest, and end of a round.

`tables` lists every key with its default; `reading` reads a file or canonical JSON; `ends` counts days.
May import the engine, entrants and the records of pairing.
"""
