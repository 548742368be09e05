"""Letters of tournaments carry leaves of their chain, which both verifiers take for what they are."""

import pytest
from sqlmodel import select

from pbem.audit import bundle, draws, leaves
from pbem.audit.blocks import sha256_hex
from pbem.audit.draws import DrawList, ListedEntrant
from pbem.engine.data.messages import msg
from pbem.letters import content, outbox
from pbem.letters.content import LetterHead
from pbem.log import log_health, sequencer
from pbem.server import rendering
from pbem.server.drawing import PictureCollector
from pbem.store import tables
from pbem.tournaments import proofs
from pbem.verifier.verification import status_by_check
from tests.audit.checked import items, judge
from tests.audit.small_server import Item
from tests.audit.tournament_server import ENTRANTS, EVENT, RULES
from tests.harness.game import ANN, BOB
from tests.harness.server import open_server

DIGEST = f"sha256:{sha256_hex(RULES.encode())}"
HASH = "0" * 64


@pytest.fixture
def server(tmp_path):
    return open_server(tmp_path)


def tell(server, kind, opens="", **says):
    with server.work() as work:
        fields = tuple((key, str(value)) for key, value in says.items())
        sequencer.append(work, sequencer.Note(kind, fields, EVENT, opens))


TOLD = dict[tuple[int, str], int]()


def post(server, who="e1", to=ANN):
    """Write a letter that shows what is new to somebody, and render it; its attachment."""
    count = len(all_of(server, tables.Outbox))
    with server.work() as work:
        head = LetterHead(game="cup60", rules="toy", seat=who, address="pbem+cup60-e1-x@games.example")
        letter = content.Letter("announcement", head, opening=(msg("Round 2 is drawn."),)).to_json()
        shown = proofs.window_after(work, EVENT, TOLD.get((id(server), who), -1))
        TOLD[id(server), who] = shown.upto if shown else -1
        letter = proofs.add_window(letter, shown)
        outbox.queue_letter(work, letter, outbox.Recipient(to, "en"), f"cup60 {who} {count}")
    return rendered(server)


def all_of(server, table):
    with server.session() as session:
        return list(session.exec(select(table)).all())


def rendered(server):
    rows = [row for row in all_of(server, tables.Outbox) if row.body is None]
    rendering.render(server, rendering.RenderBatch(rows, PictureCollector(server, server.clock.now())), lambda _: None)
    body = max(all_of(server, tables.Outbox), key=lambda row: row.id).body
    if body is None:
        return None
    letters = items("letter", body)
    return letters[0].data.decode() if letters and not letters[0].trouble else None


def founded(server):
    tell(server, "found", RULES, rules=DIGEST, name="cup60")
    for entrant in sorted(ENTRANTS):
        enter(server, entrant)


def enter(server, entrant: ListedEntrant):
    fields = {
        "person": f"hmac:{HASH}",
        "accepted": f"sha256:{HASH}",
        "strength": entrant.strength,
        "round": entrant.since,
    }
    tell(server, "enter", entrant=f"e{entrant.number}", **fields)


def shut(server, number):
    slate = draws.write_draw(DrawList(EVENT, number, 1, 1, DIGEST, "none", ENTRANTS))
    fields = {"slate": sha256_hex(slate), "chain": "none", "beacon": 0}
    tell(server, "shut", slate.decode(), round=f"r{number}", attempt=1, **fields)


def verdict(*texts):
    return judge([Item(f"{index}", None, text.encode()) for index, text in enumerate(texts)])


