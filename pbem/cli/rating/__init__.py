"""Ratings: ``pbem rating COMMAND``, a file a command. Imports `server` and what lies beside the rooms."""
