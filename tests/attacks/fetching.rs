//! Programs that a clone's own configuration names are not started by a check.
