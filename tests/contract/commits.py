"""Commits that update the contract: they move or rename no file, and tell what they change.

A commit that moves files shows by the contract that it changes nothing; one that did both would show neither. What a
commit changes on purpose stands in its body, as ``python -m tests.contract`` printed it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from tests.contract import kept

_KEPT = "tests/contract/*.txt.xz"
_SUFFIX = ".txt.xz"


def faults(repository: Path, revisions: str) -> list[str]:
    """Return what is wrong with the commits of a range, or with one commit, a line each."""
    walk = () if ".." in revisions else ("--no-walk",)
    listed = _git(repository, "rev-list", "--reverse", "--no-merges", *walk, revisions)
    return [fault for commit in listed.split() for fault in _faults(repository, commit)]


def _faults(repository: Path, commit: str) -> Iterator[str]:
    before = f"{commit}^"
    updated = _git(repository, "diff", "--no-renames", "--name-only", before, commit, "--", _KEPT).splitlines()
    if not updated:
        return
    head = _git(repository, "log", "-1", "--format=%h %s", commit).strip()
    moved = _git(repository, "diff", "--find-renames", "--diff-filter=RD", "--name-status", before, commit)
    for line in moved.splitlines():
        yield f"{head}: updates the contract and moves or removes a file: {' '.join(line.split())}"
    body = _git(repository, "log", "-1", "--format=%b", commit).splitlines()
    for name in updated:
        section = PurePosixPath(name).name.removesuffix(_SUFFIX)
        difference = kept.compare(section, _texts(repository, before, name), _texts(repository, commit, name))
        if difference is not None and (lacking := _lacking(difference.shown(), body)):
            yield f"{head}: its body does not hold the difference of {section}; the first line that it lacks: {lacking}"


def _lacking(lines: Iterable[str], body: Iterable[str]) -> str:
    """Return the first line that is not in the body, in this order; blanks at ends and empty lines do not count."""
    rest = (line.strip() for line in body)
    return next((line for line in lines if line.strip() and line.strip() not in rest), "")


def _texts(repository: Path, revision: str, name: str) -> kept.Texts:
    """Return the texts of a section as a commit has them; none if it has no such file."""
    if not _git(repository, "ls-tree", "--name-only", revision, "--", name):
        return {}
    data = subprocess.run(["git", "show", f"{revision}:{name}"], cwd=repository, check=True, capture_output=True).stdout
    return kept.unpacked(data)


def _git(repository: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=repository, check=True, capture_output=True, text=True)
    return done.stdout
