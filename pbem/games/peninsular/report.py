"""The report of a seat: what came of the half in a few lines, the map as text, the counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pbem.engine.commanders.telling import block as commands
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Arg, Msg, msg
from pbem.engine.data.report import PLAIN, Block, Entry, Line, Report, Table
from pbem.engine.data.stakes import situation, uneventful
from pbem.engine.deployment import DEPLOYMENT, on_map
from pbem.engine.deployment import blocks as zones
from pbem.engine.map.hexes import hex_id, place
from pbem.engine.terms import ONLOOKER
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.hexmap import Ground
from pbem.games.peninsular.sequence import DEPLOYING
from pbem.games.peninsular.shock import mixed
from pbem.games.peninsular.state import State
from pbem.games.peninsular.tell import ORDER_NAMES, STATE_NAMES, arrived, does_not_charge, entries, happenings
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit
from pbem.games.peninsular.victory import SIDE_NAMES, Seen, over, party, stakes, won, wording

_YIELDS = ("retreats", "withdraws", "routed", "eliminated")
_TAKES = ("advances", "pursues")
"""What tells that a side did not stand in a shock, and that the other side took its hex."""


def came_of(seen: Seen) -> list[Msg]:
    """Return a line for each shock, each division that gave way, each rout and loss besides, each commander who fell,
    each group that came; first what fire cost."""
    lines: list[Msg] = []
    shot: dict[str, int] = {}
    for _, places in happenings(seen):
        told = [seen[place] for place in sorted(places)]
        first = seen[places[0]][0]
        for happened, before in told:
            data = happened.data
            if happened.kind == "shock":
                lines.append(_shock(happened, before, told))
            elif happened.kind == "loses" and first.kind == "fires":
                shot[data["unit"]] = shot.get(data["unit"], 0) + data["pf"]
            elif happened.kind in _ONE_LINE:
                lines.append(_ONE_LINE[happened.kind](data))
            elif happened.kind == "falls back":
                lines.append(_division(msg("Division {division} gave ground: {units}."), data["division"], told))
            elif happened.kind == "arrives":
                lines.append(arrived(data, before))
            elif happened.kind == "test" and does_not_charge(first, happened, before):
                lines.append(msg("{unit} did not charge: it failed its test.", unit=data["unit"]))
        lines += _fates(told, fought=first.kind == "shock")
    if shot:
        lost = tuple(msg("{unit} {pf}", unit=unit, pf=pf) for unit, pf in shot.items())
        lines.insert(0, msg("PF lost by fire: {units}.", units=lost))
    return lines


_ONE_LINE: Mapping[str, Callable[[Mapping[str, Json]], Msg]] = {
    "no shock": lambda data: msg("{hex}: no assault, the attackers are too weak.", hex=data["at"]),
    "commander lost": lambda data: msg("The commander {unit} fell.", unit=data["unit"]),
    "game over": over,
}


def _fates(told: Seen, fought: bool) -> list[Msg]:
    """Who was routed, eliminated or captured in a happening: all of a division at once, or each by himself.

    Of a shock the line on it tells already who is out of play.
    """
    routed = tuple(dict.fromkeys(happened.data["unit"] for happened, _ in told if happened.kind == "routed"))
    gone = () if fought else _lost_to(told, ("eliminated",))
    shot = () if fought else tuple(one.data["unit"] for one, _ in told if one.kind == "loses" and not one.data["left"])
    lines = []
    tested = [happened.data["division"] for happened, _ in told if happened.kind == "division"]
    if routed and tested:
        lines.append(msg("Division {division} was routed: {units}.", division=tested[0], units=routed))
        routed = ()
    for unit in routed:
        lines.append(
            msg("{unit} was routed and eliminated.", unit=unit)
            if unit in gone
            else msg("{unit} was routed.", unit=unit)
        )
    rest = tuple(dict.fromkeys(unit for unit in (*shot, *gone) if unit not in routed))
    if rest and not any(happened.kind == "falls back" for happened, _ in told):
        lines.append(msg("{units} {units:|was|were} eliminated.", units=rest))
    taken = () if fought else _lost_to(told, ("captured",))
    if taken:
        lines.append(msg("{units} {units:|was|were} captured.", units=taken))
    return lines


def _lost_to(told: Seen, kinds: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit for one, _ in told if one.kind in kinds for unit in one.data["units"]))


def _division(sentence: Msg, name: str, told: Seen) -> Msg:
    """Where the counters of a division went from and to."""
    gone = [happened.data for happened, _ in told if happened.kind == "retreats"]
    back = tuple(msg("{unit} from {start} to {to}", unit=d["units"][0], start=d["from"], to=d["to"]) for d in gone)
    lost = tuple(msg("{unit} eliminated", unit=unit) for unit in _all_gone(told))
    return msg(sentence.text, division=name, units=(*back, *lost) or msg("none"))


def _shock(shock: Event, before: State, told: Seen) -> Msg:
    """Who won and who lost what, then strengths, die and what the chart says."""
    data = shock.data
    ours, sides = data["side"], [before.units[ident].side for ident in data["defenders"] if ident in before.units]
    theirs = sides[0] if sides else ""
    gave = {camp(happened.data["side"]) for happened, _ in told if _yields(happened)}
    taken = any(happened.kind in _TAKES and happened.data["to"] == data["at"] for happened, _ in told)
    winner = ours if taken or camp(theirs or ours) in gave - {camp(ours)} else theirs if camp(ours) in gave else ""
    won = msg("{hex} was assaulted by {side}, without a decision.", hex=data["at"], side=_name(before, ours))
    if winner:
        won = msg("{hex} was assaulted: {side} won.", hex=data["at"], side=_name(before, winner))
    attack, defence = data["strengths"]
    dice = msg(
        "Shock {a} to {b}, die {die}: {effect}.",
        a=mixed(attack),
        b=mixed(defence),
        die=data["die"],
        effect=Msg(before.edition.chart("shock").legend[data["cell"]]),
    )
    lost = tuple(_lost(side, told, before) for side in dict.fromkeys((ours, theirs)) if side and _hurt(side, told))
    return msg("{fight} Lost in the shock: {lost}. {dice}", fight=won, lost=lost or msg("nothing"), dice=dice)


def _name(state: State, side: str) -> Msg:
    """What the side is called that a side counts its points for: one name for all friends (S14)."""
    return SIDE_NAMES[party(state, side) or side]


def _yields(happened: Event) -> bool:
    return happened.kind in _YIELDS or (happened.kind == "loses" and not happened.data["left"])


def _hurt(side: str, told: Seen) -> bool:
    return bool(_steps(side, told) or _gone(side, told))


def _steps(side: str, told: Seen) -> int:
    """S14 The PF that a camp lost, those of counters eliminated or captured among them."""
    pf = 0
    for one, before in told:
        if one.kind == "loses" and camp(one.data["side"]) == camp(side):
            pf += one.data["pf"]
        elif one.kind == "eliminated" and camp(one.data["side"]) == camp(side):
            pf += sum(before.units[ident].pf for ident in one.data["units"] if ident in before.units)
    return pf


def _all_gone(told: Seen) -> tuple[str, ...]:
    return tuple(ident for side in ("british", "french") for ident in _gone(side, told))


def _gone(side: str, told: Seen) -> tuple[str, ...]:
    """The counters of a camp that were lost in these events."""
    found: dict[str, None] = {}
    for happened, before in told:
        data = happened.data
        fatal = happened.kind in ("eliminated", "captured") or (happened.kind == "loses" and not data["left"])
        for ident in (data.get("units") or [data["unit"]]) if fatal else ():
            if ident in before.units and camp(before.units[ident].side) == camp(side):
                found[ident] = None
    return tuple(found)


def _lost(side: str, told: Seen, before: State) -> Msg:
    pf, gone, name = _steps(side, told), _gone(side, told), _name(before, side)
    lost = msg("{side} {pf} PF", side=name, pf=pf) if pf else msg("{side}", side=name)
    return msg("{lost} (out of play: {units})", lost=lost, units=gone) if gone else lost


# The map as text: each hex with its terrain and who stands in it, in 72 columns.
#
# ::
#
#       01    03    05          odd columns lie half a hex higher: their hexes stand in the upper line of a row,
#          02    04             those of even columns in the lower one
#     01 .     w     B12
#           .     F7


WIDTH = 72
TERRAIN: Mapping[str, str] = {
    "clear": ".",
    "beach": "b",
    "cultivated": ",",
    "village": "v",
    "city": "c",
    "strong buildings": "T",
    "pontoon bridge": "=",
    "marsh": "m",
    "light wood": "w",
    "dense wood": "W",
    "sea": "~",
}
SIDES: Mapping[str, Msg] = {
    "river": msg("river"),
    "stream": msg("stream"),
    "bridge": msg("bridge"),
    "ford": msg("ford"),
    "ravine": msg("ravine"),
    "slope": msg("slope"),
    "impassable slope": msg("impassable slope"),
    "siege lines": msg("siege lines"),
    "road": msg("road"),
}
_SIGN = {"french": "F", "british": "B", "spanish": "S", "portuguese": "P"}
_LABEL = 3


def text_map(view: State, seat: str) -> tuple[Line, ...]:
    """Return the whole map, and below it what its signs mean and the sides that are more than open ground.

    ``B12`` is held by the British with 12 PF, ``Fg`` by French guns alone, ``Bo`` by a commander alone; a level above
    the plain stands after the terrain, ``.1``; ``*`` marks a hex that counts for victory.
    """
    ground = view.edition.map
    who = msg("B British, P Portuguese, S Spanish, F French: PF, g guns, o commander")
    signed = (*rows(view), (0, msg("{signs}", signs=(*signs(ground), who))))
    return (*signed, *((0, line) for line in _features(ground)), *on_map(view, SIDE_NAMES, DEPLOYING.rule))


def signs(ground: Ground) -> tuple[Msg, ...]:
    """Return what the signs of a map mean, but those of who stands there."""
    present = {ground.terrain(ident) for ident in ground.hexes}
    found = [msg("{sign} {word}", sign=sign, word=Msg(name)) for name, sign in TERRAIN.items() if name in present]
    return (*found, msg(".1 level 1"), msg("* counts for victory"))


def rows(view: State, around: Iterable[str] = ()) -> tuple[Line, ...]:
    """Return the map with its columns and rows numbered; with `around`, only the rows of those hexes and one beyond."""
    ground = view.edition.map
    pitch = min(8, (WIDTH - _LABEL) // ((ground.columns + 1) // 2))
    found = [place(ident)[1] for ident in around] or [1, ground.rows]
    first, last = max(1, min(found) - 1), min(ground.rows, max(found) + 1)
    lines = [_line("", _heads(ground, odd), pitch, odd) for odd in (1, 0)]
    for row in range(first, last + 1):
        for odd in (1, 0):
            columns = range(2 - odd, ground.columns + 1, 2)
            cells = [_cell(view, hex_id(column, row)) for column in columns]
            lines.append(_line(f"{row:02}" if odd else "", cells, pitch, odd))
    return tuple((PLAIN, msg("{line}", line=line)) for line in lines)


def _heads(ground: Ground, odd: int) -> list[str]:
    return [f"{column:02}" for column in range(2 - odd, ground.columns + 1, 2)]


def _line(label: str, cells: Sequence[str], pitch: int, odd: int) -> str:
    shift = 0 if odd else (pitch + 1) // 2
    return f"{label:<{_LABEL + shift}}" + "".join(f"{cell:<{pitch}}" for cell in cells).rstrip()


def _cell(view: State, ident: str) -> str:
    here = view.at(ident)
    ground = view.edition.map
    level = ground.level(ident)
    text = _force(here) if here else TERRAIN[ground.terrain(ident)] + (str(level) if level else "")
    return text + ("*" if ident in view.edition.scenario.get("victory", {}).get("hexes", {}) else "")


def _force(here: list[Unit]) -> str:
    sign = _SIGN[here[0].side]
    pf = sum(unit.pf for unit in here if unit.kind in ("inf", "cav"))
    if pf:
        return f"{sign}{pf}"
    return f"{sign}g" if any(unit.kind == "art" for unit in here) else f"{sign}o"


def _features(ground: Ground) -> list[Msg]:
    """Sides by kind; slopes that a change of level explains are told in one sentence, roads as chains of hexes."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for a, b, feature in ground.features:
        kinds.setdefault(feature, []).append((a, b))
    lines: list[Msg] = []
    for kind, pairs in kinds.items():
        odd = [(a, b) for a, b in pairs if kind != "slope" or ground.level(a) >= ground.level(b)]
        if len(odd) < len(pairs):
            lines.append(msg("slope: wherever the level changes"))
        chains = _chains(odd) if kind == "road" else ["-".join(pair) for pair in odd]
        if chains:
            lines.append(msg("{kind}: {sides}", kind=SIDES[kind], sides=tuple(chains)))
    return lines


