//! Links, devices and forged text in the place of files that the hook writes.
