"""Commands between those at the table: time, talk, appeals, the end of a game, letters sent once more."""
