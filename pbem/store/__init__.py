"""Define the tables, their engine, and the migrations of old databases.

Domain objects stay apart from these rows: the layers above know games and letters; here is the data that
survives a power cut. Editions, events and letters are text or bytes as they were hashed, never re-encoded.

SQL is written here and nowhere above. The modules:

- `tables`: the rows as objects. Occasional changes are made on them, and the session writes them.
- `queries`: the questions, a file for each subject. They return rows of `tables`, in the words of SQLModel.
- `changes`: several rows changed at once, or one by its key, by a statement of the session.
- `hot_statements`: the statements of every letter, compiled once and passed to the driver, past the session's unit of
  work. Only statements that a benchmark shows to be costly belong there, none that runs once a phase or by a command.
- `coordination`: one daemon a database; and wake-ups for other processes when there is work.
- `external_record`: a few bytes outside of it, in a file or in another database, that are no part of its backups.
- `session_cache`: results that a session need not query again.
- `erasure`: a game with all its rows, or the data of one person.
"""

from pbem.lazy import lazily

with lazily():
    from pbem.store import changes, erasure, hot_statements, queries

__all__ = ["changes", "erasure", "hot_statements", "queries"]
