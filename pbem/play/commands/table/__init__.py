"""Commands between players: time, press, appeals, endings, letters again."""
