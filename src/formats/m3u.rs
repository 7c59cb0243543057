//! M3U playlists: one file a line, `#` starts a comment, and what stands behind `|` is a label.
//!
//! The format has no escapes, so not every file name fits into it. [`write`] refuses a name that
//! [`parse`] would not give back unchanged; a caller that knows the name to be relative can put
//! `./` before it ([`entry_for`]).

use std::path::Path;

use super::sheet_text;

/// An entry that a playlist cannot hold: it is blank, holds a line break or the character before a label, or
/// begins or ends with something a reader drops.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to write a playlist: entry {entry:?} does not survive a line")]
pub struct UnwritableEntry {
    /// The refused entry.
    pub entry: String,
}

/// What separates a file from the label that emulators show for it: `Game (Disc 1).chd|Disc 1`.
const LABEL: char = '|';

/// Whether a file is taken for a playlist, by its name.
pub fn is_list(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("m3u"))
}

/// The entries of a playlist in order: non-blank lines that are not comments, without their labels and
/// without blanks at either end.
pub fn parse(bytes: &[u8]) -> Vec<String> {
    sheet_text::decode(bytes)
        .split(['\n', '\r'])
        .map(str::trim)
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(LABEL).next().unwrap_or_default().trim_end())
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The bytes of a playlist with `entries` in order and a line break after each.
///
/// # Errors
/// [`UnwritableEntry`] for the first entry that would not be read back as it is.
pub fn write<S: AsRef<str>>(entries: &[S]) -> Result<Vec<u8>, UnwritableEntry> {
    let mut text = String::new();
    for entry in entries {
        let entry = entry.as_ref();
        if !survives(entry) {
            return Err(UnwritableEntry { entry: entry.to_owned() });
        }
        text.push_str(entry);
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// The entry that names the file `name` in the playlist's own folder, or `None` when no playlist
/// can name it. A name a reader would misread at its start is written as `./name`.
pub fn entry_for(name: &str) -> Option<String> {
    if survives(name) {
        return Some(name.to_owned());
    }
    let dotted = format!("./{name}");
    survives(&dotted).then_some(dotted)
}

fn survives(entry: &str) -> bool {
    !entry.is_empty()
        && !entry.starts_with(['#', '\u{feff}'])
        && !entry.contains(['\n', '\r', LABEL])
        && entry.trim().len() == entry.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &[&str]) {
        assert_eq!(parse(bytes), expected);
    }

    #[test]
    fn reads_lines_and_drops_comments() {
        check(b"", &[]);
        check(
            b"#EXTM3U\nGame (Disc 1).cue\r\n\r\n  # note\n\tGame (Disc 2).cue  ",
            &["Game (Disc 1).cue", "Game (Disc 2).cue"],
        );
        check(b"\xef\xbb\xbfa.cue\rb.cue", &["a.cue", "b.cue"]);
        check(b"Pok\xe9mon.cue\n", &["Pok\u{e9}mon.cue"]);
    }

    #[test]
    fn the_ending_makes_a_playlist() {
        for (path, expected) in [("/r/a.m3u", true), ("/r/a.M3U", true), ("/r/m3u", false)] {
            assert_eq!(is_list(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn labels_are_no_part_of_a_name() {
        check(
            b"#EXTM3U\n#LABEL:Disc One\na.chd|Disc 1\n#SAVEDISK:Save\nb c.chd | Disc 2 | x\n|alone\n",
            &["a.chd", "b c.chd"],
        );
    }

    #[test]
    fn writes_one_line_each() {
        assert_eq!(
            write(&["a b.cue", "/x/ü.cue"]).expect("writable"),
            "a b.cue\n/x/ü.cue\n".as_bytes()
        );
        assert_eq!(write::<&str>(&[]).expect("writable"), b"");
    }

    #[test]
    fn refuses_what_a_line_cannot_hold() {
        for entry in ["", "a\nb", "a\rb", "a|b", "#a", " a", "a ", "\u{feff}a"] {
            let refused = write(&["ok", entry]).expect_err("refused");
            assert_eq!(refused.entry, entry);
        }
    }

    #[test]
    fn dots_make_an_awkward_start_writable() {
        assert_eq!(entry_for("a.cue").as_deref(), Some("a.cue"));
        assert_eq!(entry_for("#a.cue").as_deref(), Some("./#a.cue"));
        assert_eq!(entry_for(" a.cue").as_deref(), Some("./ a.cue"));
        assert_eq!(entry_for("a\nb.cue"), None);
        assert_eq!(entry_for("a.cue "), None);
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for entry in parse(&bytes) {
                prop_assert!(!entry.is_empty());
            }
        }

        #[test]
        fn reads_back_what_it_writes(entries in proptest::collection::vec("\\PC{0,12}|[ #./\\\\\"a\n]{0,8}", 0..8)) {
            let writable: Vec<String> = entries.iter().filter_map(|entry| entry_for(entry)).collect();
            let bytes = write(&writable).expect("entry_for gives writable entries");
            prop_assert_eq!(parse(&bytes), writable);
        }

        #[test]
        fn writes_or_refuses_but_never_mangles(entries in proptest::collection::vec(any::<String>(), 0..4)) {
            if let Ok(bytes) = write(&entries) {
                prop_assert_eq!(parse(&bytes), entries);
            }
        }
    }
}
