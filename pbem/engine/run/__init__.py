"""Run a game's steps from a world to its end: dice, questions, odds, foresight."""
