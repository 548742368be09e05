"""The camp between two legs of a war: what is repaired, brought and built, and who falls sick (K2 to K5).

    edition     what a camp is pinned to
    state       the position: ledger, points, what was ordered for the next leg
    vocabulary  the words of its orders
    actions     its orders as records
    orders      how they are read and written
    legality    what is against a line
    steps       what happens, and what becomes of the position
    aids        the form, holding orders against the position, the bot
    telling     reports, the ledger as a table, help
    cases       wars and camps as rule cases have them

One phase in which both sides write at once. Its edition is the war's file, the ledger as the last leg left it, and what
the next leg lists; it knows no rules of those legs.
"""

from pbem.games.camp.game import GAME

__all__ = ["GAME"]
