//! Changes that turn a line which was there before into a finding.
