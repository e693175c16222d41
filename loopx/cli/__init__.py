"""The command line: options → one request → one use case → one renderer."""
