"""Tables, the engine they live in, and the migrations that bring an old database up to them.

Domain objects stay apart from these rows: what a game or a letter is, the layers above know; here is what survives a
power cut. Editions, events and letters are text or bytes as they were hashed, never re-encoded.

SQL is written here and nowhere above. What for:

- `tables`: the rows as objects. What is changed now and then is changed there, and the session writes it.
- `queries`: the questions, a file for what they are about. They answer with rows of `tables`, in the words of SQLModel.
- `changes`: several rows changed at once, or one by its key, by a statement of the session.
- `hot_statements`: what every letter costs, made once and handed to the driver, past the session's unit of work. Only
  what a benchmark shows to be dear belongs there: anything that is asked once a phase, or by a command, does not.
- `coordination`: one daemon a database; and hints to other processes that there is something to do.
- `external_record`: a few bytes outside of it, in a file or in another database, that are no part of its backups.
- `session_cache`: what a session has found and need not ask for once more.
- `erasure`: a game with all its rows, or what is told of one person.
"""

from pbem.lazy import lazily

with lazily():
    from pbem.store import changes, erasure, hot_statements, queries

__all__ = ["changes", "erasure", "hot_statements", "queries"]
