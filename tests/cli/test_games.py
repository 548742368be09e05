"""A game by hand: made, given out, started, played by files, read, replayed."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pbem.audit.beacon import QUICKNET
from pbem.cli.main import main
from pbem.cli.rulebooks import find_game
from pbem.engine.data.canon import dumps, loads
from pbem.engine.run.steps import Did
from tests.harness.command_line import MOROCCO, SPAIN


def test_an_empty_server_says_how_to_begin(hand):
    assert hand.fine("game", "list") == "No games yet. Make one: pbem game new NAME --scenario SCENARIO\n"


def test_scenarios_are_listed_with_a_line_about_each_and_named_by_the_help(capsys):
    def printed(*words):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
        return capsys.readouterr().out

    listing, some = printed("scenarios"), printed("scenarios", "--game", "peninsular")
    for scenario, turns in (
        ("castillejos", 14),
        ("drill", 6),
        ("tetuan", 16),
        ("wadras", 15),
        ("barrosa", 8),
        ("rolica", 8),
        ("training", 6),
        ("usagre", 7),
    ):
        assert re.search(rf"^\w+ +{scenario} +{turns} +\w+, \w+ +\w", listing, re.MULTILINE)
        assert (scenario in some) == (scenario in ("barrosa", "rolica", "training", "usagre"))
    shown = " ".join(printed("game", "new", "--help").replace("│", " ").split())
    for scenario in ("castillejos", "drill", "tetuan", "wadras", "barrosa", "rolica", "training", "usagre"):
        assert scenario in shown


@pytest.mark.parametrize("scenario", ["castillejos", "barrosa"])
def test_a_term_given_as_an_option_of_the_rules_is_said_to_be_a_term(hand, scenario):
    code, _, err = hand("game", "new", "one", "--scenario", scenario, "--option", "reactions=interrupt")
    assert (code, err) == (2, "pbem: reactions is no option of the rules but a term: --term reactions=interrupt\n")
    hand.fine("game", "new", "one", "--scenario", scenario, "--term", "reactions=interrupt")


def test_a_new_game_is_listed_and_shown_with_its_empty_seats(hand):
    hand.fine("game", "new", "ceuta-1", "--scenario", "castillejos")
    assert re.search(r"^ceuta-1 +africa1860 +castillejos +forming +- +-$", hand.fine("game", "list"), re.MULTILINE)
    shown = hand.fine("game", "show", "ceuta-1")
    assert re.search(r"^spain +nobody yet", shown, re.MULTILINE)
    assert re.search(r"^morocco +nobody yet", shown, re.MULTILINE)


def test_a_game_with_a_beacon_says_so_to_its_players(hand, monkeypatch):
    relay_says(monkeypatch, json.dumps(ROUND).encode())
    begun(hand, "--beacon", "quicknet", "--delta", "900")
    assert re.search(rb"\ndelta 900\nchain 52db9ba7[0-9a-f]{56}\nround [1-9][0-9]+\n", opened_with(hand))


def test_where_relays_are_named_a_game_waits_for_the_beacon_unless_told_otherwise(hand, monkeypatch):
    relay_says(monkeypatch, json.dumps(ROUND).encode())
    begun(hand)
    assert b"\ndelta 600\nchain 52db9ba7" in opened_with(hand)


def test_the_settings_or_a_word_have_new_games_wait_for_no_beacon(hand, monkeypatch):
    relay_says(monkeypatch, json.dumps(ROUND).encode())
    output = hand.fine("game", "new", "one", "--scenario", "castillejos", "--beacon", "none")
    assert "wait for no beacon" not in output
    monkeypatch.setenv("PBEM_BEACON__DEFAULT", "none")
    hand.fine("game", "new", "two", "--scenario", "castillejos")
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as database:
        assert {row for (row,) in database.execute("SELECT terms FROM game")} == {'{"questions":"together"}'}


def test_without_relays_a_new_game_says_that_its_dice_can_be_foreseen(hand):
    output = hand.fine("game", "new", "one", "--scenario", "castillejos")
    assert "could foresee them: no relays are named under [beacon] in the settings." in output


def test_a_game_that_begins_while_no_relay_answers_tells_everybody_that_it_does_without(hand, monkeypatch):
    relay_says(monkeypatch, b"")
    output = begun(hand)
    assert "No relay of the beacon answered: the dice of ceuta-1 wait for none (grade C)" in output
    assert b"\ndelta 0\nchain none\nround 0\n" in opened_with(hand)
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as database:
        letters = [
            row
            for (row,) in database.execute(
                "SELECT model FROM outbox JOIN content ON outbox_id = id WHERE kind = 'report'"
            )
        ]
        texts = [
            row
            for (row,) in database.execute(
                "SELECT model FROM outbox JOIN content ON outbox_id = id WHERE recipient = 'you@example.org'"
            )
        ]
    assert len(letters) == 2
    assert all("Dice: grade C. No beacon answered, so this server throws alone" in letter for letter in letters)
    assert any("began without the beacon" in letter for letter in texts)


VECTORS = json.loads((Path(__file__).parents[1] / "audit" / "vectors.json").read_text("utf-8"))["drand_quicknet"]
ROUND = next(vector for vector in VECTORS["rounds"] if vector["round"] == 1000)


def relay_says(monkeypatch, answer):
    """One relay, which nobody asks: so it answers for round 1000, the one that relays are tried with."""
    monkeypatch.setenv("PBEM_BEACON__RELAYS", '["https://relay.players.test"]')
    monkeypatch.setattr("pbem.cli.web.get_round", lambda address: answer)
    monkeypatch.setattr("pbem.cli.checks_network.recent_round", lambda now: (QUICKNET, 1000))


def begun(hand, *words):
    hand.fine("game", "new", "ceuta-1", "--scenario", "castillejos", *words)
    for seat, address in (("spain", SPAIN), ("morocco", MOROCCO)):
        hand.fine("seat", "invite", "ceuta-1", seat, address)
    return hand.fine("game", "start", "ceuta-1")


def opened_with(hand):
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as database:
        return database.execute("SELECT says FROM leaf WHERE kind = 'open'").fetchone()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["game", "new", "x", "--scenario", "waterloo"],
            "pbem: no game has a scenario 'waterloo'; there are: africa1860: brigades, castill",
        ),
        (
            ["game", "new", "x", "--scenario", "a", "--game", "chess"],
            "pbem: no game is called 'chess'; there are: africa",
        ),
        (["game", "new", "X!", "--scenario", "castillejos"], "pbem: A game's name is 1 to 20 of a-z, 0-9 and hyphens"),
        (
            ["game", "new", "x", "--scenario", "castillejos", "--option", "a"],
            "pbem: an option reads NAME=VALUE, got 'a'",
        ),
        (["game", "new", "x", "--scenario", "castillejos", "--weekdays", "7"], "pbem: weekdays are digits from 0 (Mon"),
        (["game", "new", "x", "--scenario", "castillejos", "--zone", "Ceuta"], "pbem: there is no time zone 'Ceuta'"),
        (
            ["game", "new", "x", "--scenario", "castillejos", "--beacon", "quicknet"],
            "pbem: no relays of the beacon are",
        ),
        (
            ["game", "new", "x", "--scenario", "castillejos", "--beacon", "moon"],
            "pbem: beacon is one of none, quicknet",
        ),
        (["game", "show", "x"], "pbem: There is no game x."),
        (["game", "start", "x"], "pbem: There is no game x."),
        (["replay", "x"], "pbem: There is no game x."),
        (["game", "dice", "x"], "pbem: There is no game x."),
        (["seat", "invite", "x", "spain", SPAIN], "pbem: There is no game x."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line_and_ends_with_two(hand, arguments, message):
    code, out, err = hand(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1
    assert hand.fine("game", "list").startswith("No games yet.")


def test_a_game_starts_only_when_its_seats_are_taken(hand):
    hand.fine("game", "new", "ceuta-1", "--scenario", "castillejos")
    assert hand("game", "start", "ceuta-1") == (2, "", "pbem: Nobody sits at: spain, morocco.\n")


def test_a_letter_by_file_is_answered_and_moves_the_game(hand, begun):
    code, out, err = hand.deliver(
        SPAIN, begun["spain"], "ORDERS T1\nACTIVAR Nudos\nMOVER Vergara CON Orozco A Playa\nFIN\n"
    )
    assert (code, err) == (0, "")
    assert out.startswith(f"To: {SPAIN}\nSubject: [ceuta-1] T1\n\n##- escriba encima")
    assert "\nMOVER Vergara CON Orozco A Playa\nFIN\n" in out
    assert "phase T1.morocco~1" in hand.fine("game", "show", "ceuta-1")
    report = hand.fine("mail", "read", MOROCCO)
    assert report.startswith(f"To: {MOROCCO}\nSubject: [ceuta-1] T1\n")
    assert "\nYour move by " in report
    assert "ORDERS T1 #" in report


def test_a_letter_is_printed_without_a_picture_being_drawn_or_kept(hand, begun, monkeypatch):
    hand.fine("mail", "read", MOROCCO, "--out", str(hand.folder / "letters"))
    orders = "ORDERS T1\nACTIVAR Nudos\nMOVER Vergara CON Orozco A Playa\nFIN\n"
    assert hand.deliver(SPAIN, begun["spain"], orders)[0] == 0
    with monkeypatch.context() as patched:
        patched.setattr("pbem.server.drawing.PictureCollector.show", lambda *_: pytest.fail("a picture is drawn"))
        printed = hand.fine("mail", "read", MOROCCO)
        assert hand.fine("mail", "read", MOROCCO) == printed
    assert "ORDERS T1 #" in printed
    hand.fine("mail", "read", MOROCCO, "--out", str(hand.folder / "letters"))
    mailed = hand.fine("mail", "read", MOROCCO)
    assert printed.split("ORDERS T1 #")[0] == mailed.split("ORDERS T1 #")[0]


def test_a_second_letter_after_the_dice_is_told_whose_phase_it_is_and_nothing_else(hand, begun):
    orders = "ORDERS T1\nACTIVAR Nudos\nFUEGO Montana1 A Cresta\nFIN\n"
    assert hand.deliver(SPAIN, begun["spain"], orders)[0] == 0
    code, out, _ = hand.deliver(SPAIN, begun["spain"], orders)
    assert code == 1
    assert "No es su fase" in out
    assert out.count("^") == len("ORDERS T1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ORDERS T1\nMOVE Lion TO Playa\nEND\n", "MOVE Lion TO Playa"),
        ("ORDERS T2\nPASS\nEND\n", "T2"),
        ("dear server\n", "AYUDA"),
    ],
)
def test_a_letter_that_is_refused_changes_nothing_and_ends_with_one(hand, begun, text, sentence):
    before = hand.fine("game", "show", "ceuta-1")
    code, out, err = hand.deliver(SPAIN, begun["spain"], text)
    assert sentence in out
    assert code == (0 if "AYUDA" in sentence else 1), err
    assert hand.fine("game", "show", "ceuta-1") == before


def test_a_letter_that_is_never_answered_ends_with_one(hand, begun):
    code, out, err = hand.deliver(SPAIN, begun["spain"], "PASS\n", "Auto-Submitted: auto-replied\n")
    assert (code, out, err) == (1, "", "pbem: the letter gets no answer: auto, silent\n")


def test_nothing_was_written_to_a_stranger(hand, begun):
    code, out, err = hand("mail", "read", "nobody@players.test")
    assert (code, out, err) == (1, "", "pbem: nothing was written to nobody@players.test\n")


def test_a_game_is_replayed_and_a_changed_record_is_found(hand, begun):
    for turn in (1, 2):
        for seat, sender in (("spain", SPAIN), ("morocco", MOROCCO)):
            fires = (turn, seat) == (1, "spain")
            order = "ACTIVATE Nudos\nFIRE Montana1 AT Cresta" if fires else "PASS"
            code, _, err = hand.deliver(sender, begun[seat], f"ORDERS T{turn}\n{order}\nEND\n")
            assert (code, err) == (0, "")
    assert hand.fine("replay", "ceuta-1") == "ceuta-1: 4 phases resolved again, all the same\n"
    output = hand.fine("game", "dice", "ceuta-1")
    assert "Dice in all: " in output
    assert "  morocco: " in output
    assert "standard deviations of" in output
    assert output.endswith("which anybody can check with pbem verify.\n")
    with sqlite3.connect(hand.folder / "data" / "pbem.sqlite3") as database:
        number, orders = database.execute("SELECT id, orders FROM phase WHERE number = 3").fetchone()
        forged = {**loads(orders), "spain": [2, "ACTIVATE Nudos\nMOVE Vergara TO Playa", []]}
        database.execute("UPDATE phase SET orders = ? WHERE id = ?", (dumps(forged), number))
    code, out, err = hand("replay", "ceuta-1")
    assert (code, out) == (1, "")
    assert err.startswith("pbem: T2.spain~1 of ceuta-1 comes out otherwise: slate was ")


def test_a_held_game_goes_on_when_it_is_told_to(hand, begun):
    assert hand("game", "resume", "ceuta-1")[::2] == (2, "pbem: The game ceuta-1 is not held.\n")
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as tables, tables:
        tables.execute("UPDATE game SET state = 'held', held_why = 'a fault'")
        tables.execute("DELETE FROM due")
    assert "held because of: a fault" in hand.fine("game", "show", "ceuta-1")
    shown = hand.fine("game", "resume", "ceuta-1")
    assert "a fault stops the game" not in shown
    assert "close (deadline)" in shown


@pytest.fixture
def fire(hand):
    """A chart of fire that is kinder to those on heights, in a file."""
    file = hand.folder / "my fire.txt"
    file.write_text(hand.fine("chart", "C6").replace("C6.3  -1", "C6.3  -2"))
    return file


def test_a_game_is_played_by_charts_of_ones_own(hand, fire):
    hand.fine("game", "new", "ceuta-1", "--scenario", "castillejos", "--overlay", f"fire={fire}")
    hand.fine("game", "new", "ceuta-2", "--scenario", "castillejos", "--option", "loss_basis=opponent-stack")
    assert "C6.3  -2  target on heights" in hand.fine("chart", "C6", "--of", "ceuta-1")
    assert hand.fine("chart", "C6", "--of", "ceuta-2") == hand.fine("chart", "fire")
    code, out, err = hand("chart", "C99", "--of", "ceuta-1")
    assert (code, out) == (2, "")
    assert err.startswith("pbem: ceuta-1 has no chart 'C99'; there are: O3 moves, ")


def test_a_chart_by_letter_is_that_of_the_game(hand, fire):
    hand.fine("game", "new", "ceuta-1", "--scenario", "castillejos", "--overlay", f"fire={fire}")
    seat = hand.fine("seat", "invite", "ceuta-1", "spain", SPAIN).strip()
    hand.fine("seat", "invite", "ceuta-1", "morocco", MOROCCO)
    hand.fine("game", "start", "ceuta-1")
    code, out, _ = hand.deliver(SPAIN, seat, "CHART C6\n")
    assert code == 0
    assert "C6.3  -2  target on heights" in out


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("C6.3  -2", "C6.8  -2"), ":17: modifier C6.8 is unknown to the rules"),
        (("2M", "dead"), ":6: row effect, column 5+: dead cannot be read; it is none, M, or steps with or without M"),
        (("  -------", "  ======="), ":5: under the heads of the columns stands a line of dashes"),
    ],
)
def test_a_chart_that_cannot_be_played_by_is_refused_with_file_and_line(hand, fire, change, why):
    fire.write_text(fire.read_text().replace(*change))
    code, out, err = hand("game", "new", "ceuta-1", "--scenario", "castillejos", "--overlay", f"fire={fire}")
    assert (code, out, err) == (2, "", f"pbem: {fire}{why}\n")
    assert "No games yet" in hand.fine("game", "list")


def test_every_chart_of_the_hex_game_can_be_ones_own(hand):
    given = []
    for name in (line.split()[1] for line in find_game("peninsular").rulebook.charts()):
        file = hand.folder / f"{name}.txt"
        file.write_text(hand.fine("chart", name, "--game", "peninsular").replace("the play aid", "our own card"))
        given += ["--overlay", f"{name}={file}"]
    hand.fine("game", "new", "ceuta-1", "--game", "peninsular", "--scenario", "training", *given)
    assert len(given) == 22
    for rule in ("T1", "T2", "T3", "T4", "T5", "T6", "T7", "T8", "T9", "T10", "T10.1"):
        assert "our own card" in hand.fine("chart", rule, "--of", "ceuta-1")


@pytest.mark.parametrize(
    ("overlay", "why"),
    [
        ("fire", "an overlay reads CHART=FILE, got 'fire'"),
        ("fire=nowhere.txt", "nowhere.txt cannot be read: No such file or directory"),
        ("weather=pbem.key", "unknown chart 'weather'; there are moves, "),
    ],
)
def test_an_overlay_that_is_none(hand, overlay, why, monkeypatch):
    monkeypatch.chdir(hand.folder)
    code, _, err = hand("game", "new", "ceuta-1", "--scenario", "castillejos", "--overlay", overlay)
    assert code == 2
    assert err.startswith(f"pbem: {why}")


MO = "mo@bench.test"


def test_a_moderator_by_letter_is_made_shown_rotated_and_removed(hand, begun):
    address = hand.fine("game", "moderator", "ceuta-1", MO, "--language", "es", "--zone", "Europe/Madrid").strip()
    assert f"moderated by {MO}, who writes to {address}\n" in hand.fine("game", "show", "ceuta-1")
    code, out, _ = hand.deliver(MO, address, "DETENER PORQUE llueve\n")
    match = re.search(r"^CODIGO [a-z2-7]{8}$", out, re.MULTILINE)
    assert code == 0
    assert match is not None
    assert hand.deliver(MO, address, "CODIGO aaaaaaaa\n")[0] == 1
    assert hand.deliver(MO, address, f"{match[0]}\n")[0] == 0
    assert re.search(r"^ceuta-1 .* held ", hand.fine("game", "list"), re.MULTILINE)
    other = hand.fine("game", "moderator", "ceuta-1", "--rotate").strip()
    assert other != address
    assert hand.fine("game", "moderator", "ceuta-1", "--remove") == ""
    assert "moderated by" not in hand.fine("game", "show", "ceuta-1")


def test_a_new_game_may_have_a_moderator_at_once(hand):
    shown = hand.fine("game", "new", "ceuta-1", "--scenario", "castillejos", "--moderator", MO)
    assert f"moderated by {MO}, who writes to " in shown
    assert "You moderate the game ceuta-1." in hand.fine("mail", "read", MO)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "pbem: one of them: ADDRESS, --rotate, --remove\n"),
        ([MO, "--rotate"], "pbem: one of them: ADDRESS, --rotate, --remove\n"),
        (
            [SPAIN],
            "pbem: Whoever has the seat spain of ceuta-1 cannot moderate it unhidden; --plays tells all players.\n",
        ),
        (["nobody"], "pbem: The game cannot have that moderator: not an address that mail can be sent to: 'nobody'\n"),
        (["--remove"], "pbem: The game ceuta-1 has no moderator who writes letters.\n"),
    ],
)
def test_what_is_no_moderator_is_said_in_a_line(hand, begun, arguments, message):
    assert hand("game", "moderator", "ceuta-1", *arguments) == (2, "", message)
    assert "moderated by" not in hand.fine("game", "show", "ceuta-1")


def test_rules_that_change_nothing_are_no_patch(hand, begun):
    hand.deliver(SPAIN, begun["spain"], "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND\n")
    hand.fine("game", "new", "ceuta-2", "--scenario", "castillejos")
    assert hand.fine("patch") == "nothing differs: 1 phases of 1 games resolved again\n"
    code, _, err = hand("patch", "--apply", "ceuta-1")
    assert (code, err) == (2, "pbem: Nothing of ceuta-1 comes out otherwise; there is nothing to apply.\n")
    code, _, err = hand("patch", "ceuta-1", "--apply", "ceuta-1")
    assert code == 2
    assert hand("patch", "ceuta-9")[0] == 2


def test_a_changed_rule_is_listed_before_it_is_applied_to_one_game(hand, begun, monkeypatch):
    """The planted change: fire at one unit of a space tells nobody any more which it was."""
    hand.deliver(SPAIN, begun["spain"], "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND\n")
    hand.deliver(MOROCCO, begun["morocco"], "ORDERS T1\nACTIVATE Campamento\nMOVE Nizam TO Garganta\nEND\n")
    rules = type(find_game("africa1860").rules)
    step = rules.step

    def changed(self, state, task):
        done = step(self, state, task)
        if isinstance(done, Did):
            return Did(tuple(event for event in done.events if event.kind != "target"), done.then)
        return done

    monkeypatch.setattr(rules, "step", changed)
    code, out, err = hand("patch")
    assert (code, err) == (1, "pbem: 1 of 1 games come out otherwise: ceuta-1\n")
    (line,) = out.splitlines()
    game, phase, what, stored, now = line.split("\t")
    assert (game, phase, what) == ("ceuta-1", "T1.spain~1", "event 4")
    assert '"label":"Nudos>Cresta/target Cresta"' in stored
    assert '"label":"Nudos>Cresta/target Cresta"' not in now
    assert "void" not in hand.fine("game", "show", "ceuta-1")
    lines = hand.fine("patch", "--apply", "ceuta-1", "--because", "O7.1.6 is read anew").splitlines()
    assert lines[:2] == [
        "Ruling M1 of the moderator: READJUDICATE T1.spain~1",
        "T1.spain is resolved once more, from the same closed orders and with the same dice.",
    ]
    assert lines[-1] == "Reason: O7.1.6 is read anew"
    assert hand.fine("patch") == "nothing differs: 1 phases of 1 games resolved again\n"
    assert hand.fine("replay", "ceuta-1") == "ceuta-1: 1 phase resolved again, all the same\n"
    assert "T1.spain~1 is void by ruling M1" in hand.fine("game", "show", "ceuta-1")
    assert "What comes out otherwise in turn 1, Spanish phase" in hand.fine("mail", "read", MOROCCO)


def test_new_games_have_deadlines_at_minutes_of_their_own(hand):
    path = hand.folder / "pbem.toml"
    path.write_text(path.read_text().replace("spread = 0\n", "spread = 60\n"))
    for name in ("ceuta-1", "ceuta-2", "ceuta-3"):
        hand.fine("game", "new", name, "--scenario", "castillejos")
    hand.fine("game", "new", "ceuta-4", "--scenario", "castillejos", "--term", "minute=7")
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as database:
        terms = dict(database.execute("SELECT id, terms FROM game"))
    minutes = [json.loads(terms[f"ceuta-{number}"]).get("minute", 0) for number in (1, 2, 3, 4)]
    assert len(set(minutes)) == 4
    assert minutes[3] == 7
    assert max(minutes) < 60
