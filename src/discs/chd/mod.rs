//! CHD files of versions 3 to 5.
//!
//! Checksums are not compared, and the error correction that the container leaves out of a sector is not restored: it
//! is never read here.

mod header;
mod hunks;
mod map;
mod tracks;

use std::io;

use self::{
    hunks::Hunks,
    tracks::{Kind, Listed},
};
use super::{blocks::Joined, content::Content, error::ImageError, track::Track};

/// An open file.
pub(super) struct Chd<'a> {
    sectors: Joined<Hunks<'a>>,
    tracks: Vec<Listed>,
}

impl<'a> Chd<'a> {
    /// Opens a file of a disc.
    pub(super) fn open(mut content: Box<dyn Content + 'a>) -> Result<Self, ImageError> {
        let header = header::read(&mut *content)?;
        let mut tracks = tracks::read(&mut *content, header.metadata)?;
        if tracks.is_empty() {
            // A disc that has no tracks but only sectors of data: a DVD.
            tracks.push(Listed::whole(header.length));
        }
        let hunks = Hunks::new(content, header)?;
        Ok(Self { sectors: Joined::new(hunks), tracks })
    }

    /// The tracks of the disc.
    pub(super) fn tracks(&self) -> Vec<Track> {
        let track = |listed: &Listed| Track {
            number: listed.number,
            is_data: listed.kind != Kind::Sound,
            first: listed.first,
        };
        self.tracks.iter().map(track).collect()
    }

    /// The sectors of a track.
    pub(super) fn into_track(self, at: usize) -> Box<dyn Content + 'a> {
        let track = self.tracks[at.min(self.tracks.len() - 1)];
        if track.unit == track.sector {
            return Box::new(self.sectors);
        }
        Box::new(Sectors { inner: self.sectors, track })
    }
}

/// The sectors of a track, of which the file holds more bytes each than count.
struct Sectors<'a> {
    inner: Joined<Hunks<'a>>,
    track: Listed,
}

impl Content for Sectors<'_> {
    fn length(&self) -> u64 {
        self.track.count * self.track.sector
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let place = at.saturating_add(filled as u64);
            let (number, inside) = (place / self.track.sector, place % self.track.sector);
            if number >= self.track.count {
                break;
            }
            let left = usize::try_from(self.track.sector - inside).unwrap_or(usize::MAX);
            let count = left.min(buffer.len() - filled);
            let start = (self.track.start + number) * self.track.unit + inside;
            let read = self.inner.read_at(start, &mut buffer[filled..filled + count])?;
            filled += read;
            if read < count {
                break;
            }
        }
        Ok(filled)
    }
}
