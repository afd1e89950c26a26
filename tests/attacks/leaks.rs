//! Secrets in everything that leaves the process.
