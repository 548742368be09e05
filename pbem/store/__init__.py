"""Tables, the engine they live in, and the migrations that bring an old database up to them.

Domain objects stay apart from these rows: what a game or a letter is, the layers above know; here is what survives a
power cut. Editions, events and letters are text or bytes as they were hashed, never re-encoded.

SQL is written here and nowhere above. What for:

- `tables`: the rows as objects. What is changed now and then is changed there, and the session writes it.
- `queries`: the questions, a file for what they are about. They answer with rows of `tables`, in the words of SQLModel.
- `writes`: the rows that every letter writes, each by one statement at once, past the session's unit of work; and how
  statements are handed to the driver directly, made once. That is for questions of columns and for writes that a letter
  costs; anything that is asked once a phase, or by a command, has no use of it.
- `logrows`: the same for the log, whose rows come by the dozen and are asked for and written a batch at a time.
- `lock`: one daemon a database.
- `hints`: that there is something to do, said to other processes; nothing hangs on it.
- `beside`: a few bytes that lie outside of it, in a file or in another database, and are no part of its backups.
- `erasure`: a game with all its rows, or what is told of one person.
"""
