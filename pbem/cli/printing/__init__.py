"""``pbem print``: turns, whole games and welcome packs on paper.

`sections` are parts that several documents have, `games` a game or a turn of it, `welcome` a scenario for who is new to
it. Imports what lies beside the rooms, and the server's.
"""
