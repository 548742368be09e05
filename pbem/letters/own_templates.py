"""Templates of a server's own: read from a folder, held to what a letter needs, refused with file, line and reason.

They stand in for the shipped ones of the same name. None can reach anything but the letter: they run in a sandbox, and
what a letter says is escaped in a page whatever they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from jinja2 import Environment, TemplateSyntaxError, nodes

from pbem.data import data

_FORBIDDEN = (nodes.EvalContextModifier, nodes.Extends, nodes.Import, nodes.FromImport)


class Unfit(ValueError):
    """A template that cannot be used: which file, which line, and why."""


def read_own(folder: Path | None, first: Path | None = None) -> Mapping[str, str]:
    """Return the templates in ``FOLDER/templates`` by name, before them those in the folder `first`; none without.

    Unfit says what is wrong.
    """
    place = folder / "templates" if folder else None
    found = dict(_in(place)) if place is not None and place.is_dir() else {}
    if first is not None and not first.is_dir():
        raise Unfit(f"{first}: there is no such folder")
    return {**found, **dict(_in(first))} if first is not None else found


def _in(place: Path) -> Iterator[tuple[str, str]]:
    shipped = sorted(path.name for path in data("templates").iterdir())
    for path in sorted(place.iterdir()):
        if path.name not in shipped:
            raise Unfit(f"{path}: there is no such template; there are {', '.join(shipped)}")
        yield path.name, _read(path)


def _read(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
        tree = Environment(line_statement_prefix="%%", autoescape=True).parse(text)
    except (OSError, UnicodeDecodeError) as wrong:
        raise Unfit(f"{path}: it cannot be read: {wrong}") from None
    except TemplateSyntaxError as wrong:
        raise Unfit(f"{path}:{wrong.lineno}: {wrong.message}") from None
    for node in tree.find_all(nodes.Filter):
        if node.name in ("safe", "attr"):
            raise Unfit(f"{path}:{node.lineno}: {node.name} is not allowed: what a letter says is always escaped")
    for kind in _FORBIDDEN:
        for other in tree.find_all(kind):
            raise Unfit(f"{path}:{other.lineno}: a template may include others and no more")
    return text
