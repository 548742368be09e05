"""`pbem log check`: the signed log recomputed."""

from __future__ import annotations

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config
from pbem.cli.terminal import harmless
from pbem.engine.data.messages import plain

app = typer.Typer()


@app.command()
def check(config: Config = HERE) -> None:
    """Recompute the tree from the stored leaves; hold all that was signed against it. Ends with 1 if it is not so."""
    from pbem.cli.server.assembly import opened
    from pbem.log import log_check, raw_letters, recovery

    with opened(config) as server:
        result, letters = log_check.check(server), raw_letters.check(server)
        with server.reading() as work:
            found = recovery.look(work)
    wrong = [*result.wrong, *letters.wrong, *([plain(found.trouble.why)] if found.trouble else [])]
    for line in wrong:
        print(harmless(line))
    print(f"leaves {result.leaves}, nodes {result.nodes}, signed trees {result.trees}, games {result.games}")
    print(f"letters of orders that are as they came: {letters.whole}")
    if letters.erased:
        print(f"raw letter erased: NOT CHECKED ({letters.erased})")
    if wrong:
        raise Stop(f"things that are not as they were signed: {len(wrong)}", FINDING)
    print("all is as it was signed")
