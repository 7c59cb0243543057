//! Sheets of GD-ROM discs (`.gdi`), as far as a library needs them: the files of the tracks.
//!
//! The first line counts the tracks; each other line has number, start, kind, size of a sector, file
//! and offset, separated by blanks. A name with blanks stands in quotes. Sheets are only read.

use super::sheet_text;

/// Words in front of the name of a track's file.
const WORDS_BEFORE: usize = 4;

/// The file names of the tracks in their order.
pub fn files(bytes: &[u8]) -> Vec<String> {
    sheet_text::decode(bytes).split(['\n', '\r']).filter_map(file_of).collect()
}

fn file_of(line: &str) -> Option<String> {
    let mut rest = line.trim();
    for _ in 0..WORDS_BEFORE {
        let (word, behind) = rest.split_once(char::is_whitespace)?;
        word.parse::<i64>().ok()?;
        rest = behind.trim_start();
    }
    let name = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        // The offset stands last; a name with blanks has no quotes in sheets of some programs.
        None => rest.rsplit_once(char::is_whitespace)?.0.trim_end(),
    };
    (!name.is_empty()).then(|| name.to_owned())
}

/// A track of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// Its number on the disc.
    pub number: u32,
    /// The number of its first sector on the disc.
    pub first: u32,
    /// Whether it holds data and no sound.
    pub is_data: bool,
    /// The file it lies in, as the sheet names it.
    pub file: String,
}

/// The tracks of a sheet, in its order.
pub fn tracks(bytes: &[u8]) -> Vec<Track> {
    let text = sheet_text::decode(bytes);
    let track = |line: &str| {
        let mut words = line.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let first = words.next()?.parse().ok()?;
        let is_data = words.next()? == "4";
        Some(Track { number, first, is_data, file: file_of(line)? })
    };
    text.split(['\n', '\r']).filter_map(track).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_name_files_with_and_without_quotes() {
        let sheet = b"3\r\n1 0 4 2352 track01.bin 0\r\n2 600 0 2352 \"Game (Track 2).bin\" 0\r\n\
            3 45000 4 2352 Game (Track 3).bin 0\r\n";
        assert_eq!(files(sheet), ["track01.bin", "Game (Track 2).bin", "Game (Track 3).bin"]);
        let track = |number, first, is_data, file: &str| Track {
            number,
            first,
            is_data,
            file: file.to_owned(),
        };
        let expected = [
            track(1, 0, true, "track01.bin"),
            track(2, 600, false, "Game (Track 2).bin"),
            track(3, 45_000, true, "Game (Track 3).bin"),
        ];
        assert_eq!(tracks(sheet), expected);
        for bad in ["", "3", "1 0 4", "1 0 4 2352", "1 0 4 2352 \"a", "a b c d e f", "1 0 4 2352 x"]
        {
            assert!(files(bad.as_bytes()).is_empty(), "{bad}");
        }
    }
}
