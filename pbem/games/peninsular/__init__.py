"""Implement the hex game of the Peninsular War.

`GAME` is the record that the server loads.

A chapter of the rulebook is a file, with what refuses its orders, its steps and modifiers, its odds, and its
sentences:

    movement    S2 to S4, T8: orders of divisions, moves, turns, formations (terrain, paths: the ground, T1, T3, T7)
    fire        S7, T5
    assault     S5, S6: assaults and the charge tests before them
    shock       S5, T6
    cavalry     S8, T9: the advance, cavalry out of control
    morale      T2, S12, S13: tests, losses, retreats, commanders
    end_phase   S9 to S11, T4, S1: rally, divisions, reinforcements
    victory     S14

`sequence` lists all their steps in the order of play, `apply` what each event changes. The sentences of a chapter
stand at its end, by kind of event: ENTRY_SENTENCES begin a numbered entry, DETAILS are dice below it, EFFECTS its
results, READ names the chart that was read; ASKED are questions by window. `report` and `questions` collect them.
"""

from pbem.games.peninsular.game import GAME

__all__ = ["GAME"]
