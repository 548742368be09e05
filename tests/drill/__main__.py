"""The drill by hand: ``python -m tests.drill --kills 320``. Ends with 1 if anything was lost or done twice.

With ``--servers real`` the mail server is Dovecot with Exim in front, both begun for the drill on the loopback address.
With ``--in lmtp`` the letters are handed over at the daemon's socket, which is repeated until it says 250.
With ``--plant NAME`` a known bug is put in, and the drill ends with 1 because it finds it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import mkdtemp

from tests.drill import run
from tests.drill.plants import PLANTS
from tests.drill.run import Drill, Plan
from tests.servers.real import missing


def main() -> int:
    """Play the drill, print its table, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.drill")
    parser.add_argument("--letters", type=int, default=1_000, help="letters that players write, at least")
    parser.add_argument("--kills", type=int, default=320, help="kills, spread over all points")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1800, help="a drill that takes longer is a failed one")
    parser.add_argument("--plant", choices=[*PLANTS, ""], default="", help="a bug to find")
    parser.add_argument("--servers", choices=["embedded", "real"], default="embedded", help="real: Dovecot and Exim")
    parser.add_argument("--in", dest="way_in", choices=["imap", "lmtp"], default="imap", help="how letters come in")
    arguments = parser.parse_args()
    lacking = missing() if arguments.servers == "real" else ()
    if lacking:
        parser.error(f"{' and '.join(lacking)} not installed here")
    folder = Path(mkdtemp(prefix="pbem-drill-"))
    plan = Plan(
        arguments.letters,
        arguments.kills,
        seed=arguments.seed,
        plant=arguments.plant,
        limit=arguments.seconds,
        real=arguments.servers == "real",
        points=run.LMTP_POINTS if arguments.way_in == "lmtp" else run.POINTS,
        lmtp=arguments.way_in == "lmtp",
    )
    findings = Drill(folder, plan).play()
    print("\n".join(findings.lines()))
    print(f"What the daemons wrote: {folder / 'serve.log'}")
    return 1 if findings.troubles else 0


if __name__ == "__main__":
    sys.exit(main())
