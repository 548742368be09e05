"""`pbem witness serve`: a witness who is asked by HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.witness.options import HERE, Config

app = typer.Typer()


@app.command()
def serve(
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where to be asked.")] = "127.0.0.1:8750",
    config: Config = HERE,
) -> None:
    """Cosign the log's checkpoints by HTTP (C2SP tlog-witness), until Ctrl-C. Put a proxy with TLS in front of it."""
    import logging

    from pbem.cli.server.clocks import SystemClock
    from pbem.cli.server.log_output import open_log
    from pbem.cli.witness.home import open_home
    from pbem.cli.witness.http import Port, WitnessAnswering

    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65_535:
        raise Stop(f"where to listen reads HOST:PORT, such as 127.0.0.1:8750, not {listen}")
    home = open_home(config)
    log = open_log(home.told.log.format, logging.INFO)
    with home.alone():
        answering = WitnessAnswering(home, SystemClock(), log)
        try:
            server = Port(host.strip("[]"), int(port), answering)
        except OSError as wrong:
            raise Stop(f"cannot listen on {listen}: {wrong.strerror}") from None
        log.info("asked by HTTP", address=f"http://{host}:{server.server_port}/add-checkpoint", name=home.key.label)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
        finally:
            server.server_close()
