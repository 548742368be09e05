"""What is kept about somebody: told to him whole, and blanked so that no byte of it is found again."""

import base64
import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.harness.command_line import MOROCCO, SPAIN

PASS = "ORDERS T1\nPASS\nEND\n"
PRESS = 'PRESS TO morocco\nThe mules of Tetuán are mine, "all" of them.\nENDPRESS\n'
PHONE = "Ana.Phone@mobile.test"
NAMES = ("ana@players.test", "ana.phone@mobile.test", "Anacleta", "mules of Tetu", "@players.test>")


@pytest.fixture
def played(hand, begun, after_letters):
    """Ana of Spain wrote orders, press, from a telephone, and what was asked for."""
    if not after_letters.exists():
        write(hand, begun)
        shutil.copytree(hand.folder, after_letters)
    shutil.copytree(after_letters, hand.folder, dirs_exist_ok=True)
    return hand


@pytest.fixture(scope="module")
def after_letters(tmp_path_factory):
    """The folder of the server with her letters, which the first test that wants it writes."""
    return tmp_path_factory.mktemp("letters") / "server"


def write(hand, begun):
    """Ana's letters and those of others, one of which cannot be delivered."""
    hand.deliver(f"Anacleta <{SPAIN}>", begun["spain"], PASS)
    assert hand.deliver(f"Anacleta <{SPAIN}>", begun["spain"], PRESS)[0] == 0
    hand.deliver(f"Anacleta <{PHONE}>", begun["spain"], "STATUS\n")
    hand.deliver(f"Anacleta <{SPAIN}>", begun["spain"], "STATUS\n")
    # Somebody else's letters, which have her address in them as mail programs write it, plain and encoded.
    hand.deliver(MOROCCO, begun["morocco"], f"STATUS\n> On Monday {SPAIN.upper()} wrote:\n")
    hidden = base64.encodebytes(f"STATUS\n\nAsk {SPAIN} too.\n".encode()).decode()
    hand.deliver(MOROCCO, begun["morocco"], hidden, "Content-Transfer-Encoding: base64\nMIME-Version: 1.0\n")
    for seat, who in (("spain", SPAIN), ("morocco", MOROCCO)):
        hand.deliver(who, begun[seat], "STATUS\n")
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as opened, opened:
        opened.execute("UPDATE outbox SET state = 'failed', last_text = '550 no mailbox ' || recipient WHERE id = 1")
        opened.execute("INSERT INTO attempt (outbox_id, at, code, text) SELECT id, created, 550, last_text FROM outbox")


def over(hand):
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as opened, opened:
        opened.execute("UPDATE game SET state = 'over'")


def bytes_of(folder):
    """Every file that the server has, its settings and the letters that tests handed in apart."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".eml"}


def find_names(folder, names):
    """Which names stand in which files, as they are, in small letters, and as base64 would have them."""
    hits = set()
    for path, data in bytes_of(folder).items():
        low = data.lower()
        for name in names:
            forms = {name.lower().encode(), json.dumps(name)[1:-1].lower().encode()}
            hits |= {(name, path.name) for form in forms if form in low}
            for shift in range(3):
                coded = base64.b64encode(b"\0" * shift + name.encode())[4 if shift else 0 : -4]
                hits |= {(name, path.name)} if coded and coded in data else set()
    return hits


def test_it_is_refused_while_she_plays_and_told_how_it_may_be_done(played):
    before = bytes_of(played.folder)
    code, out, err = played("person", "erase", SPAIN, "--yes")
    assert (code, out) == (2, "")
    assert "`pbem seat vacate ceuta-1 spain`" in err
    assert "ADJUDICATE" in err
    assert {path for path, data in bytes_of(played.folder).items() if "sqlite3" not in path.name} <= set(before)
    assert "ana@players.test" in played.fine("person", "export", SPAIN)


def test_nobody_of_that_address(hand):
    for act in ("erase", "export"):
        code, _, err = hand("person", act, "nemo@players.test")
        assert (code, "nobody here has the address nemo@players.test" in err) == (2, True)


def test_all_that_is_kept_is_told(played):
    export = json.loads(played.fine("person", "export", SPAIN))
    assert export["addresses"] == [SPAIN, PHONE.lower()]
    kept = export["kept"]
    assert [row["name"] for row in kept["seat"]] == ["spain"]
    assert {row["sender"] for row in kept["inbox"]} == {SPAIN, PHONE.lower()}
    assert any("PASS" in row["body"] for row in kept["raw"])
    assert {row["recipient"] for row in kept["outbox"]} == {SPAIN}
    assert [row["text"] for row in kept["order_set"]] == ["PASS\n"]
    assert "mules of Tetuán" in kept["press"][0]["text"]
    # Nothing of her enemy's is in it.
    assert MOROCCO not in json.dumps(export)


def test_it_is_written_for_her_alone(played):
    path = played.folder / "ana.json"
    assert str(path) in played.fine("person", "export", SPAIN, "--out", path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert "cannot be written" in played("person", "export", SPAIN, "--out", path)[2]


def test_no_byte_of_her_is_left_and_all_else_is(played):
    over(played)
    everything = find_names(played.folder, NAMES)
    assert {name for name, _ in everything} == {"Anacleta", *NAMES}
    moroccan = json.loads(played.fine("person", "export", MOROCCO))["kept"]

    assert "erased-" in played.fine("person", "erase", SPAIN, "--yes")

    assert find_names(played.folder, NAMES[:4]) == set()
    checked = played.fine("log", "check")
    assert "raw letter erased: NOT CHECKED (1)" in checked
    assert checked.endswith("all is as it was signed\n")
    assert "ceuta-1" in played.fine("replay", "ceuta-1")
    again = json.loads(played.fine("person", "export", MOROCCO))["kept"]
    assert [row["text"] for row in again["order_set"]] == [row["text"] for row in moroccan["order_set"]]
    assert again["address"] == moroccan["address"]
    code, _, err = played("person", "erase", SPAIN, "--yes")
    assert (code, "nobody here" in err) == (2, True)


def test_what_is_asked_first(played, monkeypatch):
    over(played)
    monkeypatch.setattr("typer.prompt", lambda *_, **__: "yes")
    assert "nothing was done" in played("person", "erase", SPAIN)[2]
    monkeypatch.setattr("typer.prompt", lambda *_, **__: SPAIN)
    assert played("person", "erase", SPAIN)[0] == 0


def test_a_letter_of_orders_that_was_changed_is_found(played):
    with closing(sqlite3.connect(played.folder / "data" / "pbem.sqlite3")) as opened, opened:
        opened.execute("UPDATE raw SET body = CAST(replace(CAST(body AS TEXT), 'PASS', 'HOLD') AS BLOB)")
    code, out, _ = played("log", "check")
    assert code == 1
    assert "with orders for ceuta-1, is not as it came" in out
