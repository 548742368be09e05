"""Provide transaction, clock, acts, limits and tokens for all layers above."""
