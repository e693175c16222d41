"""The tools that a model is given, by role: one definition each, for chat workers and for MCP (S3)."""
