"""A war: legs, each a game of its own, and the camps between them (K).

    file     what a war's file says, and what is wrong with it
    ledger   what is left of every unit (K1, K2, K5.1)
    legs     what changes in the next leg by the ledger and the camp (K1.1, K1.2, K4)
    linked   what a game brings for a war
    verdict  who has won the war (K7)
    chain    from leg to camp and from camp to leg (K0)

The camp is a game of its own, made of what `chain` hands it. So far a war is played by bots alone, without letters.
"""
