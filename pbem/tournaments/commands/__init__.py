"""Run commands about tournaments: JOIN by anybody, and the letters of entrants."""
