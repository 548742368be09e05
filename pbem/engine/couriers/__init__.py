"""M6 Couriers: commanders who see what is near their own units, and hear of the rest late.

`known` is what a position holds of it: what each command last heard of places out of its sight, and what rides;
`routes` says how long a letter takes from leader to leader; `riding` are the steps that send letters off and bring them
in, and what becomes of the position; `telling` puts it into words. Without the option a position holds nothing of it.
"""
