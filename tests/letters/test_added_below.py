"""Advertisements, disclaimers and warnings that mail servers set above or below what somebody wrote."""

import pytest

from pbem.letters import command_lines
from pbem.server.catalogue import COMMAND_FORMS
from tests.harness.battle import PlayedBattle

ADDED = (
    "Virus-free. www.avast.com",
    "Libre de virus. www.avast.com<https://www.avast.com/sig-email>",
    "This e-mail and any attachments are confidential. If you are not the intended recipient, delete it.",
    "Este mensaje y sus adjuntos son confidenciales y van dirigidos a su destinatario.\nSi no es usted, bórrelo.",
    "____________________________________\nGet free email at www.mail.example\nMOVE your money now!",
    "Do You Yahoo!?\nTired of spam? Yahoo! Mail has the best spam protection around\nhttp://mail.yahoo.com",
    "[EXTERNAL] This message came from outside ACME Corp. Do not click links.",
    "AVISO LEGAL: este mensaje es confidencial.",
    "*** Please consider the environment before printing this e-mail ***",
    "Antes de imprimir este correo, piense en el medio ambiente.",
    "Yahoo Mail: Search, Organize, Conquer",
    "I hope that all of us will find the time to finish this turn.",
    "Sent with Proton Mail.\n\nThis e-mail is confidential.\n\nVirus-free. www.avg.com",
)
ORDERS = "ORDERS T1\nACTIVATE Tarajal\nMOVE Luchana WITH Prim TO Nudos\nEND"


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


@pytest.mark.parametrize("added", ADDED)
@pytest.mark.parametrize("command", ["STATUS", "ESTADO", "EXTEND 24h\nSTATUS"])
def test_what_is_added_below_commands_leaves_them(added, command):
    parsed = command_lines.parse_letter(f"{command}\n\n{added}", COMMAND_FORMS)
    assert parsed.wrong == ()
    assert len(parsed.commands) == command.count("\n") + 1


@pytest.mark.parametrize("added", ADDED)
@pytest.mark.parametrize("where", ["below", "above"])
def test_what_is_added_leaves_a_block_and_a_command_as_they_are(table, added, where):
    for text, words in ((ORDERS, "revisi"), ("STATUS", "Estado de la partida")):
        letter = f"{text}\n\n{added}" if where == "below" else f"{added.removeprefix('_' * 36)}\n\n{text}"
        if where == "above" and "MOVE" in added:
            continue
        assert words in table.answer("spain", letter), letter


def test_the_answer_names_the_line_from_which_nothing_was_read(table):
    answer = table.answer("morocco", "STATUS\n\nThis e-mail is confidential.\nIt is for its recipient alone.\n")
    assert "Line 3 was not carried out: This e-mail is confidential." in answer
    assert "recipient alone" not in answer


@pytest.mark.parametrize(
    "text",
    [
        "STATUS\n\nEXTNED 24h",
        "STATUS\n\nEXTNED 24h\n\nVirus-free. www.avast.com",
        "STATUS\nThis e-mail is confidential.",
        "STATUS\n\nMAP of the confidential area",
        "STATUS\n\nMOEV Luchana TO Nudos",
        "STATUS\n\nnonsense",
    ],
)
def test_what_may_have_been_meant_is_refused_as_before(text):
    assert command_lines.parse_letter(text, COMMAND_FORMS).wrong


def test_commands_below_what_was_added_are_read():
    parsed = command_lines.parse_letter("STATUS\n\nThis e-mail is confidential.\n\nMAP", COMMAND_FORMS)
    assert parsed.wrong, "all or nothing: it stands between two commands"
    parsed = command_lines.parse_letter(
        "This e-mail is confidential and for its recipient alone.\n\nMAP", COMMAND_FORMS
    )
    assert [command.name for command in parsed.commands] == ["map"]
