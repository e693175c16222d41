"""SQLite: the only authority for the work graph (S1.1)."""
