"""Run wars by letter, as chains of games.

Each game begins in the transaction that ends the last. `declaring` makes a war with its first leg,
`next_battle` opens the next part at the end of a leg or a camp, or resumes one, `carry_over_seats`
carries seats and their settings over to the next game, `replay` replays the whole chain, `cards` shows
wars.
"""
