//! Control and bidirectional characters in what is printed.
