"""The lines between which words to others stand: ``PRESS TO morocco`` and ``ENDPRESS``, in English and Spanish.

Nothing between them is an order, a command, a quote or a signature, whatever it looks like. Lines are compared as
`block.bare` writes them.
"""

from __future__ import annotations

import re

HEAD = re.compile(r"(?P<word>press|prensa) (?:to|a|para)\b(?P<to>.{0,100})")
"""The first line: `word` is its word, and `to` what follows, for whom the lines are."""
END = re.compile(r"(?:endpress|finprensa)\s{0,4}[.;]?")
"""The last line."""
