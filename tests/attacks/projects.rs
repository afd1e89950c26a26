//! Repositories inside and around the project, and whose rules apply.
