"""A war on its way as JSON: its file and what its legs list stand in it whole, so that it is read back for ever."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pbem.engine.data.canon import Json, dumps
from pbem.engine.war.chain import Chain
from pbem.engine.war.file import Leg, read_war
from pbem.engine.war.ledger import Listed, read, rows
from pbem.engine.war.legs import Works
from pbem.engine.war.verdict import Outcome


def leg_written(leg: Leg) -> list[Json]:
    """Return what a leg lists as JSON."""
    return [leg.scenario, [list(one) for one in leg.listed], list(leg.spaces), dict(leg.edges)]


def leg_in(value: Sequence[Json]) -> Leg:
    """Read what `leg_written` wrote."""
    name, listed, spaces, edges = value
    return Leg(name, tuple(Listed(*row) for row in listed), tuple(spaces), dict(edges))


def written(chain: Chain) -> dict[str, Json]:
    """Return a war as JSON."""
    works = chain.works
    return {
        "file": chain.file,
        "legs": [leg_written(leg) for leg in chain.legs],
        "options": dict(chain.options),
        "ledger": rows(chain.ledger),
        "outcomes": [list(one) for one in chain.outcomes],
        "salt": chain.salt,
        "works": [
            dict(works.replaced),
            list(works.brought),
            list(works.trenches),
            list(works.roads),
            list(works.scouted),
        ],
    }


def terms_digest(chain: Chain) -> str:
    """Return the digest of what a war goes by from its beginning: its file, what its legs list, its options."""
    text = dumps([chain.file, [leg_written(leg) for leg in chain.legs], dict(chain.options)])
    return f"sha256:{hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def chain_in(value: Json) -> Chain:
    """Read what `written` wrote."""
    legs = tuple(map(leg_in, value["legs"]))
    war = read_war(value["file"], "", "the war's file", legs)
    replaced, *lists = value["works"]
    return Chain(
        value["file"],
        war,
        legs,
        value["options"],
        read(value["ledger"]),
        tuple(Outcome(*one) for one in value["outcomes"]),
        Works(replaced, *map(tuple, lists)),
        value["salt"],
    )
