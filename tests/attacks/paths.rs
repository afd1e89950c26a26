//! Paths as each agent resolves them, against the files that the agent really writes.
