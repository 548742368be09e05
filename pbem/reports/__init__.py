"""Renderers: core's report model and the letters' models become text in the reader's language.

Nothing here knows a game, a table or a mailbox. `catalogue` finds the words, `text` lays them out.
"""
