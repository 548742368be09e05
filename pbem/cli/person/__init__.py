"""`pbem person`: what is kept about somebody, told or blanked. Imports `server` and what lies beside the rooms."""
