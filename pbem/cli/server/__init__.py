"""The server: ``pbem init``, ``serve`` and ``doctor``, and all that they stand on.

`settings` is read from `pbem.toml`; `assembly`, `mail_servers` and `clocks` make of it what the layers below ask for;
`daemon` runs it, `metrics` and `heartbeat` show it from outside; `checks_*` are what the doctor looks at.
Every other room may import these; this room imports none but what lies beside the rooms.
"""
