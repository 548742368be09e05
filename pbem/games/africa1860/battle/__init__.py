"""Chapters of the rulebook about fighting: who fights, what the dice do, and who gives way."""
