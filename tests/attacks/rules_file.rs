//! Rules files that cannot be read or are not where they were.
