"""The command `pbem`: settings, the daemon, the demo, and the wiring of everything below."""
