"""Wars by letters: games in a chain, each begun in the transaction in which the one before it ends.

`declaring` makes a war with its first leg, `succession` follows from the end of a leg or a camp, `heirs` takes seats
and all that hangs on them over to the next game, `war_replay` plays the whole chain again, `war_cards` tells of wars.

May import: base, people, chain, turn, proofs, commands, moderator.
"""
