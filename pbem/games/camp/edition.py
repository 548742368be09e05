"""K3 What a camp is pinned to: the war, the ledger before the leg and after it, and what the next leg lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from pbem.engine import edition
from pbem.engine.data.canon import Json
from pbem.engine.edition import Printing
from pbem.engine.war.chain import Between, leg_in, leg_written
from pbem.engine.war.file import Camp, War, read_war
from pbem.engine.war.ledger import Ledger, Listed, read, rows


class Nowhere:
    """The map of a camp: there is none."""

    def to_json(self) -> Json:
        """Nothing."""
        return None

    def described(self) -> Json:
        """Nothing."""
        return None

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Nowhere again."""
        return cls()


@dataclass(frozen=True, eq=False)
class Edition(edition.Edition[Nowhere]):
    """K3 A pinned camp. Its scenario is made by `camp_edition`."""

    PRINTING, MAP = Printing("camp", "1", ""), Nowhere

    @cached_property
    def seats(self) -> Mapping[str, str]:
        """Seats and their sides in the order of play, those of a side by rank, as they were in the leg behind."""
        found: Mapping[str, str] = self.scenario["seats"]
        order = self.scenario.get("order") or [*found]
        return {seat: found[seat] for seat in order}

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """K3 The sides, in the order in which their orders are carried out."""
        return tuple(dict.fromkeys(self.seats.values()))

    def seats_of(self, side: str) -> tuple[str, ...]:
        """Return the seats of a side."""
        return tuple(seat for seat, of in self.seats.items() if of == side)

    @cached_property
    def war(self) -> War:
        """The war, read from its file again."""
        return read_war(self.scenario["file"], "", "the war's file", [*map(leg_in, self.scenario["legs"])])

    @property
    def number(self) -> int:
        """Which camp of the war it is, from 1."""
        number: int = self.scenario["camp"]
        return number

    @property
    def camp(self) -> Camp:
        """What is to be had in it."""
        return self.war.camps[self.number - 1]

    @cached_property
    def listed(self) -> tuple[Listed, ...]:
        """What the next leg lists."""
        return tuple(Listed(*row) for row in self.scenario["legs"][self.number][1])

    @cached_property
    def before(self) -> Ledger:
        """The ledger with which the leg began."""
        return read(self.scenario["before"])

    @cached_property
    def after(self) -> Ledger:
        """The ledger as the leg left it."""
        return read(self.scenario["after"])

    def of_side(self, side: str) -> Edition:
        """Return what a side knows of it under fog: of the ledgers its own."""
        own = {name: [row for row in self.scenario[name] if row[1] == side] for name in ("before", "after")}
        taken = [ident for ident in self.scenario.get("taken", ()) if self.war.units[ident].side == side]
        return Edition(Nowhere(), {}, {**self.scenario, **own, "taken": taken})

    @property
    def fog(self) -> bool:
        """Whether nobody is told what happens in the other's camp."""
        return bool(self.scenario.get("fog"))

    @property
    def deploys(self) -> bool:
        """Whether the next leg begins with a deployment (K6)."""
        return bool(self.scenario.get("deploys") or self.scenario.get("options", {}).get("deploy") == "on")


def camp_edition(between: Between) -> Edition:
    """Return the edition of a camp."""
    file, legs, number, before, after, terms = between
    scenario = {
        "title": file["title"],
        "file": file,
        "legs": [leg_written(leg) for leg in legs],
        "camp": number,
        "before": rows(before),
        "after": rows(after),
    }
    return Edition(Nowhere(), {}, {**scenario, **{name: value for name, value in terms.items() if value}})