def _chains(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Sides that follow one another, as one chain."""
    chains: list[list[str]] = []
    for a, b in pairs:
        if chains and chains[-1][-1] == a:
            chains[-1].append(b)
        else:
            chains.append([a, b])
    return ["-".join(chain) for chain in chains]


def report(view: State, seat: str, seen: Seen) -> Report:
    """Return the report on what a seat saw, and on the position after it; the onlooker sees two camps and no chores."""
    told = entries(seen)
    title = Msg(view.edition.scenario.get("title", "Peninsular"))
    blocks = (
        *zones(view, SIDE_NAMES, "K6"),
        *commands(view, seat),
        _losses(seen, view),
        _taken(view),
        _map(view),
        *(_of_all(view) if seat == ONLOOKER else _of_side(view, view.edition.seats[seat])),
    )
    head = situation(stakes(view, seat, seen), wording(view))
    return Report(title, _summary(view, seen, told), told, tuple(block for block in blocks if block.lines), (head,))


def _of_side(view: State, side: str) -> tuple[Block, ...]:
    enemy = "allied" if camp(side) == "french" else "french"
    return (
        _forces(view, camp(side), msg("Your forces"), orders=True),
        _forces(view, enemy, msg("The enemy")),
        _warnings(view, side),
    )


def _of_all(view: State) -> tuple[Block, ...]:
    return _forces(view, "allied", msg("The allied forces")), _forces(view, "french", msg("The French forces"))


def _summary(view: State, seen: Seen, told: Sequence[Entry]) -> tuple[Msg, ...]:
    """Fights with what came of them, who fell or was routed."""
    quiet = (
        () if told else uneventful(seen, first=view.turn <= 1 and view.phase in (view.edition.phases[0], DEPLOYMENT))
    )
    return (*came_of(seen), *quiet)


def _map(view: State) -> Block:
    """The rows of the map that anybody stands in, as they are drawn, and what is in them."""
    drawn = rows(view, (unit.at for unit in view.units.values()))
    who = msg("B British, P Portuguese, S Spanish, F French: PF, g guns, o commander")
    legend = msg("{signs}", signs=(*signs(view.edition.map), who))
    return Block(
        msg("The map (MAP sends all of it, with streams, slopes and roads)"),
        (*drawn, (0, legend)),
        whole=view.phase == DEPLOYMENT,
    )


def _taken(view: State) -> Block:
    """S14 Colours and guns that are lost so far, who stands at the exit, and the points for them."""
    return Block(msg("Colours, guns, the exit"), tuple((0, line) for line in won(view)))


def _losses(seen: Seen, view: State) -> Block:
    """What each side lost, counted as the points count it (S14): guns and counters eliminated with all their PF."""
    before = seen[0][1] if seen else view
    gone: dict[str, dict[str, None]] = {}
    for happened, then in seen:
        data = happened.data
        for ident in data.get("units", [data.get("unit", "")]) if happened.kind in _FATAL else ():
            # Another takes over from a commander under the same name: he who fell is lost all the same (S13).
            if ident in then.units and (ident in view.gone or happened.kind == "commander lost"):
                gone.setdefault(then.units[ident].camp, {})[ident] = None
    lines = []
    for side in view.edition.phases:
        pf, lost = _dead(view, side) - _dead(before, side), tuple(gone.get(camp(side), ()))
        if pf or lost:
            told = msg("{side}: {pf} PF; out of play: {units}", side=SIDE_NAMES[side], pf=pf, units=lost or msg("none"))
            lines.append((0, told))
    return Block(msg("Losses"), tuple(lines), whole=True)


def _dead(state: State, side: str) -> int:
    return sum(pf for one, pf in state.dead.items() if camp(one) == camp(side))


_FATAL = ("loses", "commander lost", "captured", "eliminated")


def _forces(view: State, ours: str, title: Msg, orders: bool = False) -> Block:
    """A paragraph a division, then those without one; `orders` tells the orders in force as well."""
    chiefs = {division.commander: name for name, division in view.divisions.items()}
    groups: dict[str, list[Unit]] = {}
    for ident, unit in sorted(view.units.items()):
        if unit.camp == ours:
            groups.setdefault(unit.division or chiefs.get(ident, ""), []).append(unit)
    lines, rows = [], []
    for name, units in sorted(groups.items(), key=lambda group: (not group[0], group[0])):
        units.sort(key=lambda unit: unit.is_combat)
        division, told = _division_line(view, name, orders), tuple(_unit_line(view, unit) for unit in units)
        lines.append((0, msg("{division}: {units}", division=division, units=told)))
        rows.append((division, tuple(_row(view, unit) for unit in units)))
    return Block(title, tuple(lines), whole=True, table=Table(_HEADS, tuple(rows)))


_HEADS = (msg("Unit"), msg("Arm"), msg("PF"), msg("Will"), msg("Hex"), msg("Front"))


def standing_at(view: State, ident: str) -> tuple[tuple[int, Msg], ...]:
    """Who stands in a hex, of both camps: what a question about it is decided by."""
    return tuple((0, _unit_line(view, unit)) for unit in view.at(ident))


def _division_line(view: State, name: str, orders: bool) -> Msg:
    """A division's name and, for its owner, its morale and orders."""
    division = view.divisions.get(name)
    if division is None:
        return msg("{division}", division=name) if name else msg("In no division")
    if not orders:
        return msg("{division}", division=name)
    now = ORDER_NAMES[division.order]
    if division.pending:
        later = ORDER_NAMES[division.pending]
        return msg("{d} (morale {m}; {now}; from next turn {later})", d=name, m=division.morale, now=now, later=later)
    return msg("{d} (morale {m}; {now})", d=name, m=division.morale, now=now)


_KINDS = {"inf": msg("inf"), "cav": msg("cav"), "art": msg("art"), "cmd": msg("cmd")}


def _unit_line(view: State, unit: Unit) -> Msg:
    """Id, kind, what it is worth, where it is and what is not as usual: ``2/87 inf 5/7 B 0408 facing N disordered``."""
    words: list[Msg | str] = [unit.id, _KINDS[unit.kind]]
    if unit.kind == "cmd":
        words.append(msg("{m}/{s} range {r} {at}", m=unit.morale, s=unit.shock, r=unit.range, at=unit.at))
        return _joined(words)
    if unit.kind == "art":
        words.append(msg("factor {f}", f=unit.fire))
    words.append(f"{unit.pf}/{unit.full} {unit.will} {unit.at}")
    words += _ground(view, unit)
    if unit.faces:
        words.append(msg("facing {facing}", facing=unit.facing))
    return _joined([*words, *_marks(unit)])


def _row(view: State, unit: Unit) -> tuple[Arg, ...]:
    """A unit in columns: who, what, its PF, its will, where it is, where it looks, and what is not as usual."""
    if unit.kind == "cmd":
        worth = msg("{m}/{s} range {r}", m=unit.morale, s=unit.shock, r=unit.range)
        return (unit.id, _KINDS["cmd"], "", "", unit.at, "", (worth,))
    factor = (msg("factor {f}", f=unit.fire),) if unit.kind == "art" else ()
    front = msg("{facing}", facing=unit.facing) if unit.faces else ""
    state = (*factor, *_ground(view, unit), *_marks(unit))
    return (unit.id, _KINDS[unit.kind], f"{unit.pf}/{unit.full}", unit.will, unit.at, front, state)


def _ground(view: State, unit: Unit) -> list[Msg]:
    """The terrain of its hex, if it is not clear."""
    terrain = view.edition.map.terrain(unit.at)
    return [] if terrain == "clear" else [Msg(terrain)]


def _marks(unit: Unit) -> list[Msg]:
    """What is not as usual with a unit."""
    words = []
    if unit.square:
        words.append(msg("in square"))
    elif unit.skirmishing:
        words.append(msg("in skirmish order"))
    elif unit.limbered:
        words.append(msg("limbered"))
    if unit.state != NORMAL:
        words.append(STATE_NAMES[unit.state])
    if unit.fatigue:
        words.append(msg("fatigue {level}", level=unit.fatigue))
    if unit.fired:
        words.append(msg("fired"))
    return words


def _joined(words: Sequence[Msg | str]) -> Msg:
    """Words with blanks between them."""
    first, *rest = words
    said = first if isinstance(first, Msg) else msg("{word}", word=first)
    for word in rest:
        said = msg("{a} {b}", a=said, b=word)
    return said


def _warnings(view: State, side: str) -> Block:
    """What a player may want to look after: shaken counters, and divisions without a commander."""
    own = [unit for _, unit in sorted(view.units.items()) if unit.camp == camp(side)]
    routed = tuple(unit.id for unit in own if unit.state == ROUTED)
    shaken = tuple(unit.id for unit in own if unit.state == DISORDERED)
    lines: list[tuple[int, Msg]] = []
    if routed:
        lines.append((0, msg("routed, try to rally at the end of your half: {units}", units=routed)))
    if shaken:
        lines.append((0, msg("disordered, try to rally away from the enemy: {units}", units=shaken)))
    for name in sorted({unit.division for unit in own} & view.divisions.keys()):
        if view.divisions[name].commander not in view.units:
            lines.append((0, msg("division {division} has no commander: its orders wait a turn", division=name)))
    return Block(msg("To look after"), tuple(lines))
