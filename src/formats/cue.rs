//! Cue sheets, as far as a library needs them: the files a sheet is made of, and their tracks.
//!
//! Remarks and titles are not read. Sheets are only read, never written.

use super::sheet_text;

/// The words that may stand after the name in a `FILE` line.
const FILE_TYPES: [&str; 6] = ["BINARY", "MOTOROLA", "AIFF", "WAVE", "MP3", "FLAC"];

/// The file names of the sheet's `FILE` lines in order. The keyword is read in any case; quotes
/// are optional; a name may hold blanks either way.
pub fn files(bytes: &[u8]) -> Vec<String> {
    sheet_text::decode(bytes).split(['\n', '\r']).filter_map(file_of).collect()
}

/// The keywords of files in a sheet of `cdrdao` (`.toc`).
const TOC_WORDS: [&str; 3] = ["FILE", "DATAFILE", "AUDIOFILE"];

/// The file names of a sheet of `cdrdao` in order, each in quotes behind a keyword.
pub fn files_of_toc(bytes: &[u8]) -> Vec<String> {
    let file = |line: &str| {
        let (keyword, rest) = line.trim().split_once('"')?;
        let (name, _) = rest.split_once('"')?;
        let is_file = TOC_WORDS.contains(&keyword.trim_end()) && !name.is_empty();
        is_file.then(|| name.to_owned())
    };
    sheet_text::decode(bytes).split(['\n', '\r']).filter_map(file).collect()
}

fn file_of(line: &str) -> Option<String> {
    let (keyword, rest) = line.trim().split_once(|letter: char| letter.is_ascii_whitespace())?;
    if !keyword.eq_ignore_ascii_case("FILE") {
        return None;
    }
    let rest = rest.trim();
    let name = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map_or_else(|| bare_name(quoted), |(name, _)| name),
        None => bare_name(rest),
    };
    (!name.is_empty()).then(|| name.to_owned())
}

/// A name without quotes ends before the file type, when there is one.
fn bare_name(rest: &str) -> &str {
    let Some((name, last)) = rest.rsplit_once(|letter: char| letter.is_ascii_whitespace()) else {
        return rest;
    };
    if FILE_TYPES.iter().any(|file_type| last.eq_ignore_ascii_case(file_type)) {
        name.trim_end()
    } else {
        rest
    }
}

/// Blocks of 75 to a second, as positions in sheets are written.
const FRAMES: u64 = 75;

/// A track of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// The file it lies in, as the sheet names it.
    pub file: String,
    /// Its number on the disc.
    pub number: u32,
    /// Bytes of one sector in the file.
    pub sector: u64,
    /// Whether it holds data and no sound.
    pub is_data: bool,
    /// Sectors of the file before its first one.
    pub start: u64,
}

/// The tracks of a sheet, in its order. Lines that are not about tracks are skipped.
pub fn tracks(bytes: &[u8]) -> Vec<Track> {
    let text = sheet_text::decode(bytes);
    let (mut file, mut tracks) = (String::new(), Vec::<Track>::new());
    for line in text.split(['\n', '\r']) {
        if let Some(name) = file_of(line) {
            file = name;
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [word, number, mode, ..] if word.eq_ignore_ascii_case("TRACK") => {
                let Ok(number) = number.parse() else { continue };
                let (is_data, sector) = mode_of(mode);
                tracks.push(Track { file: file.clone(), number, sector, is_data, start: 0 });
            }
            [word, "01" | "1", time, ..] if word.eq_ignore_ascii_case("INDEX") => {
                if let (Some(track), Some(start)) = (tracks.last_mut(), frames(time)) {
                    track.start = start;
                }
            }
            _ => {}
        }
    }
    tracks
}

