"""What players check the letters of a server with: nothing but Python 3.11, and no line of the server's own program.

`build` joins the modules of this folder into the one file that players get, `verify.py`; `pbem verify` and `verify.pyz`
run the same modules. They import one another by relative names alone, and the standard library.
"""
