"""`pbem witness`: watch a server's log from a machine of one's own, and cosign its checkpoints."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.setting_files import write_key, write_new
from pbem.data import data
from pbem.lazy import lazily, load_all

with lazily():
    from pbem.cli import clocks, log_output, witness_cosigner, witness_home, witness_http


app = typer.Typer(no_args_is_help=True, help="Watch a server's log for its players: cosign it, or refuse to.")


FILE_NAME = "witness.toml"
HERE = Path(FILE_NAME)
Config = Annotated[Path, typer.Option("--config", "-c", metavar="FILE", help="The witness's settings.")]


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where the witness is to live; made if missing.")] = Path(),
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="Your own mail address.")] = "friend@example.net",
    server: Annotated[str, typer.Option(metavar="ADDRESS", help="The server to watch.")] = "pbem@example.org",
    name: Annotated[str, typer.Option(help="What you sign as; made of your address if left out.")] = "",
    log: Annotated[str, typer.Option(metavar="KEY", help="The key of its log, if you know it.")] = "",
) -> None:
    """Write witness.toml, to be filled in, and your secret key; print the key that you are known by."""
    settings, key = folder / FILE_NAME, folder / "witness.key"
    local, _, domain = address.rpartition("@")
    given = {
        "name": ("example.net/friend", name or f"{domain}/{local}"),
        "address": ("friend@example.net", address),
        "server": ("pbem@example.org", server),
        "log": ("", log),
    }
    for path in (settings, key):
        if path.exists():
            raise Stop(f"{path} exists already, and is left as it is")
    try:
        witness_home.Witness(name=given["name"][1], address=address, server=server, log=log)
    except ValueError as wrong:
        raise Stop(f"these settings cannot be used: {wrong}") from None
    text = data("config", FILE_NAME).read_text("utf-8")
    for word, (shipped, own) in given.items():
        text = text.replace(f'\n{word} = "{shipped}"', f'\n{word} = "{own}"')
    text = text.replace('user = "friend@example.net"', f'user = "{address}"')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_new(settings, text)
        write_key(key)
    except OSError as wrong:
        raise Stop(f"cannot write in {folder}: {wrong.strerror}") from None
    print(f"{settings}  settings: fill in the servers of your mailbox and the passwords")
    print(f"{key}   your secret: nobody else's eyes, and no copy that you might put back later")
    print("Your key, for everybody who is to believe you:")
    print(witness_home.open_home(settings).key.text)


@app.command()
def key(config: Config = HERE) -> None:
    """Print the key that you are known by: players give it to the verifiers as --witness."""
    typer.echo(witness_home.open_home(config).key.text)


@app.command()
def run(
    once: Annotated[bool, typer.Option("--once", help="Look into the mailbox once, and end.")] = False,
    config: Config = HERE,
) -> None:
    """Cosign the server's checkpoints by mail. Ends with 1 if its log was forked or made smaller: tell the players."""
    raise typer.Exit(witness_cosigner.watch_server(config, once))


@app.command()
def serve(
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where to be asked.")] = "127.0.0.1:8750",
    config: Config = HERE,
) -> None:
    """Cosign the log's checkpoints by HTTP (C2SP tlog-witness), until Ctrl-C. Put a proxy with TLS in front of it."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65_535:
        raise Stop(f"where to listen reads HOST:PORT, such as 127.0.0.1:8750, not {listen}")
    home = witness_home.open_home(config)
    log = log_output.open_log(home.told.log.format, logging.INFO)
    load_all()
    with home.alone():
        answering = witness_http.WitnessAnswering(home, clocks.SystemClock(), log)
        try:
            server = witness_http.Port(host.strip("[]"), int(port), answering)
        except OSError as wrong:
            raise Stop(f"cannot listen on {listen}: {wrong.strerror}") from None
        log.info("asked by HTTP", address=f"http://{host}:{server.server_port}/add-checkpoint", name=home.key.label)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
        finally:
            server.server_close()
