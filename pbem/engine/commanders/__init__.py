"""M Handle several commanders of a side.

Rules M1 to M7 are about the command of units, the order of sets, and answers at a place. `holding` reads the
commands of a scenario, and finds the command of a unit, who answers, and what each may know; `orders` are the lines
that only commanders write, and the units a line may name; `sequence` carries out sets one after another and makes
one assault of two lines; `report` words it. A side without commands is ordered as if there were no such rules.
"""
