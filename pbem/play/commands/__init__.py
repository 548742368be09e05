"""What a player's letter can do: a file for each group of commands, in a folder by what they are about.

`answer` is the one answer as it grows. A command is a record (`command_records`) in the file of its functions; the
server's catalogue lists them all. `orders` are blocks and what is in them, `questions` change nothing, `table` is about
time, talk and the end of a game, `seats` about who sits where and how he is written to.
"""
