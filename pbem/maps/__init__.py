"""Maps and letters one likes to look at: a scene and its ground to SVG, SVG to PNG. It stands on the engine alone.

SVG is made by the standard library, byte for byte the same for the same scene; only `png` needs more, and is imported
where it is asked for.
"""
