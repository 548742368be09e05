"""What is installed here to check letters faster, and further, than plain Python does."""

from __future__ import annotations

from pbem.audit import bls, signing, vrf
from pbem.cli.verify.letter_checks import Means

__all__ = ["FAST"]

FAST = Means(signing.verify, vrf.check, bls.check)
"""By libsodium; the beacon's values too where the extra for it is installed."""
