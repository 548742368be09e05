"""Commands that only ask: map, moves, rules, charts, odds, dice, WHY, help."""
