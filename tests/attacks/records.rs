//! Records and stores that were forged.
