"""How fast this is, beside the peers of the trade that install from a registry."""
