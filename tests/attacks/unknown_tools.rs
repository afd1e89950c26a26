//! Edits, moves and deletions by tools of MCP servers and other unknown tools.
