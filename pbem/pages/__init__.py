"""Make pages for browsers, each one file without requests.

This depends on the engine and on maps. The parts of a page (HTML, CSS, scripts) are in a folder of its name;
scripts move, show and write down, and hold no rule and draw no sign: possible orders and the look of the map
are data from the rules and SVG from `pbem.maps`.
"""
