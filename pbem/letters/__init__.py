"""Letters in and out: who wrote one and which lines of it are commands; what one says, and how it becomes text.

`senders` tells who wrote, `command_lines` and `commands` read what; `role_commands` carries out what is written without
a seat, `rulings` reads and confirms what moderators and directors decide. `content` is a letter as plain JSON, `outbox`
the one way out. `catalogue` finds the words of a language, `layout` cuts a letter to size, `text` puts it into words.
"""
