"""Letters become commands, commands one transaction each; phases open, close and are resolved; letters go out.

This layer alone calls store, mail, audit and games together. It names no game and words no layout. Its rooms stand on
one another, the first at the bottom: `base`, `people`, `chain`, `turn`, `proofs`, `commands`, `moderator`, `door`. Each
says in its own lines what lives there; what is common to all of them is a `Work`: one transaction, its server, its
moment. What befalls a game is written to the log by whoever does it, and then told to those who listen (`base.acts`).
"""
