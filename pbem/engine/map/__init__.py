"""Maps and charts: areas, hexes, tables drawn like the printed card."""
