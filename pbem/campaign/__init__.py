"""Letters become commands, commands one transaction each; phases open, close and are resolved; letters go out.

This layer uses core, mail, audit and store, of the kit the chain of a war, and the arithmetic of tournaments. It names
no game and lays out no text: games and renderer are handed in. Its rooms stand on one another, the first at the bottom:
`base`, `people`, `chain`, `turn`, `proofs`, `contest`, `commands`, `moderator`, `wars`, `tournaments`, `door`. Each
says in its own lines what lives there; what is common to all of them is a `Work`: one transaction, its server, its
moment. Whoever does something to a game writes it to the log, and then tells the listeners (`base.acts`).
"""
