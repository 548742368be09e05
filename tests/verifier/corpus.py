"""The page over all that tests show it a part of, and what it takes: ``python -m tests.verifier.corpus [TIMES]``.

Every hostile letter is chosen from disk beside an honest mailbox, as a player would: the page has to say what the
other verifier says, within the time and the memory that a tab may take, the large ones in a browser of their own. Then,
TIMES as many as in the quick tests, letters of crooked servers, letters that somebody mangled, flipped bytes. With
``--game FOLDER`` the letters of a whole game as well, as `pbem demo --out` leaves them. Nothing stops at the first
that differs: all are told, and the end is 1.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

from pbem.verifier.mailbox import read_paths
from pbem.verifier.verification import status_by_check
from pbem.verifier.verification import verify_letters as judge_letters
from tests.audit.checked import QUICK, items, judge, reader
from tests.audit.hostile_letters import BYTES, HEAVY, SECONDS, hostile, kept, letter
from tests.audit.test_flips import ITEMS, LETTERS, flipped
from tests.verifier.browser import chromium, other_says, page_says, page_says_of_files, written
from tests.verifier.crooked import Crooked
from tests.verifier.mangled import mangled

GAME_SECONDS = 30
QUICKLY = 60
"""Seeds of a kind in the quick tests."""

STATUS = """() => Object.fromEntries([...document.querySelectorAll("#checks > li")]
  .map((one) => [one.id.replace("check-", ""), one.dataset.status]))"""
TOLD = {"ok": "ok", "false": "FALSE", "open": "NOT CHECKED"}


class Taken(NamedTuple):
    """What the page said of files, in how many seconds, and the most memory of its process in bytes.

    A browser's process takes some of it before anything is chosen: `more` is what the letters added.
    """

    said: dict[str, str]
    seconds: float
    most: int
    more: int


def peak(browser: Browser) -> int:
    """The most memory that a process of this browser which shows pages has had."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    texts = [
        Path(f"/proc/{process['id']}/status").read_text() for process in processes if process["type"] == "renderer"
    ]
    return max(int(re.findall(r"VmHWM:\s+(\d+) kB", text)[0]) << 10 for text in texts)


def chosen(browser: Browser, address: str, paths: Sequence[Path], limit: float) -> Taken:
    """Open the page, choose files, and wait until it has judged them."""
    context = browser.new_context(locale="en-GB")
    tab = context.new_page()
    tab.goto(address)
    empty, begun = peak(browser), time.monotonic()
    tab.locator("#files").set_input_files(list(paths))
    tab.locator("#results").wait_for(state="visible", timeout=1000 * limit)
    seconds = time.monotonic() - begun
    by_check = {check: TOLD.get(status, status) for check, status in tab.evaluate(STATUS).items()}
    most = peak(browser)
    context.close()
    return Taken(by_check, seconds, most, most - empty)


def mailbox(folder: Path, name: str) -> list[Path]:
    """The honest mailbox with one hostile letter in it, as files."""
    paths = []
    for index, data in enumerate([*(letter(item.data) for item in kept()), hostile()[name].data]):
        paths.append(folder / f"{index}.eml")
        paths[-1].write_bytes(data)
    return paths


def over_hostile(folder: Path, address: str) -> Iterator[str]:
    """What is wrong of the hostile letters; what the worst of them take is printed."""
    taken: list[tuple[float, int, str]] = []

    def look(browser: Browser, name: str) -> Iterator[str]:
        paths = mailbox(folder, name)
        files = [(path.name, path.read_bytes()) for path in paths]
        wanted = judge_letters([item for file in files for item in items(*file)], reader(), QUICK)
        try:
            result = chosen(browser, address, paths, 3 * SECONDS)
        except Exception as wrong:  # whatever a page may do: the others are still looked at
            yield f"{name}: {str(wrong).splitlines()[0]}"
            return
        taken.append((result.seconds, result.most, name))
        if result.said != status_by_check(wanted):
            yield f"{name}: {sorted(result.said.items() ^ status_by_check(wanted).items())}"
        if result.seconds > SECONDS or result.more > BYTES:
            yield f"{name}: {result.seconds:.1f} s, {result.more >> 20} MiB"

    for name in HEAVY:
        with chromium() as browser:
            yield from look(browser, name)
    with chromium() as browser:
        for name in hostile():
            if name not in HEAVY:
                yield from look(browser, name)
    for seconds, most, name in [*sorted(taken, reverse=True)[:6], *sorted(taken, key=lambda row: -row[1])[:6]]:
        print(f"{seconds:6.2f} s {most >> 20:5} MiB  {name}")
    print(f"{len(taken)} hostile letters in the page")


