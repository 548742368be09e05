"""A game on one's own machine, played in the browser: ``pbem try``.

`try_` is the command, `table` the mail server, the judge and the game in a folder, `webmail` the mail client in the
browser. Nobody imports this package but `main`.
"""
