"""The camp between two legs of a war: repairs, supplies, works, sickness (K2-K5).

    state       a camp's edition, and its position: ledger, points, orders for the next leg
    orders      its orders as records, their words, reading and writing them
    steps       refusals of lines, their events, and the changes of the position
    order_help  the form, checking orders against the position, the bot
    report      reports, the ledger as a table, help
    cases       rule cases of wars and camps

One phase in which both sides write at once. Its edition is the war's file, the ledger after the last leg, and the
list of the next leg; it knows no rules of the legs.
"""

from pbem.games.camp.game import GAME

__all__ = ["GAME"]
