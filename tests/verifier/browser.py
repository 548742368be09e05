"""The page in a real browser, Debian's chromium without a window, as a player opens it: from a file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from pbem.audit.note import Key
from pbem.verifier.record import FALSE, NOT_CHECKED, OK
from pbem.cli.verify.page import page
from tests.needed import need

PROGRAM = "/usr/bin/chromium"
WORDS = {"ok": OK, "false": FALSE, "open": NOT_CHECKED}

# Checking a signature or a proof is the slow part, and letters of one game are checked again and again.
REMEMBER = """() => {
  for (const name of ["ed25519", "vrf"]) {
    const [plain, known] = [globalThis[name], new Map()];
    globalThis[name] = async (...given) => {
      const key = given.map(hex).join();
      if (!known.has(key)) known.set(key, await plain(...given));
      return known.get(key);
    };
  }
}"""

JUDGE = """async ([items, pin, witnesses]) => {
  const letters = items.map((one) => ({...one, received: one.received === null ? null : BigInt(one.received)}));
  const judged = await judge(letters, pin, witnesses);
  return Object.fromEntries(verdict(judged).map((line) => [line.check, line.status]));
}"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, while the block runs; the test is left out where it is not installed, unless it is required."""
    need([] if shutil.which(PROGRAM) else ["chromium"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM)
        yield browser
        browser.close()


def written(folder: Path) -> str:
    """The page as a file, and its address."""
    path = folder / "verify.html"
    path.write_text(page(), "utf-8")
    return path.as_uri()


def statuses(tab: Page, items: Sequence[Item], pin: Key | None = None, witnesses: Sequence[Key] = ()) -> dict[str, str]:
    """What the page says of letters, in the words of the product."""
    letters = [{"where": one.where, "received": one.received, "text": one.data.decode("latin-1")} for one in items]
    found: dict[str, Any] = tab.evaluate(JUDGE, [letters, pin.text if pin else "", [key.text for key in witnesses]])
    return {check: WORDS[status] for check, status in found.items()}
