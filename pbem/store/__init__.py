"""Tables, the engine they live in, and the migrations that bring an old database up to them.

Domain objects stay apart from these rows: what a game or a letter is, the layers above know; here is what survives a
power cut. Editions, events and letters are text or bytes as they were hashed, never re-encoded.
"""
