"""Letters in and out: authors and commands, content, and text.

`senders` checks who wrote, `command_lines` and `commands` read the text; `role_commands` carries out
commands of authors without a seat, `rulings` reads and confirms decisions of moderators and directors.
`content` is a letter as plain JSON, `outbox` the only way out. `catalogue` finds the words of a language,
`layout` cuts a letter to size, `text` renders it.
"""
