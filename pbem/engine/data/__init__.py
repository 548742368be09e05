"""Plain data that everything is made of: events, sentences, reports, canonical JSON, positions and their folds."""
