//! Disc images in containers: CHD, CSO, ZSO, DAX, the CISO of the GameCube, GCZ, WIA and RVZ.
//!
//! Owns how the sectors of a packed image are found and unpacked. An image is opened on a [`Content`],
//! and each of its tracks is a [`Content`] again, so readers of plain images read packed ones too.
//! Only the parts that are needed are read. Every size in a file is checked before memory is taken for
//! it; an open image keeps one unpacked block and at most [`limits::MAP`] bytes of its map.

mod bits;
mod blocks;
mod chd;
mod content;
mod cso;
mod error;
mod gamecube;
mod huffman;
mod limits;
mod track;
mod unpack;
mod wia;

#[cfg(test)]
mod tests;

pub use content::{Content, InMemory, part};
pub use error::ImageError;
pub use track::Track;

/// The extensions of files that [`Image::open`] reads.
pub const EXTENSIONS: [&str; 8] = ["chd", "cso", "zso", "dax", "ciso", "gcz", "rvz", "wia"];

/// An open image. It has at least one track.
pub struct Image<'a> {
    inner: Inner<'a>,
}

enum Inner<'a> {
    /// An image of one data track.
    Plain(Box<dyn Content + 'a>),
    Chd(Box<chd::Chd<'a>>),
}

impl<'a> Image<'a> {
    /// Opens the image in a file; the format is that of its first bytes, not of its name.
    ///
    /// # Errors
    /// A file of none of the formats, a damaged one, or one that needs a file next to it.
    pub fn open(mut content: Box<dyn Content + 'a>) -> Result<Self, ImageError> {
        let start = part(&mut *content, 0, 8)?;
        let inner = match start.first_chunk::<4>().ok_or(ImageError::Unknown)? {
            b"MCom" => Inner::Chd(Box::new(chd::Chd::open(content)?)),
            b"CISO" if cso::is_gamecube(&start) => Inner::Plain(gamecube::ciso(content)?),
            b"CISO" | b"ZISO" => Inner::Plain(cso::open(content)?),
            b"DAX\0" => Inner::Plain(cso::dax(content)?),
            b"RVZ\x01" | b"WIA\x01" => Inner::Plain(Box::new(wia::Wia::open(content)?)),
            [0x01, 0xC0, 0x0B, 0xB1] => Inner::Plain(gamecube::gcz(content)?),
            _ => return Err(ImageError::Unknown),
        };
        Ok(Self { inner })
    }

    /// Its tracks in the order of the disc.
    pub fn tracks(&self) -> Vec<Track> {
        match &self.inner {
            Inner::Plain(_) => vec![Track { number: 1, is_data: true, first: 0 }],
            Inner::Chd(chd) => chd.tracks(),
        }
    }

    /// The sectors of a track by its place in [`Self::tracks`], one behind the other and without what
    /// the container adds to each; the last track when the place is beyond it.
    pub fn into_track(self, at: usize) -> Box<dyn Content + 'a> {
        match self.inner {
            Inner::Plain(content) => content,
            Inner::Chd(chd) => chd.into_track(at),
        }
    }
}
