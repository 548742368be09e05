"""The camp between two legs of a war: repairs, supplies, works, sickness (K2-K5).

    state       what a camp is pinned to; the position: ledger, points, what was ordered for the next leg
    orders      its orders as records, their words, how they are read and written
    steps       what is against a line, what happens, and what becomes of the position
    order_help  the form, checking orders against the position, the bot
    report      reports, the ledger as a table, help
    cases       wars and camps as rule cases have them

One phase in which both sides write at once. Its edition is the war's file, the ledger as the last leg left it, and what
the next leg lists; it knows no rules of those legs.
"""

from pbem.games.camp.game import GAME

__all__ = ["GAME"]
