"""What `pyproject.toml` hooks into the build: the addresses of the project, and a README that a registry can show.

Both follow from `repository` under ``[tool.pbem]``. Where it is empty there are no addresses, and links of the README
become their words: a registry shows no other file of the tree.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:)([^)#\s]*)(#[^)\s]*)?\)")
PAGES = {
    "Documentation": "/blob/{tag}/docs/quickstart.md",
    "Source": "",
    "Issues": "/issues",
    "Changelog": "/blob/{tag}/CHANGELOG.md",
    "Security": "/blob/{tag}/SECURITY.md",
}


def with_whole_links(markdown: str, repository: str, tag: str) -> str:
    """Return a page at the top of the tree with its links made absolute, or taken out if `repository` is empty."""

    def whole(link: re.Match[str]) -> str:
        picture, words, path, anchor = link[1], link[2], link[3], link[4] or ""
        if not repository:
            return "" if picture else words
        kind = "raw" if picture else "blob"
        return f"{picture}[{words}]({repository}/{kind}/{tag}/{path or 'README.md'}{anchor})"

    return LINK.sub(whole, markdown)


class CustomMetadataHook(MetadataHookInterface):
    """Sets `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set both; raise ValueError if `repository` is no address, or ends with a slash."""
        repository, tag = self.config["repository"], f"v{metadata['version']}"
        if repository and not re.fullmatch(r"https://[^/\s]+(/[^/\s]+)+", repository):
            raise ValueError(
                f"[tool.hatch.metadata.hooks.custom] repository = {repository!r} is not like https://host/owner/name"
            )
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_whole_links(text, repository, tag)}
        metadata["urls"] = {label: repository + page.format(tag=tag) for label, page in PAGES.items() if repository}
