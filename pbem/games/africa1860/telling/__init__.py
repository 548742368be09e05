"""What people read of this game: reports, maps, help, questions, and what is behind a happening."""
