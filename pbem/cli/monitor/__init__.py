"""The log of a server watched by anybody, from the files that it shows to all: ``pbem monitor``.

`source` reads those files from a folder or an address, `record` is what a watcher keeps between two looks. Imports what
lies beside the rooms.
"""
