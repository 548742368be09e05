"""The tables of the first release, part by part, as its migration makes them. Nothing here is ever changed."""
