"""Plain data: events, sentences, reports, JSON, positions and their folds."""
