"""A whole game, and what its log and the letters of each side give away: no token, no key, no order of the other."""

import pytest

from pbem.cli.log_output import open_log
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail
from tests.harness.server import KEY

SECRETS = ("plan of north", "plan of south")


def tokens(house):
    return {seat: address.split("@")[0][-16:] for seat, address in house.addresses.items()}


def played(house):
    """A game to its end with everything in it that players do, and what mail does to them."""
    open_log("json", 0)
    raw = {}
    for number in range(40):
        if house.game().state == "over":
            break
        for seat, unit in (("north", "Ant"), ("south", "Cat")):
            plan = f"STANDING FOR {unit}\nSTAND\nENDSTANDING\n" if number % 3 == 0 else ""
            house.write(
                seat,
                f"# plan of {seat}\nSTATUS\nORDERS T{1 + number // 2}\nMOVE {unit} TO s{3 + number % 2}\n{plan}END\n",
            )
            house.write(seat, f"plan of {seat}\n\nHELP\n")
            raw[seat] = mail(
                "eve@elsewhere.example", house.addresses[seat], f"STATUS # plan of {seat}", Subject="x\x1b[2J"
            )
            house.receive(raw[seat])
        house.receive(mail("eve@elsewhere.example", "pbem@games.example", f"{house.addresses['north']}x"))
        house.receive(raw["north"])
        house.clock.forward(days=1)
        house.tick()
    house.receive(mail(BOB, house.addresses["south"], "ROTATE\n"))
    return house


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path, undo_minutes=0)
    yield made
    made.server.engine.dispose()


def test_the_log_of_a_whole_game_gives_nothing_away(house, capsys):
    old = tokens(house)
    played(house)
    assert house.game().state == "over"
    output = capsys.readouterr()
    log = output.out + output.err
    assert log.count("letter taken") > 20
    assert "phase resolved" in log
    for secret in (*old.values(), KEY.hex(), str(KEY), *SECRETS, "MOVE"):
        assert secret not in log
    assert "\x1b" not in log


def test_no_letter_holds_what_is_another_s(house):
    old = tokens(house)
    played(house)
    rows = house.all(tables.Outbox)
    rendered = dict(
        zip([row.id for row in rows], outbox_sender.render(house.server, [row.message_id for row in rows]), strict=True)
    )
    others = {ANN: ("south", "plan of south"), BOB: ("north", "plan of north")}
    assert {row.recipient for row in rows} == {ANN, BOB, "eve@elsewhere.example"}
    for row in rows:
        body = rendered[row.id].replace(b"=\r\n", b"").decode()
        if row.recipient in others:
            seat, plan = others[row.recipient]
            assert old[seat] not in body + row.model
            assert plan not in body + row.model
        else:
            assert not any(token in body + row.model for token in old.values())
        assert KEY.hex() not in body
