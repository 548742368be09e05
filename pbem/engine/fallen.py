"""Who went out of play in an event, as games tell of it: eliminated, captured, fallen, or lost to the last step."""

from __future__ import annotations

from pbem.engine.data.events import Event


def fallen(happened: Event) -> tuple[str, ...]:
    """Return the ids of the counters that an event takes out of play."""
    if happened.kind in ("eliminated", "captured"):
        return tuple(happened.data["units"])
    if happened.kind in ("casualty", "commander lost") or (happened.kind == "loses" and not happened.data["left"]):
        return (happened.data["unit"],)
    return ()
