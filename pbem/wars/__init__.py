"""Wars by letters: games in a chain, each begun in the transaction in which the one before it ends.

`declaring` makes a war with its first leg, `next_battle` follows from the end of a leg or a camp, or takes one up
again, `carry_over_seats` takes seats and all that hangs on them over to the next game, `replay` plays the whole chain
again, `cards` tells of wars.
"""
