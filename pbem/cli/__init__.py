"""The command `pbem`, in rooms: ``pbem GROUP COMMAND`` is the file GROUP/COMMAND.py, declaration and body together.

`game`, `campaign`, `seat`, `person`, `mail`, `log`, `page`, `server` and `witness` are groups; `upkeep`, `table`,
`verify`, `monitor`, `printing`, `demo` and `simulate` hold commands without a group, and so do `server` and `game`
beside their own. Beside the rooms lies what all of them use: options, exit codes, rulebooks, columns, desks, the web. A
room may import `server` and what lies here, `demo` and `simulate` any room; `main` imports all of them.
"""
