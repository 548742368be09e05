"""The page in a real browser, Debian's chromium without a window, as a player opens it: from a file."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from pbem.audit.note import Key
from pbem.pages.dice import dice_page
from pbem.verifier.verdict import Wording
from pbem.verifier.verification import Verdict
from tests.audit.small_server import Item
from tests.needed import need

PROGRAM = "/usr/bin/chromium"

TELL = """(verdict) => {
  const alone = new Set(verdict.phases.map((phase) => phase.game)).size < 2;
  const told = { code: verdict.code, compare: verdict.compare, byHand: verdict.byHand };
  for (const each of LANGUAGES) {
    language = each;
    told[each] = {
      whole: toldWhole(verdict),
      phases: verdict.phases.map((phase) => toldPhase(phase, alone)),
      lines: verdict.lines.map(({ check, status, held, found }) =>
        [check, status, held, found.map((one) => `${one.truth} ${toldFinding(one)}`).sort()]),
    };
  }
  language = "en";
  return told;
}"""

JUDGE = f"""async ([letters, files, pin, witnesses, quorum]) => {{
  const tell = {TELL};
  const items = files.flatMap(([where, bytes]) => itemsOf(where, bytes));
  for (const [where, received, data] of letters) {{
    items.push(itemFor(where, received === null ? null : BigInt(received), data));
  }}
  return tell(await verifyLetters(items, readerOf(pin, witnesses, String(quorum))));
}}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, while the block runs; the test is left out where it is not installed, unless it is required."""
    need([] if shutil.which(PROGRAM) else ["chromium"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM)
        yield browser
        browser.close()


class SharedBrowser:
    """A browser for all tests of a session; `in_use` holds its event loop off from tests that have one of their own.

    Playwright leaves its loop marked as the one that runs in this thread, where asyncio would then begin no other.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._loop = asyncio._get_running_loop()
        asyncio._set_running_loop(None)

    @contextmanager
    def in_use(self) -> Iterator[Browser]:
        """Mark the browser's loop as running while the block runs."""
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self._loop)
        try:
            yield self.browser
        finally:
            asyncio._set_running_loop(before)


@contextmanager
def shared_chromium() -> Iterator[SharedBrowser]:
    """The browser for many tests, while the block runs."""
    with chromium() as running:
        shared = SharedBrowser(running)
        yield shared
        # Closing it speaks to it once more; then playwright itself takes the mark away.
        asyncio._set_running_loop(shared._loop)


def written(folder: Path) -> str:
    """The page as a file, and its address."""
    path = folder / "verify.html"
    path.write_text(dice_page(), "utf-8")
    return path.as_uri()


def page_says(
    tab: Page, items: Sequence[Item], pin: Key | None = None, witnesses: Sequence[Key] = (), quorum: int = 1
) -> Any:
    """All that the page says of letters, in both languages."""
    letters = [(item.where, item.received, item.data.decode("latin-1")) for item in items]
    return tab.evaluate(JUDGE, [letters, [], pin.text if pin else "", [key.text for key in witnesses], quorum])


def page_says_of_files(tab: Page, files: Sequence[tuple[str, bytes]]) -> Any:
    """All that the page says of files of some kind."""
    return tab.evaluate(JUDGE, [[], [(where, data.decode("latin-1")) for where, data in files], "", [], 1])


def other_says(verdict: Verdict) -> dict[str, Any]:
    """The same of what the other verifier found."""
    compare = " | ".join([verdict.compare[0] or "-", *map(str, verdict.compare[1:])]) if verdict.compare else ""
    answer: dict[str, Any] = {"code": verdict.code, "compare": compare, "byHand": verdict.by_hand}
    alone = len({phase.game for phase in verdict.phases}) < 2
    truths = {None: "null", False: "false"}
    for language in ("en", "es"):
        teller = Wording(language)
        answer[language] = {
            "whole": teller.whole(verdict),
            "phases": [teller.phase(phase, alone) for phase in verdict.phases],
            "lines": [
                [
                    line.check,
                    line.status,
                    line.held,
                    sorted(f"{truths[finding.truth]} {teller.finding(finding)}" for finding in line.found),
                ]
                for line in verdict.lines
            ],
        }
    return answer
