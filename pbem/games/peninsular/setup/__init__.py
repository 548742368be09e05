"""What a game begins from: editions, scenarios, rosters and counters."""
