//! Pushes, commits and ranges that would be checked by rules of their own making.
