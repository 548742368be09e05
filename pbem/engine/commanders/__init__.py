"""M Several commanders a side: whose a unit is, in which order their sets are carried out, who answers at a place.

`holding` reads the commands of a scenario, says whose a unit is, who answers and what each may know; `orders` are the
lines that commanders alone write, and whose units a line may name; `sequence` carries sets out one after another and
makes one assault of two lines; `telling` puts it into words. A side without commands is ordered as if there were no
such rules.
"""
