//! The tracks that the metadata of a CHD file lists.

use super::{
    super::{
        content::{Content, part},
        error::ImageError,
        limits,
    },
    hunks::UNIT,
};

/// Bytes of the longest text of a track.
const TEXT: usize = 512;
/// Tracks begin at multiples of this many sectors.
const PADDING: u64 = 4;
/// Sectors of the longest disc; more are those of none.
const LONGEST: u64 = 1 << 24;

/// What a track holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Sound,
}

/// A track and where it is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) number: u32,
    pub(super) kind: Kind,
    /// The number of its first sector on the disc; 0 except on a GD-ROM.
    pub(super) first: u32,
    /// Bytes of a sector, and of what the file has for one.
    pub(super) sector: u64,
    pub(super) unit: u64,
    /// Units of the file before it, and how many it has.
    pub(super) start: u64,
    pub(super) count: u64,
}

impl Listed {
    /// A disc of `length` bytes as one track of data.
    pub(super) fn whole(length: u64) -> Self {
        let sector = 2048;
        let count = length / sector;
        Self { number: 1, kind: Kind::Data, first: 0, sector, unit: sector, start: 0, count }
    }
}

/// The tracks in the order of the metadata; none for what is no CD.
///
/// # Errors
/// Metadata that cannot be read, or that makes no disc.
pub(super) fn read(content: &mut dyn Content, start: u64) -> Result<Vec<Listed>, ImageError> {
    let mut tracks: Vec<Listed> = Vec::new();
    let (mut at, mut units, mut sectors) = (start, 0, 0);
    for _ in 0..limits::METADATA {
        if at == 0 {
            return Ok(tracks);
        }
        let entry = part(content, at, 16)?;
        let [a, b, c, d, _, sizes @ .., _, _, _, _, _, _, _, _] =
            *entry.first_chunk::<16>().ok_or(ImageError::Damaged)?;
        let size = sizes.iter().fold(0, |size, byte| size << 8 | usize::from(*byte));
        let next = entry.last_chunk().copied().map_or(0, u64::from_be_bytes);
        match &[a, b, c, d] {
            b"CHTR" | b"CHT2" | b"CHGT" | b"CHGD" => {
                let text = part(content, at.saturating_add(16), size.min(TEXT))?;
                let text = String::from_utf8_lossy(&text);
                let is_gd = c == b'G';
                let (track, all) =
                    track(&text, units, sectors, is_gd).ok_or(ImageError::Damaged)?;
                units += all.next_multiple_of(PADDING);
                sectors += all;
                tracks.push(track);
            }
            b"CHCD" => return Err(ImageError::Method("an old list of tracks")),
            b"AVAV" => return Err(ImageError::Method("the coder of laser discs")),
            _ => {}
        }
        at = next;
    }
    // A longer list is one that leads back to itself.
    Err(ImageError::Damaged)
}

/// A track from its text, and the sectors that the file has for it.
fn track(text: &str, units: u64, sectors: u64, is_gd: bool) -> Option<(Listed, u64)> {
    let text = text.trim_end_matches('\0');
    let value = |key: &str| {
        text.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix(':'))
    };
    let (kind, sector) = match value("TYPE")? {
        "MODE1" | "MODE1/2048" | "MODE2_FORM1" | "MODE2/2048" => (Kind::Data, 2048),
        "MODE2" | "MODE2/2336" | "MODE2_FORM_MIX" => (Kind::Data, 2336),
        "MODE2_FORM2" | "MODE2/2324" => (Kind::Data, 2324),
        "MODE1_RAW" | "MODE1/2352" | "MODE2_RAW" | "MODE2/2352" | "CDI/2352" => (Kind::Data, 2352),
        "AUDIO" => (Kind::Sound, 2352),
        _ => return None,
    };
    let all: u64 = value("FRAMES")?.parse().ok().filter(|all| *all <= LONGEST)?;
    // The pause before a track counts only where the file holds it.
    let is_held = value("PGTYPE").is_some_and(|kind| kind.starts_with('V'));
    let pause: u64 = value("PREGAP").filter(|_| is_held).map_or(Some(0), |it| it.parse().ok())?;
    let pause = pause.min(all);
    let first = if is_gd { u32::try_from(sectors + pause).ok()? } else { 0 };
    let track = Listed {
        number: value("TRACK")?.parse().ok()?,
        kind,
        first,
        sector,
        unit: UNIT as u64,
        start: units + pause,
        count: all - pause,
    };
    Some((track, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_tracks_are_read() {
        let text = "TRACK:2 TYPE:MODE1_RAW SUBTYPE:NONE FRAMES:300 PREGAP:150 PGTYPE:VMODE1_RAW \
             PGSUB:RW POSTGAP:0\0";
        let (found, all) = track(text, 8, 6, false).expect("a track");
        assert_eq!((found.number, found.kind, found.sector, all), (2, Kind::Data, 2352, 300));
        assert_eq!((found.start, found.count, found.first), (158, 150, 0));
        let text = text.replace("VMODE", "MODE");
        let (found, _) = track(&text, 8, 6, true).expect("a track");
        assert_eq!((found.start, found.count, found.first), (8, 300, 6));
        for text in ["", "TRACK:1 TYPE:MODE3 FRAMES:4", "TRACK:1 TYPE:AUDIO FRAMES:99999999999"] {
            assert_eq!(track(text, 0, 0, false), None, "{text}");
        }
    }
}
