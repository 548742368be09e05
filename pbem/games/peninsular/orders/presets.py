"""Ready-made standing orders, for players who want a temper and no details."""

from __future__ import annotations

from collections.abc import Mapping

PRESETS: Mapping[str, str] = {
    "cautious": """STANDING FOR ALL
1. WHEN CHARGED THEN SQUARE
2. WHEN ASSAULTED THEN FIRE ASSAULTERS
3. RETREAT 2
4. ADVANCE NO
ENDSTANDING
""",
    "balanced": """STANDING FOR ALL
1. WHEN CHARGED THEN SQUARE
2. WHEN ASSAULTED THEN FIRE ASSAULTERS
3. RETREAT 1
4. ADVANCE YES
ENDSTANDING
""",
    "aggressive": """STANDING FOR ALL
1. WHEN CHARGED IF ODDS AT MOST 1:2 THEN STAND ELSE SQUARE
2. WHEN ASSAULTED THEN FIRE ASSAULTERS
3. FIRE AT WILL
4. RETREAT 1
5. ADVANCE YES
ENDSTANDING
""",
}
"""Presets by name; what they leave open the rules' defaults decide."""
