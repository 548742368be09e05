"""Define the sentences only of a game's page, which has them in every language."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.data.messages import Msg, msg
from pbem.pages.wording import MAP_WORDS

WORDS: Mapping[str, Msg] = {
    "skip": msg("Skip the map"),
    **MAP_WORDS,
    "controls": msg("From moment to moment"),
    "first": msg("To the beginning (Home)"),
    "back_phase": msg("A phase back (Page Up)"),
    "back": msg("A step back (arrow left)"),
    "on": msg("A step on (arrow right)"),
    "on_phase": msg("A phase on (Page Down)"),
    "last": msg("To the end (End)"),
    "slider": msg("Moment"),
    "play": msg("Play"),
    "pause": msg("Pause"),
    "keys": msg(
        "The space bar plays and stops. Arrow keys step, Page Up and Page Down go by phase, Home and End to the ends. "
        "A click on a counter shows in the list only what it has to do with."
    ),
    "link": msg("Link to this moment"),
    "copy": msg("Copy the link"),
    "copied": msg("Copied"),
    "not_copied": msg("Not copied: take it from the address line"),
    "picture": msg("Picture (PNG)"),
    "film": msg("Animated turn (GIF)"),
    "painting": msg("It is drawn ..."),
    "shared": msg("{file}: {size} KB", file="{file}", size="{size}"),
    "journal": msg("What happened"),
    "unit": msg("Unit"),
    "place": msg("Place"),
    "all": msg("all"),
    "found": msg("{many} of {all}", many="{many}", all="{all}"),
    "start": msg("Before the first phase"),
    "before": msg("The forces as they stand."),
    "nothing": msg("Nothing of this phase is shown."),
    "by_order": msg("By the order: {order}", order="{order}"),
    "numbers": msg("In the letters of the seats: {numbers}", numbers="{numbers}"),
    "none": msg("none"),
    "throws": msg("Its dice"),
    "roll": msg("Roll"),
    "dice": msg("Dice"),
    "values": msg("Values"),
    "worth": msg("Worth to {side}", side="{side}"),
    "again_right": msg("matches the key of its phase"),
    "again_wrong": msg("does not match the key of its phase"),
    "curves": msg("How it went"),
    "check_head": msg("Are the dice right?"),
    "check_lead": msg(
        "Each roll follows from its name and the key of its phase, which was secret until the orders "
        "were closed. Here all are thrown again, on your machine."
    ),
    "check": msg("Throw all dice again"),
    "checking": msg("They are thrown ..."),
    "came_out": msg("{right} rolls ({dice} dice) match what was reported.", right="{right}", dice="{dice}"),
    "not_thrown": msg("For {open} no key is published.", open="{open}"),
    "wrong": msg("These do not match:"),
    "evidence": msg(
        "That shows that rolls and keys fit, and no more: this page was written by the server that threw "
        "the dice. Better evidence is a verifier from elsewhere that reads the letters of a player: it "
        "holds the keys against what was signed before. See pbem verify in the guide to the dice."
    ),
    "coins": msg("A coin is a die of two sides: 2 is heads, 1 is tails."),
    "chart": msg("the chart, with what was read in brackets"),
    "rules": msg("Its rules"),
    "rulebook": msg("{number} in the rulebook", number="{number}"),
    "orders": msg("Orders of this phase, as they were carried out"),
    "later_orders": msg("{whose}, part {segment}", whose="{whose}", segment="{segment}"),
    "letters": msg("Letters between players in this turn"),
    "from_to": msg("{whose} to {readers}", whose="{whose}", readers="{readers}"),
    "everybody": msg("all"),
    "no_orders": msg("no orders"),
    "standing": msg("Standing orders"),
    "all_told": msg(
        "The game is over, and everything that was secret is shown here. Of the letters between players only "
        "those are shown whose authors allow it. Moderators' letters and all addresses are left out."
    ),
    "part_told": msg(
        "The game goes on: here is what everybody may see of the phases that are over. Orders, "
        "letters and what the rules hide are told when it has ended, or never."
    ),
    "seat_told": msg("The game goes on: here is what one seat sees. Whoever has this file sees it too."),
}
