"""Paragraphs that a client broke to fit a screen, joined again (RFC 3676, format=flowed)."""

from __future__ import annotations


def unflow(text: str, *, delsp: bool = False) -> str:
    """Join flowed lines; quoted lines come out as ``> `` for each level, fixed lines as they are.

    A line that ends in a space goes on in the next one of the same depth, but for the signature's ``-- ``; a leading
    space was stuffed in and is taken out. With `delsp` the space at the break is no part of the text.
    """
    out: list[str] = []
    parts: list[str] = []
    depth = 0

    def flush() -> None:
        if parts:
            out.append("> " * depth + "".join(parts))
            parts.clear()

    for line in text.split("\n"):
        content = line.lstrip(">")
        level = len(line) - len(content)
        content = content.removeprefix(" ")
        if level != depth or content == "-- ":
            flush()
        depth = level
        flows = content.endswith(" ") and content != "-- "
        parts.append(content[:-1] if flows and delsp else content)
        if not flows:
            flush()
    flush()
    return "\n".join(out)
