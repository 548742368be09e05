"""Provide what all layers above need: transaction, clock, acts, limits and tokens."""
