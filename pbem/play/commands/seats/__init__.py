"""Commands about seats: joining, observing, takeover, witnesses, addresses."""
