"""The MCP server (extra `mcp`): the tools of a role over standard input and output (docs/decisions/0030-mcp.md)."""
