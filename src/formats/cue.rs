//! Cue sheets, as far as a library needs them: the files a sheet is made of.
//!
//! Tracks, indexes and remarks are not read. Sheets are only read, never written.

use super::sheet_text;

/// The words that may stand after the name in a `FILE` line.
const FILE_TYPES: [&str; 6] = ["BINARY", "MOTOROLA", "AIFF", "WAVE", "MP3", "FLAC"];

/// The file names of the sheet's `FILE` lines in order. The keyword is read in any case; quotes
/// are optional; a name may hold blanks either way.
pub fn files(bytes: &[u8]) -> Vec<String> {
    sheet_text::decode(bytes).split(['\n', '\r']).filter_map(file_of).collect()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(sheet: &str, expected: &[&str]) {
        assert_eq!(files(sheet.as_bytes()), expected);
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

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for name in files(&bytes) {
                prop_assert!(!name.is_empty());
            }
        }

        #[test]
        fn finds_every_quoted_name(names in proptest::collection::vec("[^\"\n\r]{1,20}", 0..6)) {
            let lines: Vec<String> = names.iter().map(|name| format!("FILE \"{name}\" BINARY")).collect();
            let sheet = lines.join("\n");
            prop_assert_eq!(files(sheet.as_bytes()), names);
        }
    }
}
