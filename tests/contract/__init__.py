"""The frozen contract: what a refactoring must not change, kept as texts, one compressed file a section.

``python -m tests.contract`` prints what differs now; with ``--write`` it keeps the texts of now. `sections` lists the
sections, `kept` reads, writes and compares them, `commits` checks commits that update them.
"""
