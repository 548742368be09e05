"""Define the sentences that only the order desk uses, in every language."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.data.messages import Msg, msg
from pbem.pages.wording import MAP_WORDS

WORDS: Mapping[str, Msg] = {
    "desk": msg("Order desk"),
    "you_are": msg("you: {side}", side="{side}"),
    "skip": msg("Skip the map"),
    **MAP_WORDS,
    "map_keys": msg("Map: arrow keys go from one thing to the next, Enter chooses it"),
    "whom": msg("Who gets an order?"),
    "no_units": msg("You have no unit in {place}", place="{place}"),
    "places": msg("Other places"),
    "everybody": msg("All of them"),
    "nobody": msg("None of them"),
    "strength": msg("strength {strength}", strength="{strength}"),
    "has_order": msg("has an order"),
    "nothing": msg("This unit cannot take orders now."),
    "nothing_together": msg("These units cannot take an order together now."),
    "if_it_can": msg("One of them has an order already: this one is carried out if it still can be."),
    "folded": msg("{act}: on the map, or one of {many} here", act="{act}", many="{many}"),
    "wholes": msg("Ready-made orders"),
    "whole": msg("Order"),
    "together": msg("Together with others"),
    "after": msg("After another order"),
    "after_lines": msg("{act}, after {lines}", act="{act}", lines="{lines}"),
    "wins": msg("wins {percent} of the time", percent="{percent}"),
    "orders": msg("Orders so far"),
    "none": msg("None yet. Choose a unit or a place on the map, or here."),
    "own": msg("A line of your own"),
    "add": msg("Add"),
    "added": msg("Added: {line}", line="{line}"),
    "struck": msg("Removed: {line}", line="{line}"),
    "up": msg("Move up"),
    "edit": msg("Edit"),
    "strike": msg("Remove"),
    "how": msg("How"),
    "left_open": msg("left open"),
    "led_by": msg("led by"),
    "joined": msg("all as one"),
    "yes": msg("yes"),
    "reads": msg("The line now: {line}", line="{line}"),
    "letter": msg("The letter"),
    "block": msg("The block of orders"),
    "mail": msg("Open in my mail program"),
    "verify": msg("Only to be checked (VERIFY)"),
    "copy": msg("Copy"),
    "copied": msg("Copied"),
    "not_copied": msg("It could not be copied: select the text and copy it yourself."),
    "long": msg("The letter is too long for a link: the link opens an empty one. Copy the block and paste it there."),
    "to": msg("To:"),
    "judges": msg(
        "This page sends nothing by itself. The server reads your letter, answers with what it understood "
        "and checks it by the rules. New orders replace those that you sent before."
    ),
    "key": msg(
        "Whoever has this file can write orders for your seat: keep it as you keep the report. If somebody "
        "else has got it, send ROTATE: your address changes, and this file is worth nothing. It is for this "
        "phase alone: later its orders are refused by the code in their first line."
    ),
    "standing": msg("Standing orders"),
    "standing_lead": msg(
        "They answer for you when the enemy acts, and hold until you replace them: those that you "
        "send for a place or a unit take the place of all that you had for it."
    ),
    "scope_kind": msg("For whom"),
    "scope": msg("Which"),
    "event": msg("When"),
    "always": msg("at any time"),
    "test": msg("Only if"),
    "no_condition": msg("no condition"),
    "op": msg("Compared"),
    "number": msg("Number"),
    "mine": msg("First number of the odds"),
    "theirs": msg("Second number of the odds"),
    "place": msg("Place"),
    "holder": msg("Held by"),
    "do": msg("Then"),
    "with": msg("Which one"),
    "else_with": msg("Otherwise"),
    "and_also": msg("And also"),
    "limit": msg("At most so many times a turn (0: always)"),
    "add_rule": msg("Add this standing order"),
    "open": msg("Open a report"),
    "open_lead": msg(
        "Give this page a letter that has pbemdesk.txt attached: the answer to DESK, or a report if you "
        "said FORMAT HTML DESK. It is read here, on your machine; this page cannot reach the network."
    ),
    "drop": msg("Drop the letter, saved as a file, or pbemdesk.txt here"),
    "choose": msg("Choose a file"),
    "paste": msg("Or paste here the source of the letter, or the text of pbemdesk.txt"),
    "read": msg("Read what I pasted"),
    "no_data": msg("There is no pbemdesk.txt in it that this page can read."),
    "other_form": msg("It was written for another version of this page: write the page anew with pbem page desk."),
}
