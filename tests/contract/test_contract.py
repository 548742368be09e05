"""What a refactoring must not change is as it was, a test a section; and a change of each section is seen."""

from pathlib import Path

import pytest
from sqlalchemy import MetaData

from pbem.audit import leaves
from pbem.cli import main as command_line
from pbem.cli import output, rules
from pbem.cli.settings import Settings
from pbem.engine.edition import Edition
from pbem.games.camp import GAME as CAMP
from pbem.letters import catalogue
from pbem.server import outbox_sender
from pbem.store import tables
from tests.contract import database, formats, interface, kept, letters, tournaments
from tests.contract.sections import IN_PARTS, SECTIONS
from tests.tournaments.seeds.settings import setting


@pytest.mark.parametrize("section", [section for section in SECTIONS if section not in IN_PARTS])
def test_what_is_frozen_is_as_it_was(section):
    difference = kept.compare(section, kept.read(section), SECTIONS[section]())
    assert difference is None, kept.advised(section, difference)


@pytest.mark.parametrize(("section", "files"), [("sessions", letters.SESSIONS), ("stories", letters.STORIES)])
def test_letters_are_kept_of_every_file(section, files):
    assert [*kept.read(section)] == sorted(path.stem for path in files)


@pytest.mark.full
@pytest.mark.parametrize(
    "kind", [name if name == "knockout" else pytest.param(name, marks=pytest.mark.full) for name in tournaments.SEEDS]
)
def test_letters_of_a_tournament_are_as_they_were(kind):
    kept.assert_kept("tournaments", kind, tournaments.tournament_texts([kind])[kind])


def test_a_tournament_of_each_format_is_kept():
    stages = {name: setting(seed).rules.partition("[[stage]]")[2] for name, seed in tournaments.SEEDS.items()}
    assert all(f'format = "{name}"' in stage for name, stage in stages.items())
    assert [*kept.read("tournaments")] == sorted(stages)


def test_every_command_that_prints_json_is_asked_for_it():
    able = {
        " ".join(words)
        for words, command in interface.commands()
        if any("--json" in param.opts for param in command.params)
    }
    assert able <= database.answered()


def test_no_file_is_kept_of_what_is_no_section():
    assert {path.name for path in kept.FOLDER.glob("*.xz")} == {kept.path_of(section).name for section in SECTIONS}


def changed(section, now):
    """The lines of the difference between what is kept and what is found now; there must be one."""
    difference = kept.compare(section, kept.read(section), now)
    assert difference is not None
    return difference.lines


def test_a_lost_message_is_seen(monkeypatch):
    read = catalogue.read_po_file

    def fewer(path, language):
        return {key: text for key, text in read(path, language).items() if key != "Your order desk"}

    monkeypatch.setattr(catalogue, "read_po_file", fewer)
    lines = changed("catalogues", formats.catalogue_texts())
    assert [line for line in lines if line[0] != " "] == ["@@ house es", '-"Your order desk"']


def test_a_renamed_option_is_seen(monkeypatch):
    commands = dict(interface.commands())
    (option,) = [parameter for parameter in commands["game", "new"].params if parameter.name == "hour"]
    monkeypatch.setattr(option, "opts", ["--at-hour"])
    monkeypatch.setattr(interface, "commands", lambda: list(commands.items()))
    lines = changed("commands", interface.command_texts())
    assert [line for line in lines if line[0] in "-+"] == [
        "-option --hour HOUR",
        "+option --at-hour HOUR",
    ]


def test_another_field_of_a_leaf_is_seen(monkeypatch):
    monkeypatch.setitem(
        leaves.LEAF_FORMS, "link", (("war", "id"), ("before", "id"), ("seq", "number"), ("leaf", "hash"))
    )
    assert {"-after id", "+before id"} <= {*changed("dice", formats.dice_texts())}


def test_another_digest_of_an_edition_is_seen(monkeypatch):
    monkeypatch.setattr(Edition, "stored_options", lambda self: {})
    lines = changed("editions", formats.edition_texts())
    assert sum(line.startswith("-as it is: edition sha256:") for line in lines) > 3


def test_another_sentence_of_help_is_seen(monkeypatch):
    monkeypatch.setattr(command_line.all_commands().commands["cases"], "help", "Try rules.")
    assert "+ Try rules." in changed("help", interface.help_texts())


def test_another_canonical_order_is_seen(monkeypatch):
    canon = CAMP.canon
    monkeypatch.setitem(vars(CAMP), "canon", lambda orders: canon(orders).replace("PASS", "WAIT"))
    now = formats.order_texts("camp")
    before = {name: text for name, text in kept.read("orders").items() if name in now}
    difference = kept.compare("orders", before, now)
    assert difference is not None
    assert {"-PASS", "+WAIT"} <= {*difference.lines}


def test_a_lost_setting_is_seen(monkeypatch):
    schema = Settings.model_json_schema()
    del schema["$defs"]["ImapSection"]["properties"]["timeout"]
    monkeypatch.setattr(Settings, "model_json_schema", lambda: schema)
    (gone,) = [line for line in changed("settings", interface.setting_texts()) if line[0] == "-"]
    assert gone.startswith('-imap.timeout: {"default": 30,')


def test_another_schema_of_json_is_seen(monkeypatch):
    monkeypatch.setattr(rules, "print_json", lambda schema, **parts: output.print_json("scenarios/2", **parts))
    with pytest.raises(AssertionError, match=r"(?s)Contract: json: .*changed 1; lines .*scenarios/2"):
        kept.assert_kept("json", "pbem scenarios --json", database.printed("scenarios", "--json"))


def test_a_renamed_column_is_seen():
    metadata = MetaData(naming_convention=tables.metadata().naming_convention)
    for table in tables.metadata().sorted_tables:
        table.to_metadata(metadata)
    metadata.tables["edition"].c.text.name = "body"
    lines = changed("tables", formats.table_texts(metadata))
    assert lines.count("+body VARCHAR NOT NULL,") == len(("sqlite", "postgresql"))


@pytest.mark.parametrize(
    ("section", "make", "path"),
    [
        ("sessions", letters.session_texts, Path("sessions", "join.txt")),
        ("stories", letters.story_texts, Path("letters", "stories", "greeting-and-signature.txt")),
    ],
    ids=["sessions", "stories"],
)
def test_another_header_of_letters_is_seen(section, make, path, monkeypatch):
    render = outbox_sender.render

    def otherwise(*given):
        return tuple(raw.replace(b"Subject: ", b"Subject: Re: ") for raw in render(*given))

    monkeypatch.setattr(outbox_sender, "render", otherwise)
    now = make([formats.TESTS / path])[path.stem]
    with pytest.raises(AssertionError, match=rf"Contract: {section}: .* changed 1; lines \+(\d+) -\1"):
        kept.assert_kept(section, path.stem, now)


def test_another_byte_of_proofs_in_a_tournament_is_seen():
    before = kept.read("tournaments")["knockout"]
    now = before.replace("pbemdice/v1/found\n", "pbemdice/v2/found\n", 1)
    with pytest.raises(AssertionError, match=r"(?s)Contract: tournaments: .* lines \+1 -1\n.*\+pbemdice/v2/found"):
        kept.assert_kept("tournaments", "knockout", now)
