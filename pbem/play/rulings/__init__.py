"""What a moderator's letter, or the command line for him, can do to a game: rulings.

`moderator_letter` carries a letter out and keeps rulings until their code comes back, `ruling_lines` reads it,
`rulings` lists the rulings; `corrections` and `readjudication` hold those that change the past, `appointment` those
that make a moderator. `briefing` answers questions. `ruling_context` is what a ruling is made of.
"""
