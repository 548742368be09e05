"""What a player's letter can do: a file for each group of commands, in rooms by what they are about.

`player_letter` carries a letter out as a whole, `answer` is the one answer as it grows. A `command` is a record in the
file of its functions, and `catalogue` lists them all. `orders` are blocks and what stands in them, `questions` change
nothing, `table` is about time, talk and the end of a game, `seats` about who sits where and how he is written to.

May import: base, people, chain, turn, proofs.
"""
