"""A tournament as a page: how all stand, who met whom, and the boards of each round with the games that are shown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from pbem.engine.data.event_sheet import BoardSheet, EventSheet, RoundSheet, StageSheet
from pbem.engine.data.messages import Msg, msg
from pbem.pages.binder import COMMON, Page, bind, read, worded_in

FOLDER = Path(__file__).parent
Say = Callable[[Msg], str]
_COLUMNS = msg("= points, Bh Buchholz, D direct meetings, SB Sonneborn, M margin; what is empty parted nobody.")
_KEY = msg("+7f: won against who stands in line 7, with the first side; - lost, = drawn, * being played.")


class Way(NamedTuple):
    """Where a page leads: the games that have a page beside it, and links below it, each as file, language, words."""

    games: Collection[str] = ()
    links: Sequence[tuple[str, str, str]] = ()


def contest_page(sheet: EventSheet, say: Say, language: str, way: Way) -> str:
    """Return the page of a tournament in one language."""
    parts = [_prizes(sheet, say)] if sheet.prizes else []
    for stage in sheet.stages:
        parts += _stage(stage, say, len(sheet.stages) > 1)
    parts += [_round(one, say, way.games) for one in sheet.rounds]
    drawn = {
        "language": worded_in(language),
        "title": worded_in(f"{sheet.title} ({sheet.name})"),
        "feed": "",
        "lead": worded_in(say(sheet.stands)),
        "parts": "".join(parts),
        "links": "".join(_link(*one) for one in way.links),
    }
    css = read(COMMON, ["base.css"]) + read(FOLDER, ["contest.css"])
    return bind(Page(read(COMMON, ["list.html"]), css, "", {}, drawn))


def _link(file: str, language: str, words: str) -> str:
    return f'<a href="{worded_in(file)}" hreflang="{worded_in(language)}">{worded_in(words)}</a> '


def _prizes(sheet: EventSheet, say: Say) -> str:
    lines = "".join(f"<li>{worded_in(say(one))}</li>" for one in sheet.prizes)
    return _card(say(msg("Prizes")), f"<ul>{lines}</ul>")


def _stage(stage: StageSheet, say: Say, several: bool) -> list[str]:
    standings, crosstable = say(msg("Standing")), say(msg("Crosstable"))
    if several:
        which = say(msg("stage {number}", number=stage.number))
        standings, crosstable = f"{standings}, {which}", f"{crosstable}, {which}"
    found = [_card(standings, _table(stage.standings), say(_COLUMNS))] if len(stage.standings) > 1 else []
    if len(stage.crosstable) > 1 and len(stage.crosstable[0]) > 3:
        found.append(_card(crosstable, _table(stage.crosstable), say(_KEY)))
    if stage.members:
        title = say(msg("Members, by points at the boards"))
        found.append(_card(title, "<table>" + "".join(map(_row, stage.members)) + "</table>"))
    return found


def _round(one: RoundSheet, say: Say, games: Collection[str]) -> str:
    title = say(msg("Round {number}", number=one.number))
    rows = "".join(_board(board, say, games) for board in one.boards)
    asked = "".join(f"<li>{worded_in(say(line))}</li>" for line in one.challenges)
    inside = f"<table>{rows}</table>" if rows else f"<ul>{asked}</ul>" if asked else ""
    return _card(f"{title}: {say(one.stands)}", inside)


def _board(board: BoardSheet, say: Say, games: Collection[str]) -> str:
    game = worded_in(board.game)
    if board.game in games:
        game = f'<a href="{game}.html">{game}</a>'
    who = f"{board.first} – {board.second}" if board.second else board.first
    how = f' <span class="soft">{worded_in(say(board.how))}</span>' if board.how is not None else ""
    return f'<tr><td>{worded_in(who)}{how}</td><td class="score">{worded_in(board.score)}</td><td>{game}</td></tr>'


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *others = rows
    heads = "".join(f"<th>{worded_in(cell)}</th>" for cell in head)
    return f"<table><tr>{heads}</tr>{''.join(map(_row, others))}</table>"


def _row(cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<td>{worded_in(cell)}</td>" for cell in cells) + "</tr>"


def _card(title: str, inside: str, below: str = "") -> str:
    told = f'<p class="soft">{worded_in(below)}</p>' if below else ""
    shown = f'<div class="wide">{inside}</div>' if inside else ""
    return f'<section class="card"><h2>{worded_in(title)}</h2>{shown}{told}</section>'
