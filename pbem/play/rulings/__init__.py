"""What a moderator's letter, or the command line for him, can do to a game: rulings, each with its file.

`moderator_letter` carries a letter out, `dictation` reads it, `drafts` keep rulings until their code comes back;
`ruling_lines` reads one line, `rulings` are the rulings, the others what they do. `briefing` answers questions.

May import: base, people, chain, turn, proofs, commands.
"""
