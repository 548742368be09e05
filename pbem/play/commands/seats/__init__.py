"""Commands about seats: joining, watching, taking over, witnesses, addresses, and how one is written to."""
