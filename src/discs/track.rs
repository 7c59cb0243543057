//! The tracks of an image.

/// A track of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track {
    /// Its number on the disc, from 1.
    pub number: u32,
    /// Whether it holds data and no sound.
    pub is_data: bool,
    /// The number of its first sector on the disc, where sectors of it are addressed by that: on a
    /// GD-ROM; 0 on other discs.
    pub first: u32,
}
