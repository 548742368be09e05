"""What `mkdocs.yml` hooks in: the pages at the top of the tree are pages of the site too, and links lead to them there.

A link to anything else that is no page, such as code, becomes its name: the site stands by itself.
"""

from __future__ import annotations

import posixpath
import re
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]

TOP = Path(__file__).parent
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "CHANGELOG.md": "changelog.md",
}
FENCE = re.compile(r"^```(\w+).*$", re.MULTILINE)
COLOURED = {"sh", "toml", "python", "json", "html"}
LIGHT, DARK = "xcode", "github-dark"
"""Colours of code by day and night, named as Pygments does."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """The address of the sources, if they have one."""
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    config.repo_url = project["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"] or None
    return config


def on_files(files: Any, config: Any) -> Any:
    """The pages at the top, by their names on the site, and the colours of code."""
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(TOP / source).read_text("utf-8")))
    styles = (
        HtmlFormatter(style=style, nobackground=True).get_style_defs(f"[data-bs-theme={mode}] .codehilite")
        for mode, style in (("light", LIGHT), ("dark", DARK))
    )
    files.append(File.generated(config, "code.css", content="\n".join(styles)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The text of a page with its links as they lead on the site."""
    at = page.file.src_uri
    source = {site: top for top, site in PAGES.items()}.get(at, f"docs/{at}")

    def led(found: re.Match[str]) -> str:
        picture, words, to, anchor = found[1], found[2], found[3], found[4] or ""
        if ":" in to:
            return found[0]
        name = posixpath.normpath(posixpath.join(posixpath.dirname(source), to))
        there = PAGES.get(name, name.removeprefix("docs/"))
        if files.get_file_from_path(there) is None:
            return words
        return f"{picture}[{words}]({posixpath.relpath(there, posixpath.dirname(at) or '.')}{anchor})"

    # Further words behind a fence are for the tests that try what is in it.
    return LINK.sub(led, FENCE.sub(lambda found: "```" + (found[1] if found[1] in COLOURED else ""), markdown))
