"""Commands that give orders: blocks, standing orders, lines for later turns, answers to questions."""
