"""The orders of this game: its words, how lines are read, what they may not ask, and what they could be."""
