"""Check the letters of a server with Python 3.11 and nothing else.

No line of the server's own program is used.

`build` joins the modules of this folder into the one file that players get, `verify.py`; `pbem verify` and
`verify.pyz` run the same modules. They import only one another, by relative names, and the standard library.
"""
