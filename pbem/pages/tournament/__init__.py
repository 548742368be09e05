"""Make the page of a tournament: standings, crosstable, boards."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from pbem.engine.data.event_sheet import BoardSheet, RoundSheet, StageSheet, TournamentSheet
from pbem.engine.data.messages import Msg, msg
from pbem.pages.binder import COMMON, Page, bind, escape_text, read_files

FOLDER = Path(__file__).parent
Say = Callable[[Msg], str]
_COLUMNS = msg("= points, Bh Buchholz, D direct meetings, SB Sonneborn, M margin; what is empty parted nobody.")
_KEY = msg("+7f: won against who stands in line 7, with the first side; - lost, = drawn, * being played.")


class Links(NamedTuple):
    """The links of a page.

    They lead to the games that have a page, and to other files by file, language and words.
    """

    games: Collection[str] = ()
    links: Sequence[tuple[str, str, str]] = ()


def tournament_page(sheet: TournamentSheet, say: Say, language: str, links: Links) -> str:
    """Return the page of a tournament in one language."""
    parts = [_prizes(sheet, say)] if sheet.prizes else []
    for stage in sheet.stages:
        parts += _stage(stage, say, len(sheet.stages) > 1)
    parts += [_round(round_sheet, say, links.games) for round_sheet in sheet.rounds]
    markup = {
        "language": escape_text(language),
        "title": escape_text(f"{sheet.title} ({sheet.name})"),
        "feed": "",
        "lead": escape_text(say(sheet.stands)),
        "parts": "".join(parts),
        "links": "".join(_link(*link) for link in links.links),
    }
    css = read_files(COMMON, ["base.css"]) + read_files(FOLDER, ["tournament.css"])
    return bind(Page(read_files(COMMON, ["list.html"]), css, "", {}, markup))


def _link(file: str, language: str, words: str) -> str:
    return f'<a href="{escape_text(file)}" hreflang="{escape_text(language)}">{escape_text(words)}</a> '


def _prizes(sheet: TournamentSheet, say: Say) -> str:
    lines = "".join(f"<li>{escape_text(say(prize))}</li>" for prize in sheet.prizes)
    return _card(say(msg("Prizes")), f"<ul>{lines}</ul>")


def _stage(stage: StageSheet, say: Say, has_several: bool) -> list[str]:
    standings, crosstable = say(msg("Standing")), say(msg("Crosstable"))
    if has_several:
        stage_name = say(msg("stage {number}", number=stage.number))
        standings, crosstable = f"{standings}, {stage_name}", f"{crosstable}, {stage_name}"
    cards = [_card(standings, _table(stage.standings), say(_COLUMNS))] if len(stage.standings) > 1 else []
    if len(stage.crosstable) > 1 and len(stage.crosstable[0]) > 3:
        cards.append(_card(crosstable, _table(stage.crosstable), say(_KEY)))
    if stage.members:
        title = say(msg("Members, by points at the boards"))
        cards.append(_card(title, "<table>" + "".join(map(_row, stage.members)) + "</table>"))
    return cards


def _round(sheet: RoundSheet, say: Say, games: Collection[str]) -> str:
    title = say(msg("Round {number}", number=sheet.number))
    rows = "".join(_board(board, say, games) for board in sheet.boards)
    items = "".join(f"<li>{escape_text(say(line))}</li>" for line in sheet.lines)
    content = (f"<table>{rows}</table>" if rows else "") + (f"<ul>{items}</ul>" if items else "")
    return _card(f"{title}: {say(sheet.stands)}", content)


def _board(board: BoardSheet, say: Say, games: Collection[str]) -> str:
    game = escape_text(board.game)
    if board.game in games:
        game = f'<a href="{game}.html">{game}</a>'
    players = f"{board.first} – {board.second}" if board.second else board.first
    result = f' <span class="soft">{escape_text(say(board.how))}</span>' if board.how is not None else ""
    score = f'<td class="score">{escape_text(board.score)}</td>'
    return f"<tr><td>{escape_text(players)}{result}</td>{score}<td>{game}</td></tr>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    titles, *others = rows
    heads = "".join(f"<th>{escape_text(cell)}</th>" for cell in titles)
    return f"<table><tr>{heads}</tr>{''.join(map(_row, others))}</table>"


def _row(cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<td>{escape_text(cell)}</td>" for cell in cells) + "</tr>"


def _card(title: str, content: str, below: str = "") -> str:
    footnote = f'<p class="soft">{escape_text(below)}</p>' if below else ""
    wide_content = f'<div class="wide">{content}</div>' if content else ""
    return f'<section class="card"><h2>{escape_text(title)}</h2>{wide_content}{footnote}</section>'