def test_letters_show_what_is_new_and_go_on_from_one_another(server):
    founded(server)
    first = post(server)
    shut(server, 1)
    second = post(server)
    tell(server, "lot", round="r1", attempt=1, sig="none", group="draw " + "0c" * 80)
    tell(server, "standing", "[]", round="r1", table=f"sha256:{sha256_hex(b'[]')}")
    third = post(server)
    shut(server, 2)
    fourth = post(server)
    read = [bundle.parse(letter.encode()) for letter in (first, second, third, fourth)]
    assert [parsed.letter for parsed in read] == ["welcome", "tournament", "tournament", "tournament"]
    assert {(parsed.game, parsed.seat) for parsed in read} == {(EVENT, "e1")}
    kinds = [[leaves.parse(each.data).kind for each in parsed.leaves] for parsed in read]
    assert kinds[0] == ["genesis", "found", *["enter"] * 4]
    # What a draw is checked by stands in its own letter too.
    assert kinds[1:] == [["genesis", "shut"], ["genesis", "shut", "lot", "standing"], ["genesis", "shut"]]
    assert [len(parsed.draws) for parsed in read] == [0, 1, 1, 1]
    assert [parsed.text for parsed in read[2].opens] == ["[]"]
    by_check = status_by_check(verdict(first, second, third, fourth))
    # The proof of the lots is none of this server's; hours and zones are in no leaf of version 1; all else is true, or
    # waits for a beacon.
    assert {check: status for check, status in by_check.items() if status != "ok"} == {
        "vrf": "FALSE",
        "draws": "NOT CHECKED",
        "timing": "NOT CHECKED",
    }
    # Whoever keeps some alone has nothing else false.
    assert [check for check, status in status_by_check(verdict(second, fourth)).items() if status == "FALSE"] == []


def test_everybody_is_shown_the_same_on_one_tree_whenever_his_letter_is_made(server):
    founded(server)
    mine = post(server, "e1", ANN)
    tell(server, "verdict", number=1, text=f"sha256:{HASH}")
    log_health.sign(server)
    with server.work() as work:
        window = proofs.LeafWindow(EVENT, 0, 4)
        late = proofs.attachment_of_letter(work, proofs.add_window({"seat": "e2"}, window))
    assert late is not None
    assert late.decode().replace("\nseat e2\n", "\nseat e1\n") == mine
    assert "\nseat e2\n" in post(server, "e2", BOB)


def test_a_ruling_with_accents_that_was_logged_unescaped_is_shown_by_its_digest_alone(server):
    founded(server)
    text = "1. SHUT BECAUSE así lo pidió Muñoz"
    tell(server, "verdict", text, number=1, text=f"sha256:{sha256_hex(text.encode())}")
    first = post(server)
    assert [part.text for part in bundle.parse(first.encode()).opens] == [RULES]
    assert "FALSE" not in status_by_check(verdict(first)).values()


def test_a_letter_without_leaves_has_no_attachment(server):
    with server.work() as work:
        assert proofs.window_after(work, EVENT, -1) is None
    assert post(server) is None


def test_what_is_not_signed_for_is_not_shown(server):
    founded(server)
    with server.work() as work:
        letter = proofs.add_window({"seat": "e1"}, proofs.window_after(work, EVENT, -1))
        assert proofs.attachment_of_letter(work, letter) is None
        assert proofs.attachment_of_letter(work, {"seat": "e1"}) is None
        assert proofs.window_in_letter('{"seat":"e1"}') is None


def test_a_letter_of_a_large_round_shows_of_others_only_what_all_are_told(server, monkeypatch):
    monkeypatch.setattr(proofs, "MOST_LEAVES", 4)
    founded(server)
    shut(server, 1)
    read = bundle.parse(post(server, "e3").encode())
    shown_leaves = [leaves.parse(leaf.data, leaf.body) for leaf in read.leaves]
    assert [leaf.kind for leaf in shown_leaves] == ["genesis", "found", "enter", "shut"]
    assert shown_leaves[2]("entrant") == "e3"
    TOLD.clear()
    assert "FALSE" not in status_by_check(verdict(post(server, "e3"))).values()


def test_letters_with_proofs_wait_as_long_as_the_log_stands_still(server, monkeypatch):
    founded(server)
    monkeypatch.setattr(log_health, "trouble", lambda work: "the log stands still")
    assert post(server) is None
    assert all(row.body is None for row in all_of(server, tables.Outbox))
    monkeypatch.undo()
    assert rendered(server) is not None
