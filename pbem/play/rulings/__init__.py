"""What a moderator's letter, or the command line for him, can do to a game: rulings.

How letters of rulings are read and what confirms them is the same for directors: `pbem.letters.rulings`.
`moderator_letter` keeps rulings until their code comes back, `ruling_lines` makes one, `rulings` lists them;
`corrections` and `readjudication` hold those that change the past, `appointment` makes a moderator. `briefing` answers
questions. `ruling_context` is what rulings are made on.
"""
