"""The commands about letters that are on their way: those not delivered, and those sent once more."""

from __future__ import annotations

import re
from pathlib import Path

from pbem.cli.ends import FINDING, Stop
from pbem.cli.games import asked, moment, print_table
from pbem.cli.wiring import open_office, settings

__all__ = ["resend_letters", "show_queue"]


def show_queue(config: Path) -> None:
    """Print a line for each letter that is not delivered; Stop with a finding if some were given up."""
    from pbem.campaign.resending import undelivered

    with asked(open_office(settings(config))) as office, office.session() as session:
        found = undelivered(session)
    if not found:
        print("All letters are delivered.")
        return
    rows = [("NUMBER", "TO", "KIND", "GAME", "TRIES", "NEXT TRY", "LAST REPLY")]
    for one in found:
        when = "given up" if one.given_up else moment(one.next_try)
        rows.append((str(one.number), one.recipient, one.kind, one.game or "-", str(one.attempts), when, one.last[:80]))
    print_table(rows)
    if given_up := sum(one.given_up for one in found):
        raise Stop(
            f"letters given up: {given_up}. Once the cause is mended, `pbem mail resend --failed` sends them again",
            FINDING,
        )


def resend_letters(config: Path, game: str, seat: str, turn: str, failed: bool) -> None:
    """Queue letters again: those given up, or the reports of a seat."""
    from pbem.campaign.resending import resend, retry

    number = re.fullmatch(r"[Tt]?(\d{1,4})", turn) if turn else None
    if failed == bool(game) or bool(game) != bool(seat) or (turn and number is None):
        raise Stop("say which: pbem mail resend GAME SEAT [T3], or pbem mail resend --failed")
    with asked(open_office(settings(config))) as office, office.session() as session:
        count = retry(session, office) if failed else resend(session, office, game, seat, number and int(number[1]))
    print(f"queued again: {count}; `pbem serve` sends them")
