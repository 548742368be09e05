"""What a refactoring must not change is as it was, a test a section; and a change of each section is seen."""

import pytest
import typer
from sqlalchemy import MetaData
from sqlmodel import SQLModel

from pbem.audit import leaves
from pbem.cli import main as command_line
from pbem.cli.placeholders import tidied
from pbem.cli.server.settings import Settings
from pbem.games.camp import GAME as CAMP
from pbem.kit.edition import Edition
from pbem.reports import catalogue
from tests.contract import formats, interface, kept
from tests.contract.sections import SECTIONS


@pytest.mark.parametrize("section", SECTIONS)
def test_what_is_frozen_is_as_it_was(section):
    found = kept.compare(section, kept.read(section), SECTIONS[section]())
    if found is not None:
        told = "\n".join(found.shown(60))
        pytest.fail(f"{told}\n\n`python -m tests.contract {section}` shows more, and says what to do", pytrace=False)


def test_no_file_is_kept_of_what_is_no_section():
    assert {path.name for path in kept.FOLDER.glob("*.xz")} == {kept.path_of(section).name for section in SECTIONS}


def changed(section, now):
    """The lines of the difference between what is kept and what is found now; there must be one."""
    found = kept.compare(section, kept.read(section), now)
    assert found is not None
    return found.lines


def test_a_lost_message_is_seen(monkeypatch):
    read = catalogue.read

    def fewer(path, language):
        return {key: text for key, text in read(path, language).items() if key != "Your order desk"}

    monkeypatch.setattr(catalogue, "read", fewer)
    lines = changed("catalogues", formats.catalogue_texts())
    assert [line for line in lines if line[0] != " "] == ["@@ house es", '-"Your order desk"']


def test_a_renamed_option_is_seen(monkeypatch):
    commands = dict(interface._commands())
    (option,) = [one for one in commands["game", "new"].params if one.name == "hour"]
    option.opts = ["--at-hour"]
    monkeypatch.setattr(interface, "_commands", lambda: list(commands.items()))
    lines = changed("commands", interface.command_texts())
    assert [line for line in lines if line[0] in "-+"] == [
        "-option --hour HOUR",
        "+option --at-hour HOUR",
    ]


def test_another_field_of_a_leaf_is_seen(monkeypatch):
    monkeypatch.setitem(leaves.KINDS, "link", (("war", "id"), ("before", "id"), ("seq", "number"), ("leaf", "hash")))
    assert {"-after id", "+before id"} <= {*changed("dice", formats.dice_texts())}


def test_another_digest_of_an_edition_is_seen(monkeypatch):
    monkeypatch.setattr(Edition, "told_options", lambda self: {})
    lines = changed("editions", formats.edition_texts())
    assert sum(line.startswith("-as it is: edition sha256:") for line in lines) > 3


def test_another_sentence_of_help_is_seen(monkeypatch):
    command = tidied(typer.main.get_command(command_line.app))
    command.commands["cases"].help = "Try rules."
    monkeypatch.setattr(command_line, "_words", lambda: command)
    assert "+ Try rules." in changed("help", interface.help_texts())


def test_another_canonical_order_is_seen(monkeypatch):
    canon = CAMP.canon
    monkeypatch.setattr(CAMP, "canon", lambda orders: canon(orders).replace("PASS", "WAIT"))
    now = formats.order_texts("camp")
    before = {name: text for name, text in kept.read("orders").items() if name in now}
    found = kept.compare("orders", before, now)
    assert found is not None
    assert {"-PASS", "+WAIT"} <= {*found.lines}


def test_a_lost_setting_is_seen(monkeypatch):
    schema = Settings.model_json_schema()
    del schema["$defs"]["Imap"]["properties"]["timeout"]
    monkeypatch.setattr(Settings, "model_json_schema", lambda: schema)
    (gone,) = [line for line in changed("settings", interface.setting_texts()) if line[0] == "-"]
    assert gone.startswith('-imap.timeout: {"default": 30,')


def test_a_renamed_column_is_seen():
    metadata = MetaData(naming_convention=SQLModel.metadata.naming_convention)
    for table in SQLModel.metadata.sorted_tables:
        table.to_metadata(metadata)
    metadata.tables["edition"].c.text.name = "body"
    lines = changed("tables", formats.table_texts(metadata))
    assert lines.count("+body VARCHAR NOT NULL,") == len(("sqlite", "postgresql"))
