//! Bounds of what an image may ask for.

/// Bytes of the largest block that is unpacked at once: that of an RVZ or WIA file.
pub(super) const BLOCK: usize = 4 << 20;
/// Bytes of the largest hunk of a CHD; the program that makes them allows no larger ones.
pub(super) const HUNK: u32 = 1 << 20;
/// Bytes that the map of an image may take in memory.
pub(super) const MAP: usize = 4 << 20;
/// Entries of the metadata of a CHD that are read: a disc has at most 99 tracks.
pub(super) const METADATA: usize = 256;
/// Hunks that refer to each other before the one that holds the bytes.
pub(super) const REFERENCES: usize = 64;
/// Parts of a GameCube or Wii disc.
pub(super) const PARTS: u32 = 1024;
