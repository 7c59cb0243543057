//! The one door to the disk for writing.