/// Whether a mode is one of data, and the bytes of its sectors.
fn mode_of(mode: &str) -> (bool, u64) {
    let is_sound = mode.eq_ignore_ascii_case("AUDIO") || mode.eq_ignore_ascii_case("CDG");
    let size = mode.rsplit_once('/').and_then(|(_, size)| size.parse().ok());
    let usual = if mode.eq_ignore_ascii_case("CDG") { 2448 } else { 2352 };
    (!is_sound, size.filter(|size| (2048..=2448).contains(size)).unwrap_or(usual))
}

/// `mm:ss:ff` in blocks.
fn frames(time: &str) -> Option<u64> {
    let parts: Vec<u64> = time.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
    let [minutes, seconds, frames] = parts[..] else { return None };
    (minutes < 1_000 && seconds < 60 && frames < FRAMES)
        .then_some((minutes * 60 + seconds) * FRAMES + frames)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(sheet: &str, expected: &[&str]) {
        assert_eq!(files(sheet.as_bytes()), expected);
    }

    #[test]
    fn sheets_of_cdrdao_name_their_files() {
        let text =
            b"CD_ROM_XA\n// FILE \"x.bin\"\nTRACK MODE2_RAW\r\nDATAFILE \"a b.bin\" 00:02:00\n\
            \tAUDIOFILE \"c.wav\" 0\nFILE\"d.raw\" 0\nFILE e.raw\nSILENCE 00:02:00\nFILE \"\"\n";
        assert_eq!(files_of_toc(text), ["a b.bin", "c.wav", "d.raw"]);
    }

    #[test]
    fn reads_file_lines_only() {
        check(
            "FILE \"a b.bin\" BINARY\n  TRACK 01 MODE2/2352\n    INDEX 01 00:00:00\n",
            &["a b.bin"],
        );
        check(
            "REM FILE \"no.bin\" BINARY\r\nFILE one.bin BINARY\r\nFILE two.wav WAVE",
            &["one.bin", "two.wav"],
        );
        check("file Game.iso binary", &["Game.iso"]);
        check("FILE my game.bin motorola", &["my game.bin"]);
        check("FILE my game.bin", &["my game.bin"]);
        check("FILE \"open.bin BINARY", &["open.bin"]);
        check("FILE \"\" BINARY\nFILE\nFILE   \nFILENAME x", &[]);
        check("FILE\t\"tab.bin\"\tBINARY", &["tab.bin"]);
        check("FILE \"BINARY\" BINARY", &["BINARY"]);
    }

    #[test]
    fn tracks_have_a_mode_and_a_start() {
        let sheet = b"FILE \"a b.bin\" BINARY\r\n  TRACK 01 AUDIO\r\n    INDEX 01 00:00:00\r\n  \
            TRACK 02 MODE1/2048\r\n    INDEX 00 00:40:00\r\n    INDEX 01 00:42:03\r\nFILE c.bin BINARY\r\n\
            TRACK 03 mode2/2352\r\nINDEX 01 xx\r\nTRACK x MODE1/2352\r\nINDEX 01 99:99:99";
        let track = |file: &str, number, sector, is_data, start| Track {
            file: file.to_owned(),
            number,
            sector,
            is_data,
            start,
        };
        let expected = [
            track("a b.bin", 1, 2352, false, 0),
            track("a b.bin", 2, 2048, true, 42 * 75 + 3),
            track("c.bin", 3, 2352, true, 0),
        ];
        assert_eq!(tracks(sheet), expected);
        assert!(tracks(b"INDEX 01 00:00:00\nTRACK").is_empty());
        assert_eq!(mode_of("MODE1/99999999"), (true, 2352));
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for name in files(&bytes) {
                prop_assert!(!name.is_empty());
            }
            tracks(&bytes);
        }

        #[test]
        fn finds_every_quoted_name(names in proptest::collection::vec("[^\"\n\r]{1,20}", 0..6)) {
            let lines: Vec<String> = names.iter().map(|name| format!("FILE \"{name}\" BINARY")).collect();
            let sheet = lines.join("\n");
            prop_assert_eq!(files(sheet.as_bytes()), names);
        }
    }
}
