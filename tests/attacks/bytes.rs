//! Files that are not text to us and are text to a shell: NUL padding, byte order marks, CR-only lines.
