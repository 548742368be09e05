"""Commands that give orders: blocks, standing orders, later turns, answers."""
