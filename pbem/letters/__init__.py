"""Renderers: letters, which are plain JSON, become text in the reader's language.

Nothing here knows a game, a table or a mailbox. `catalogue` finds the words, `shown` cuts a letter to size, `text`
lays it out, as text, to be read aloud, or as a page of HTML.
"""
