"""Tournaments by letter: JOIN by anybody, and what entrants write to the addresses that they have there."""
