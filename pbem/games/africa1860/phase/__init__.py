"""Chapters of the rulebook about the course of a turn: its sequence, movement, end phases and victory."""
