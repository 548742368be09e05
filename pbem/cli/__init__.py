"""The command `pbem`: a file for each group of commands.

Commands without a group are in files by topic.

The docstring of such a file names its commands. It imports slow modules by `pbem.lazy`, which loads them when a
command uses them. Shared modules are beside these files: options, exit codes, output, rulebooks; the server's
settings, database, daemon and the checks of `pbem doctor`; pages, sites and pictures; the program of witnesses; the
mailbox in the browser of `pbem try`. `demo` and `simulate` are folders, as they hold data for each game. Only
`main` imports files of commands, by the table `commands.txt`.
"""
