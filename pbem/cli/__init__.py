"""The command `pbem`: a file for each group of commands.

Commands without a group are in files by topic.

The docstring of such a file names its commands. What takes long to load it imports by `pbem.lazy`: it is read when
a command uses it. What several of them need is beside them: options, exit codes, output, rulebooks; the server's
settings, database, daemon and what `pbem doctor` checks; pages, sites and pictures; the witness's machine; the mailbox
in the browser of `pbem try`. `demo` and `simulate` are folders, as they hold data for each game. Only `main` imports
files of commands, by the table `commands.txt`.
"""
