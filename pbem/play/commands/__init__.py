"""Execute the commands of a player's letter, in files by group.

`answer` is the one answer as it grows. A command is a record (`command_records`) in the file of its
functions; the server's catalogue lists them all. `orders` has blocks and their content; `questions` change
nothing; `table` is about time, press and the end of a game; `seats` about players of seats and their letters.
"""
