"""``python -m pbem.cli``: the command without its script."""

from pbem.cli.main import main

main()
