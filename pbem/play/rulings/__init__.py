"""What a moderator's letter, or the command line for him, can do to a game: rulings.

How letters of rulings are read and what confirms them is the same for directors: `pbem.letters.rulings`.
`moderator_letter` answers questions and hands rulings on; `ruling_lines` lists the rulings and makes one;
`corrections` and `readjudication` hold those that change the past, `appointment` makes a moderator. `ruling_context` is
what rulings are made on.
"""
