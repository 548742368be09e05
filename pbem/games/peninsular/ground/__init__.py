"""Chapters of the rulebook about the ground: hexes, terrain, stacking, zones of control, ways over the map."""
