"""What all above need of the running server: the transaction, the clock, acts, limits and tokens."""
