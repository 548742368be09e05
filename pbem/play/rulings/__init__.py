"""Make a moderator's rulings on a game, by letter or on the command line.

Reading and confirming letters of rulings is shared with directors: `pbem.letters.rulings`. `moderator_letter`
answers questions and passes rulings on; `ruling_lines` lists the rulings and makes one; `corrections` and
`readjudication` have those that change the past, `appointment` appoints a moderator. `ruling_context` is the
game that rulings are made on.
"""
