"""What a letter's text is taken to say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.data.messages import plain_english
from pbem.engine.orders.lex import fold
from pbem.letters import command_lines
from pbem.runtime.limits import LIMITS, ExceededLimit
from pbem.server.catalogue import COMMAND_FORMS
from tests.mail.blind import samples
from tests.mail.corpus import ours


def read(text):
    return command_lines.parse_letter(text, COMMAND_FORMS)


def names(text):
    return [command.name for command in read(text).commands]


def complaints(text):
    return [
        (m.rejected.line, m.rejected.word, plain_english(m.rejected.why), m.rejected.suggestions)
        for m in read(text).wrong
    ]


UNKNOWN = "I do not know this command."
UNLIKE_ANY = "I do not know this command; HELP lists them all."


def followed(command: str) -> str:
    return f"{command} is a command, but I do not understand what follows it."


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("STATUS", ["status"]),
        ("estado", ["status"]),
        ("Hello there,\n\nstatus.\n", ["status"]),
        ("STATUS; HELP", ["status", "help"]),
        ("AYUDA // gracias", ["help"]),
        ("HELP orders", ["help"]),
        ("Cancelar", ["cancel"]),
        ("SET LANG es", ["language"]),
        ("fijar  idioma  Español", ["language"]),
        ("FIJAR IDIOMA inglés", ["language"]),
        ("status\u00a0", ["status"]),
        ("status\n-- \nHELP", ["status"]),
        ("STATUS\nEND", ["status"]),
        ("estado\nFIN.\nhelp", ["status", "help"]),
        ("status\nUn saludo,\nAna de Córdoba", ["status"]),
        ("Saludos:\nstatus", ["status"]),
        ("", []),
        ("Dear all,\nhow are you?\n", []),
    ],
)
def test_commands(text, commands):
    assert names(text) == commands
    assert not read(text).wrong


def test_a_block_and_its_lines():
    parsed = read("Hola:\n\nÓrdenes T3 #k7q2\n  MOVE Leon TO C  \n# nothing\nFIN\nwhatever stands here\n")
    block = parsed.block
    assert block is not None
    assert (block.line, block.turn, block.nonce, block.first, block.end) == (3, 3, "k7q2", 4, "FIN")
    assert block.text == "  MOVE Leon TO C\n# nothing\n"
    assert not parsed.wrong
    assert not parsed.commands


@pytest.mark.parametrize(
    "head", ["ORDERS T3", "orders t 3:", "**ORDERS T3**", "Orders T3 #k7q2 // mine", "ORDENES T3."]
)
@pytest.mark.parametrize("end", ["END", "end.", "Fin", "**END**", "END # that is all"])
def test_headers_and_ends_as_people_write_them(head, end):
    block = read(f"{head}\nPASS\n{end}\n").block
    assert block is not None
    assert (block.turn, block.text) == (3, "PASS\n")
    assert block.end


@pytest.mark.parametrize("block", ["ORDERS T1\nPASS\nEND\n", "STANDING FOR ALL\nHOLD\nENDSTANDING\n"])
def test_commands_above_a_block_and_below_it_are_read(block):
    parsed = read(f"SET LANG es\n{block}STATUS\n")
    assert [command.name for command in parsed.commands] == ["language", "status"]
    assert parsed.block is not None


def test_a_farewell_below_a_block_ends_what_is_said_and_a_command_below_it_is_left():
    parsed = read("ORDERS T1\nPASS\nEND\nBest wishes,\nAna\nCANCEL\n")
    assert (parsed.commands, parsed.wrong) == ((), ())
    assert [(line_left.line, line_left.text) for line_left in parsed.left if line_left.meant] == [(6, "CANCEL")]


@pytest.mark.parametrize("place", ["{line}\nORDERS T1\nPASS\nEND\n", "ORDERS T1\nPASS\nEND\n{line}\n"])
@pytest.mark.parametrize(
    ("line", "refused", "left"),
    [
        ("EXTEND for long", True, False),
        ("extend for long", False, True),
        ("Status is fine with me.", False, True),
        ("Status quo suits me well for now, I think.", False, False),
        ("Good luck to you!", False, False),
    ],
)
def test_beside_a_block_what_looks_like_a_command_is_asked_about(place, line, refused, left):
    parsed = read(place.format(line=line))
    assert bool(parsed.wrong) is refused
    assert any(line_left.meant for line_left in parsed.left) is left


def test_nonsense_below_a_command_below_a_block_is_refused():
    assert [m[0] for m in complaints("STANDING FOR ALL\nHOLD\nENDSTANDING\nSTATUS\nNONSENSE\n")] == [5]


@pytest.mark.full
@pytest.mark.parametrize("collection", "abcd")
def test_nothing_that_stands_beside_orders_in_letters_as_they_are_written_is_taken_for_a_command(collection):
    """Greetings, names, notices of offices and telephones, and what of a quote is left."""
    taken = []
    for sample in samples(collection):
        parsed = read(ours(sample.raw).text)
        if parsed.block is not None and parsed.block.end:
            own = {" ".join(line.split()) for line in sample.own}
            taken += [line for line in parsed.commands if " ".join(line.text.split()) not in own]
            taken += [
                *(line_left for line_left in parsed.left if line_left.meant),
                *(m for m in parsed.wrong if m.rejected.line != parsed.block.line),
            ]
    assert not taken


def test_an_end_above_a_block_ends_nothing():
    read_ = read("STATUS\nEND\nHELP\nORDERS T2\nPASS\nEND\n")
    assert [command.name for command in read_.commands] == ["status", "help"]
    assert read_.block is not None
    assert read_.block.lines == ("PASS",)
    assert not read_.wrong


def test_a_greeting_above_a_block_may_begin_like_a_command():
    parsed = read("Status: all is well here.\nOrders for you:\nORDERS T1\nPASS\nEND\n")
    assert (parsed.commands, parsed.wrong) == ((), ())


def test_standing_orders_by_themselves():
    block = read("STANDING FOR Ant\n  FLEE\nENDSTANDING\n").block
    assert block is not None
    assert block.standing
    assert (block.line, block.first, block.text) == (1, 1, "STANDING FOR Ant\n  FLEE\nENDSTANDING\n")


def test_the_same_block_twice_counts_once():
    parsed = read("ORDERS T1\nPASS\nEND\n\nORDERS T1\n  pass\nEND\n")
    assert parsed.block is not None
    assert (parsed.block.line, parsed.wrong) == (1, ())


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("STATUS\nfly me home", [(2, "fly me home", UNLIKE_ANY, ())]),
        ("statsu\nSTATUS\nstatsu", [(3, "statsu", UNKNOWN, ("STATUS",))]),
        ("CANCEL the whole thing", [(1, "CANCEL the whole thing", followed("CANCEL"), ("CANCEL",))]),
        (
            "set lang",
            [
                (
                    1,
                    "set lang",
                    "SET LANG needs something after it.",
                    ("SET LANG en",),
                )
            ],
        ),
        ("SET LANG 7", [(1, "SET LANG 7", followed("SET LANG"), ("SET LANG en",))]),
        ("HELP; dance", [(1, "HELP; dance", UNLIKE_ANY, ())]),
        (
            "ORDERS T1\nPASS\n",
            [
                (
                    1,
                    "ORDERS T1",
                    "END is missing on a line of its own below the orders. Perhaps the letter was cut short.",
                    (),
                )
            ],
        ),
        (
            "STANDING FOR Ant\nFLEE\n",
            [
                (
                    1,
                    "STANDING FOR Ant",
                    "ENDSTANDING is missing on a line of its own. Perhaps the letter was cut short.",
                    (),
                )
            ],
        ),
        (
            "ORDERS T1\nPASS\nEND\nORDERS T1\nMOVE Ant TO s2\nEND",
            [
                (
                    4,
                    "ORDERS T1",
                    "There are two different blocks of orders, in lines 1 and 4. Send only the one you want.",
                    (),
                )
            ],
        ),
    ],
)
def test_what_is_wrong(text, wrong):
    assert complaints(text) == wrong


def test_a_block_without_a_turn_is_a_block():
    block = read("ORDERS\nPASS\nEND").block
    assert block is not None
    assert block.turn is None


def test_too_many_lines():
    assert read("\n" * (LIMITS.lines - 1)).excess is None
    assert read("\n" * LIMITS.lines).excess == ExceededLimit("lines", LIMITS.lines)


def test_phrases_are_all_different():
    phrases = [fold(phrase) for form in COMMAND_FORMS.every for phrase in form.phrases]
    assert len(phrases) == len(set(phrases))


def test_the_examples_are_commands(subtests):
    for form in (form for form in COMMAND_FORMS.every if form.example):
        with subtests.test(form.name):
            # Those of several lines are shown on one.
            examples = [
                example.replace(" ... ", "\n") if form.enclosed else example for example in (form.example, form.spanish)
            ]
            assert [names(example) for example in examples] == [[form.name], [form.name]]


@given(st.text(alphabet=st.sampled_from("ORDERS T1\nEND;#k7q2 status>- é\u2014\x00"), max_size=300))
def test_any_text_can_be_read(text):
    parsed = read(text)
    assert all(1 <= mistake.rejected.line <= text.count("\n") + 1 for mistake in parsed.wrong)


def test_standing_orders_of_several_scopes_count_together_and_keep_their_lines():
    parsed = read("Hello,\nSTANDING FOR Ant\nFLEE\nENDSTANDING\n\nSTANDING FOR Bee\nSTAND\nENDSTANDING\n")
    assert parsed.wrong == ()
    assert parsed.block is not None
    assert (parsed.block.line, parsed.block.first, parsed.block.standing) == (2, 2, True)
    assert parsed.block.lines == (
        "STANDING FOR Ant",
        "FLEE",
        "ENDSTANDING",
        "",
        "STANDING FOR Bee",
        "STAND",
        "ENDSTANDING",
    )


@pytest.mark.parametrize(
    ("text", "line", "lines"),
    [
        (
            "STANDING FOR Ant\nFLEE\nENDSTANDING\nORDERS T1\nPASS\nEND\n",
            4,
            ("STANDING FOR Ant", "FLEE", "ENDSTANDING", "", "PASS"),
        ),
        (
            "ORDERS T1\nPASS\nEND\nSTANDING FOR Ant\nFLEE\nENDSTANDING\n",
            1,
            ("PASS", "", "STANDING FOR Ant", "FLEE", "ENDSTANDING"),
        ),
    ],
)
def test_standing_orders_beside_orders_belong_to_their_block_and_keep_their_lines(text, line, lines):
    parsed = read(text)
    assert parsed.wrong == ()
    assert parsed.block is not None
    assert (parsed.block.line, parsed.block.header, parsed.block.end) == (line, "ORDERS T1", "END")
    assert (parsed.block.lines, parsed.block.standing) == (lines, False)
    assert text.split("\n")[parsed.block.first - 1 : parsed.block.first - 1 + len(lines)][0] == lines[0]


def test_standing_orders_beside_two_blocks_of_orders_are_asked_about():
    parsed = read("STANDING FOR Ant\nFLEE\nENDSTANDING\nORDERS T1\nPASS\nEND\nORDERS T1\nMOVE\nEND\n")
    assert len(parsed.wrong) == 1


@pytest.mark.parametrize(
    "head", ["LATER T5", "later t5:", "DESPUÉS T5", "Mas tarde  t 5", "LATER T5 #k7q2", "*LATER T5*"]
)
def test_a_block_for_a_turn_to_come(head):
    parsed = read(f"{head}\nPASS\nEND\n")
    assert parsed.block is None
    assert [(block.turn, block.lines, block.is_for_later) for block in parsed.later] == [(5, ("PASS",), True)]
    assert not parsed.wrong


def test_blocks_for_turns_to_come_stand_beside_one_of_orders_in_any_order():
    parsed = read("LATER T6\nb\nEND\nORDERS T3\na\nEND\nSTATUS\nLATER T5\nc\nEND\nLATER T6\nb\nEND\n")
    assert parsed.block is not None
    assert parsed.block.lines == ("a",)
    assert [(block.turn, block.line) for block in parsed.later] == [(5, 8), (6, 1)]
    assert ([command.name for command in parsed.commands], parsed.wrong) == (["status"], ())


def test_of_two_for_one_turn_none_is_taken():
    assert [wrong[0] for wrong in complaints("LATER T6\nb\nEND\nLATER T5\nc\nEND\nLATER T6\nd\nEND\n")] == [7]


def test_one_without_its_end_is_refused():
    (wrong,) = complaints("LATER T6\nb\nORDERS T3\na\nEND\n")
    assert (wrong[0], "END is missing" in wrong[2]) == (1, True)


@pytest.mark.parametrize("text", ["Later.\n\nSTATUS", "Después\nSTATUS", "More later\nSTATUS"])
def test_the_word_alone_begins_no_block(text):
    assert names(text) == ["status"]
    assert read(text).later == ()


def test_a_block_without_a_turn_is_told_how_it_begins():
    ((line, _, why, _),) = complaints("STATUS\nLATER 5\nPASS\nEND\n")[:1]
    assert (line, why) == (2, "A block for a turn to come begins with LATER and the turn, such as LATER T5.")


def test_a_comment_neither_begins_nor_ends_a_block():
    block = read("ORDERS T3\n# ORDERS T3\nMOVE Leon TO C\n# END\n// fin\nPASS\nEND\n").block
    assert block is not None
    assert (block.lines[-1], block.end) == ("PASS", "END")
    assert read("# ORDERS T3\n# MOVE Leon TO C\n# END\nSTATUS").block is None


def test_lines_to_be_repeated_keep_their_places():
    block = read("ORDERS T1\n  @ a b\n# @ c\nd @e\n\uff20f\n@\nEND\n").block
    assert block is not None
    assert block.text == "    a b\n# @ c\nd @e\n f\n \n"
    assert block.repeated_text == "    a b\n\n\n f\n \n"


def test_a_mark_alone_repeats_nothing():
    block = read("ORDERS T1\n@\nPASS\nEND\n").block
    assert block is not None
    assert block.repeated_text == ""
