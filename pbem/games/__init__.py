"""The games: one folder each, one file a chapter of the rulebook. Games never import one another."""