def over_game(folder: Path, address: str) -> Iterator[str]:
    """What is wrong of each player's letters of an honest game."""
    for box in sorted((folder / "letters").iterdir()):
        paths = sorted(path for path in box.rglob("*") if path.is_file())
        wanted = judge_letters(list(read_paths([box])), reader(), QUICK)
        if not wanted.phases:
            continue
        with chromium() as browser:
            result = chosen(browser, address, paths, 4 * GAME_SECONDS)
        of = f"{box.name}: {len(wanted.phases)} phases, {len(paths)} letters"
        print(f"{result.seconds:6.2f} s {result.most >> 20:5} MiB  {of}")
        if result.said != status_by_check(wanted) or "FALSE" in result.said.values():
            yield f"{box.name}: {result.said}"
        if result.seconds > GAME_SECONDS or result.more > BYTES:
            yield f"{box.name}: {result.seconds:.1f} s, {result.more >> 20} MiB"


def word_by_word(tab: Page, times: int) -> Iterator[str]:
    """Where the page says another word than the other verifier."""

    def files() -> Iterator[tuple[str, Any]]:
        box = [(f"{index}.eml", letter(item.data)) for index, item in enumerate(kept())]
        for name in hostile():
            if name not in HEAVY:
                yield f"hostile: {name}", [*box, ("hostile.eml", hostile()[name].data)]
        for seed in range(QUICKLY, QUICKLY * (times + 1)):
            yield f"mangled {seed}", mangled(seed)

    count = 0
    for name, of in files():
        count += 1
        verdict = judge_letters([item for file in of for item in items(*file)], reader(), QUICK)
        if page_says_of_files(tab, of) != other_says(verdict):
            yield name
    print(f"{count} hostile and mangled letters word by word", flush=True)
    for seed in range(2 * QUICKLY, QUICKLY * (times + 2)):
        sent = Crooked(seed).run()
        if page_says(tab, sent) != other_says(judge(sent)):
            yield f"crooked {seed}"
    print(f"{QUICKLY * times} crooked servers word by word", flush=True)
    count = 0
    for which in LETTERS:
        for number in range(0, len(ITEMS[LETTERS[which]].data), max(1, 499 // times)):
            sent, count = flipped(which, number), count + 1
            if page_says(tab, sent) != other_says(judge(sent)):
                yield f"{which} flipped at {number}"
    print(f"{count} flipped bytes word by word", flush=True)


def main(times: int, game: Path | None) -> int:
    """Look at all of it, and tell what differs."""
    wrong = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        address = written(folder)

        def report(differences: Iterator[str]) -> int:
            return sum(print(f"DIFFERS  {difference}", flush=True) is None for difference in differences)

        wrong += report(over_game(game, address)) if game else 0
        wrong += report(over_hostile(folder, address))
        with chromium() as browser:
            tab = browser.new_page()
            tab.goto(address)
            wrong += report(word_by_word(tab, times))
    print(f"{wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    asked = sys.argv[1:]
    of = Path(asked[asked.index("--game") + 1]) if "--game" in asked else None
    numbers = [int(word) for word in asked if word.isdigit()]
    sys.exit(main(numbers[0] if numbers else 10, of))
