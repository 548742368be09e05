"""Kept letters checked: ``pbem verify``, and what does the same elsewhere, a page and a file for bare Python.

`letter_checks` and `pyz_main` are packed into `verify.pyz` and need the standard library alone; what libraries do
faster is in `libraries`. Imports what lies beside the rooms, and what it is to be packed with.
"""
