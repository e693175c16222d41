"""Chat workers: a model with tools, as one more runner. Needs the extra `chat`."""
