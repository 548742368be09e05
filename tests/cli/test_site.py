"""The site on the command line, and beside a server that runs."""

from pathlib import Path

from sqlmodel import select

from pbem.cli import serve
from pbem.cli.assembly import load_settings, open_for_command
from pbem.play import publicity
from pbem.store import tables


def agree(hand):
    with open_for_command(hand.folder / "pbem.toml") as server, server.work() as work:
        for seat in work.session.exec(select(tables.Seat)):
            seat.published = publicity.GAME
            work.session.add(seat)


def set_folder(hand):
    path = hand.folder / "pbem.toml"
    text = path.read_text("utf-8")
    assert "[site]\n" in text
    head, tail = text.split("[site]\n")
    path.write_text(f"{head}[site]\n" + tail.replace('folder = ""', 'folder = "www"', 1), "utf-8")


def test_it_goes_where_the_settings_say_or_the_command(hand, begun):
    assert "Name a folder with --out" in hand("site")[2]
    output = hand.fine("site", "--out", hand.folder / "here")
    assert output == "no game is shown: its players agree to that by PUBLISH ON\n"
    agree(hand)
    set_folder(hand)
    assert hand.fine("site") == f"{hand.folder / 'www' / 'ceuta-1.html'}\n"
    assert hand.fine("site") == ""
    assert [oct(path.stat().st_mode)[-3:] for path in (hand.folder / "www", hand.folder / "www" / "index.html")] == [
        "755",
        "644",
    ]
    assert "ceuta-1.html" in (hand.folder / "www" / "index.html").read_text("utf-8")


def test_a_folder_that_cannot_be_written_is_told(hand, begun):
    (hand.folder / "www").write_text("a file")
    code, _, output = hand("site", "--out", hand.folder / "www")
    assert code == 2
    assert "cannot write to" in output


def test_neither_site_nor_archive_takes_the_other_s_list(hand, begun):
    pages, www = hand.folder / "pages", hand.folder / "www"
    hand.fine("archive", "ceuta-1", "--out", pages)
    before = (pages / "index.html").read_bytes()
    agree(hand)
    message = f"pbem: cannot write to {pages}: its index.html is not of a site: name another folder\n"
    assert hand("site", "--out", pages) == (2, "", message)
    assert (pages / "index.html").read_bytes() == before
    hand.fine("site", "--out", www)
    message = f"pbem: {www} is kept by `pbem site`, whose list this would replace: name another folder\n"
    assert hand("archive", "ceuta-1", "--out", www) == (2, "", message)
    assert hand("archive", "ceuta-1", "--seat", "spain", "--out", www)[0] == 0


def test_a_server_that_runs_keeps_it(hand, begun):
    config = Path(hand.folder, "pbem.toml")
    assert all(chore.name != "site" for chore in serve.daemon_settings(load_settings(config)).chores)
    set_folder(hand)
    agree(hand)
    (chore,) = [chore for chore in serve.daemon_settings(load_settings(config)).chores if chore.name == "site"]
    with open_for_command(config) as server:
        chore.do(server, lambda: False)
        assert not (hand.folder / "www" / "ceuta-1.html").exists()
        chore.do(server, lambda: True)
    assert (hand.folder / "www" / "ceuta-1.html").is_file()
