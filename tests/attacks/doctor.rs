//! What `doctor` may run: entries of a clone's own settings are never started.
