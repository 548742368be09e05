"""Trees of the log as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.audit.checkpoint import Checkpoint


def print_tree(what: str, tree: Checkpoint) -> None:
    """Print whose tree it is, its size and root."""
    print(f"{what}: {tree.size} leaves of {tree.origin}, root {tree.root.hex()}")
