"""A war: legs, each a game of its own, and the camps between them (K).

    file     what a war's file says, and what is wrong with it
    ledger   what is left of every unit (K1, K2, K5.1)
    chain    from leg to camp and from camp to leg (K0), what changes in the next leg (K1.1, K1.2, K4), who has won (K7)

The camp is a game of its own, made of what `chain` hands it. So far a war is played by bots alone, without letters.
"""
