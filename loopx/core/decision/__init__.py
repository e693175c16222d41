"""The decision compiler: one pure function from a snapshot to what one agent does now."""
