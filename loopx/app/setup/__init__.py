"""What `setup` puts into the files of an agent's program: one marked piece a file, and nothing else (0029)."""
