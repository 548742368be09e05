"""Pages for browsers, each one file that asks nobody for anything: parts laid into one, pictures, data.

It stands on the engine and on maps. What a page is made of (HTML, CSS, scripts) lies in a folder of its name; scripts
move, show and write down, and hold no rule and draw no sign: what may be ordered and how the map looks are data from
the rules and SVG from `pbem.maps`.
"""
