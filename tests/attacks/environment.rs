//! Variables that a repository can set through an agent's own environment file.
