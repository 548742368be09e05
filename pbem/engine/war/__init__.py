"""A war: legs, each a game of its own, and the camps between them (K).

    file     contents and errors of a war's file
    ledger   the state of every unit (K1, K2, K5.1)
    chain    from leg to camp and from camp to leg (K0), changes of the next leg (K1.1, K1.2, K4), the winner (K7)

The camp is a game of its own, made from data of `chain`. This package sends no letters: `pbem.wars` plays wars by
letter.
"""
