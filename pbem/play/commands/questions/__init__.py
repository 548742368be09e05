"""Commands that only ask: map, moves, rules, charts, odds, dice and luck, the why of a happening, tournaments, help."""
