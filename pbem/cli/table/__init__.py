"""Rules at the table, without server, mail or database: ``pbem cases`` and ``pbem adjudicate``.

`case_files` reads rule cases, `phase` a phase to be resolved, `order_files` what its seats want of it, and
`resolution` carries it out and tells it, by `steps` if asked to. Imports what lies beside the rooms.
"""
