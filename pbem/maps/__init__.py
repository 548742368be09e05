"""Draw maps and letters' pictures: a scene and its ground to SVG, SVG to PNG.

This depends only on the engine. SVG is made by the standard library, byte for byte the same for the same
scene; only `png` needs more, and is imported where it is used.
"""
