"""`pbem try`: a game against a bot, by real letters, in a browser and in mail programs; stopped and begun again."""

from __future__ import annotations

import email
import email.policy
import imaplib
import re
import signal
import smtplib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.cli import try_
from pbem.cli.assembly import load_settings, open_server
from pbem.cli.demo.player import text_of_letter
from pbem.cli.exit_codes import CommandError
from pbem.cli.main import app
from pbem.cli.rulebooks import playable_rulebooks, scenarios_of
from pbem.cli.setting_files import write_key
from pbem.cli.try_ import LocalServers, seats_of, wanted_game
from pbem.store import queries
from tests.verifier.browser import chromium

PATIENCE = 120


class Running:
    """The command while it runs, and what it printed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said = ""
        assert process.stdout is not None
        while "Ctrl-C" not in self.said:
            line = process.stdout.readline()
            assert line, self.said
            self.said += line

    @property
    def pages(self) -> list[str]:
        return re.findall(r"(?:in the browser|en el navegador): (\S+)", self.said)

    @property
    def accounts(self) -> list[tuple[int, int, str, str]]:
        """IMAP port, SMTP port, user and password of each."""
        accounts = re.findall(r"IMAP \S+:(\d+), SMTP \S+:(\d+), .* (\S+), \S+ (\S+)", self.said)
        return [(int(imap), int(smtp), user, password) for imap, smtp, user, password in accounts]

    def subjects(self, account: int = 0) -> list[str]:
        """The subjects of the letters in a mailbox with their first lines, by IMAP, oldest first."""
        port, _, user, password = self.accounts[account]
        with imaplib.IMAP4("127.0.0.1", port) as imap:
            imap.login(user, password)
            imap.select(readonly=True)
            _, uids = imap.search(None, "ALL")
            parts = [imap.fetch(uid.decode(), "(BODY.PEEK[])")[1][0] for uid in uids[0].split()]
        made = [
            email.message_from_bytes(part[1], policy=email.policy.default) for part in parts if isinstance(part, tuple)
        ]
        return [f"{letter['Subject']} {' '.join(text_of_letter(letter).splitlines()[2:3])}" for letter in made]

    def wait(self, holds: Callable[[list[str]], bool], account: int = 0) -> list[str]:
        """The subjects, once something is so of them."""
        end = time.monotonic() + PATIENCE
        while not holds(subjects := self.subjects(account)):
            assert time.monotonic() < end, subjects
            time.sleep(0.2)
        return subjects


@contextmanager
def trying(folder: Path, *options: str) -> Iterator[Running]:
    command = [sys.executable, "-m", "pbem.cli", "try", "--folder", str(folder), "--no-browser", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield Running(process)
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=60)[0]
    assert process.returncode == 0, rest
    assert rest.splitlines()[-1] in (
        "Stopped. The same command goes on from here.",
        "Detenido. El mismo comando continúa desde aquí.",
    )


def your_move(turn: int) -> Callable[[list[str]], bool]:
    return lambda subjects: any(f"T{turn} Your move" in subject for subject in subjects)


@pytest.mark.full
def test_a_first_move_in_the_browser_is_answered_and_the_game_goes_on_after_a_restart(tmp_path):
    with trying(tmp_path) as game, chromium() as browser:
        game.wait(your_move(1))
        page = browser.new_page(viewport={"width": 390, "height": 800})
        faults: list[str] = []
        page.on("pageerror", lambda wrong: faults.append(str(wrong)))
        page.goto(game.pages[0])
        page.frame_locator("iframe.page").get_by_text("Who gets an order?").wait_for()
        desk = page.frame_locator("iframe.page")
        desk.get_by_label("A line of your own").fill("ACTIVATE A")
        desk.get_by_label("A line of your own").press("Enter")
        desk.get_by_label("A line of your own").fill("MOVE Husares TO B")
        desk.get_by_role("button", name="Add", exact=True).click()
        desk.get_by_text("Only to be checked").click()
        assert page.locator("textarea").input_value().split("\n")[1:] == ["ACTIVATE A", "MOVE Husares TO B", "END", ""]
        page.get_by_role("link", name="Cancel").click()
        # What was written is there again, once the page in the page has drawn it.
        desk.locator("#orders code").nth(1).wait_for()
        assert desk.locator("#orders code").all_inner_texts() == ["ACTIVATE A", "MOVE Husares TO B"]
        page.frame_locator("iframe.letter").get_by_text("Write the orders").first.click()
        page.locator("textarea").fill("ORDERS T1\nACTIVATE A\nMOVE Husares TO B\nEND")
        page.get_by_role("button").click()
        page.locator("nav li", has_text="T1 Orders received").wait_for(timeout=PATIENCE * 1000)
        game.wait(your_move(2))
        assert faults == []
        before = game.subjects()
    with trying(tmp_path) as game:
        assert game.subjects()[: len(before)] == before
        _, port, user, password = game.accounts[0]
        with smtplib.SMTP("127.0.0.1", port) as smtp, pytest.raises(smtplib.SMTPSenderRefused):
            smtp.sendmail(user, ["pbem@try.test"], "Subject: x\r\n\r\nLIST\r\n")
        with smtplib.SMTP("127.0.0.1", port) as smtp:
            smtp.login(user, password)
            smtp.sendmail(user, ["pbem@try.test"], f"From: {user}\r\nTo: pbem@try.test\r\nSubject: x\r\n\r\nLIST\r\n")
        after = game.wait(lambda subjects: len(subjects) > len(before))
        # What was carried out before is not answered again.
        assert sum("T1 Orders received" in subject for subject in after) == 1
        assert len(after) == len(before) + 1


@pytest.mark.full
def test_a_game_is_played_to_its_end_in_the_browser_and_seen_once_more(tmp_path):
    with trying(tmp_path) as game, chromium() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        for turn in range(1, 7):
            game.wait(your_move(turn))
            # The page before goes on by itself when its answer comes.
            page.goto("about:blank")
            page.goto(game.pages[0])
            page.locator("nav li a", has_text=f"T{turn} your move").click()
            page.locator(".acts a", has_text="Write the orders").click()
            assert page.locator("textarea").input_value().startswith(f"ORDERS T{turn} #")
            page.locator("textarea").fill(f"ORDERS T{turn}\nPASS\nEND")
            page.get_by_role("button").click()
        game.wait(lambda subjects: any("game is over" in subject for subject in subjects))
    with trying(tmp_path) as game, chromium() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 800})
        page.goto(game.pages[0])
        page.locator("nav li a", has_text="the game is over").click()
        end = page.frame_locator("iframe.letter")
        # The dice are of this table alone: who wins is theirs to say.
        won = re.compile(r"^(Winner: (Spain|Morocco)|Nobody has won: a draw)\.")
        for line in (won, "Victory points: Spain", "Where the points came from", "write PLAY drill to"):
            end.get_by_text(line).first.wait_for()
        over = page.url
        page.locator(".acts a", has_text="step by step").click()
        page.frame_locator("iframe.page").get_by_text("Turn 1 of 6").first.wait_for()
        page.goto(over)
        page.locator(".acts a", has_text="REVIEW").click()
        page.get_by_role("button").click()
        game.wait(lambda subjects: any("what you asked for" in subject.lower() for subject in subjects))


@pytest.mark.full
def test_nobody_else_can_read_what_it_keeps(tmp_path):
    folder = tmp_path / "game"
    with trying(folder):
        open_to_others = [path for path in [folder, *folder.rglob("*")] if path.stat().st_mode & 0o077]
    assert open_to_others == []


@pytest.mark.full
def test_two_people_have_a_mailbox_each(tmp_path):
    with trying(tmp_path, "castillejos", "--two", "--language", "es") as game:
        assert len(game.pages) == len(game.accounts) == 2
        assert "La primera carta llega en unos segundos." in game.said
        assert len({page.rstrip("/").rpartition("/")[2] for page in game.pages}) == 2
        game.wait(lambda subjects: any("T1 Le toca" in subject for subject in subjects), 0)
        game.wait(lambda subjects: len(subjects) >= 2, 1)


WRONG = {
    ("waterloo",): "waterloo",
    ("drill", "--seat", "france"): "drill has no seat france; its seats are: spain, morocco",
    ("drill", "--listen", "0.0.0.0"): "--listen takes one address of this machine",
    ("drill", "--against", "napoleon"): "recruit: weak",
    ("--language", "fr"): "--language takes: en, es",
    ("--two", "--against", "recruit"): "leave one of them out",
}


@pytest.mark.parametrize(("options", "why"), WRONG.items())
def test_what_cannot_be_played_is_said_before_anything_is_written(tmp_path, options, why):
    folder = tmp_path / "game"
    done = CliRunner().invoke(app, ["try", *options, "--folder", str(folder), "--no-browser"])
    assert isinstance(done.exception, CommandError)
    assert why in str(done.exception)
    assert not folder.exists()


@pytest.fixture
def table(tmp_path):
    """A folder of games, without mail server and judge."""
    made = LocalServers(tmp_path)
    made.config.write_text(made._settings(), "utf-8")
    for name in ("pbem.key", "log.key", "dice.key"):
        write_key(tmp_path / name)
    return made


def test_the_same_options_go_on_with_the_same_game(table):
    asked = [
        wanted_game("", "", "", two=False),
        wanted_game("barrosa", "", "", two=False),
        wanted_game("barrosa", "french", "", two=False),
        wanted_game("castillejos", "morocco", "veteran", two=False),
        wanted_game("drill", "", "", two=True),
    ]
    founded = [table.open_game(wish) for wish in asked]
    assert founded == [(f"try-{number}", True) for number in range(1, 6)]
    assert [table.open_game(wish, "es") for wish in asked] == [(name, False) for name, _ in founded]
    assert (table.language, table.players) == ("es", 2)
    assert table.open_game(None) == ("try-5", False)
    # Another bot is another game; without one named any will do.
    assert table.open_game(wanted_game("castillejos", "morocco", "", two=False)) == ("try-4", False)
    assert table.open_game(wanted_game("castillejos", "morocco", "marshal", two=False)) == ("try-6", True)


def test_a_game_that_is_over_does_not_go_on(table):
    wish = wanted_game("", "", "", two=False)
    table.open_game(wish)
    server = open_server(load_settings(table.config))
    with server.work() as work:
        game = queries.games.game(work.session, "try-1")
        assert game is not None
        game.state = "over"
    server.close()
    assert table.open_game(wish) == ("try-2", True)


def test_a_second_one_in_the_folder_says_where_the_first_is(tmp_path):
    first = LocalServers(tmp_path)
    first.keep()
    first._lock()
    done = CliRunner().invoke(app, ["try", "--folder", str(tmp_path), "--no-browser"])
    first._locked.close()
    assert done.exit_code == 0
    assert done.output == f"It is already running: {first.pages[0]}\n"


def invoke_help() -> str:
    """What `pbem try --help` prints, in long lines."""
    return CliRunner().invoke(app, ["try", "--help"], env={"COLUMNS": "200"}).output


def test_a_game_without_bots_is_for_two_people(monkeypatch):
    (name, game), *_ = playable_rulebooks()
    alone = replace(game, levels={})
    monkeypatch.setattr(try_, "playable_rulebooks", lambda: [(name, alone)])
    assert f"Bots there: {'; '.join(game.bots)}." in invoke_help()
    alone = replace(game, bots={}, levels={})
    monkeypatch.setattr(try_, "playable_rulebooks", lambda: [(name, alone)])
    shown = invoke_help()
    assert "No bots there: two people play." in shown
    assert "Bots there" not in shown
    monkeypatch.setattr(try_, "find_game", lambda name: alone)
    assert try_.wanted_game("castillejos", "", "", two=False).bot == ""
    with pytest.raises(CommandError, match="no bots play castillejos, so two people do: leave --against out"):
        try_.wanted_game("castillejos", "", "forward", two=False)


def test_help_names_every_battle_side_and_bot():
    shown = invoke_help()
    for _, game in playable_rulebooks():
        for scenario in scenarios_of(game):
            assert {scenario, *seats_of(game.name, scenario), *game.bots} <= set(re.findall(r"\w+", shown))
