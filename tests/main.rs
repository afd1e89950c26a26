//! One test binary: a single link of the library, a tour of the modules below.
