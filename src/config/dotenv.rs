//! `.env` files: the grammar, and the rule that such a file must be private to its owner.
//!
//! A line is `NAME=value`, optionally behind `export `; blank lines and `#` lines are skipped.
//! A value may stand in single quotes (taken as it is) or in double quotes (`\n`, `\r`, `\t`, `\"`,
//! `\\`, `\$` are understood); an unquoted value ends at ` #`. A line that is anything else is
//! skipped: one bad line never hides the others. The first line that sets a name wins.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::base::text;

/// A file of this many bytes or more is skipped.
const MAX_BYTES: u64 = 1024 * 1024;

/// The text of a `.env` file that only its owner, who must be us, can read.
///
/// `None` when the file is missing, a symlink, not a regular file, open to group or others, owned
/// by another user, 1 MiB or larger, or not UTF-8. Everything is asked of the opened file, so
/// it cannot be swapped between the check and the reading; opening never waits for a pipe's writer.
pub fn read_private(path: &Path) -> Option<String> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
    let found = file.metadata().ok()?;
    let ours = found.uid() == rustix::process::geteuid().as_raw();
    let open_to_others = found.mode() & 0o077;
    if !found.is_file() || !ours || open_to_others != 0 || found.len() >= MAX_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    // The file may have grown since it was measured.
    if bytes.len() as u64 >= MAX_BYTES {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// The assignments of a `.env` text in their order, each name once.
pub fn parse(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for line in text.trim_start_matches('\u{feff}').lines() {
        if let Some((name, value)) = parse_line(line)
            && seen.insert(name)
        {
            pairs.push((name.to_owned(), value));
        }
    }
    pairs
}

fn parse_line(line: &str) -> Option<(&str, String)> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') || line.contains('\0') {
        return None;
    }
    let unexported = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t']));
    let (name, value) = unexported.unwrap_or(line).split_once('=')?;
    let name = name.trim();
    if !text::is_variable_name(name) {
        return None;
    }
    let value = value.trim_start();
    let value = match value.chars().next() {
        Some('\'') => single_quoted(&value[1..])?,
        Some('"') => double_quoted(&value[1..])?,
        _ => unquoted(value),
    };
    Some((name, value))
}

fn unquoted(value: &str) -> String {
    let mut previous = ' ';
    for (at, letter) in value.char_indices() {
        if letter == '#' && previous.is_whitespace() {
            return value[..at].trim_end().to_owned();
        }
        previous = letter;
    }
    value.trim_end().to_owned()
}

fn single_quoted(value: &str) -> Option<String> {
    let (inner, rest) = value.split_once('\'')?;
    only_comment(rest).then(|| inner.to_owned())
}

fn double_quoted(value: &str) -> Option<String> {
    let mut inner = String::with_capacity(value.len());
    let mut letters = value.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return only_comment(&value[at + 1..]).then_some(inner),
            '\\' => match letters.next()?.1 {
                'n' => inner.push('\n'),
                'r' => inner.push('\r'),
                't' => inner.push('\t'),
                plain @ ('"' | '\\' | '$') => inner.push(plain),
                other => inner.extend(['\\', other]),
            },
            other => inner.push(other),
        }
    }
    None
}

/// Whether nothing but blanks or a comment follows a closing quote.
fn only_comment(rest: &str) -> bool {
    let trimmed = rest.trim_start();
    trimmed.is_empty() || (trimmed.starts_with('#') && trimmed.len() < rest.len())
}

#[cfg(test)]
pub(in crate::config) mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};

    use proptest::prelude::*;

    use super::*;

    /// Creates `path` with exactly `mode` and the given content.
    pub(in crate::config) fn put_file(path: &Path, content: &[u8], mode: u32) {
        let mut file = File::create(path).expect("create");
        file.write_all(content).expect("write");
        file.set_permissions(std::fs::Permissions::from_mode(mode)).expect("mode");
    }

    /// Creates `path` and its parents.
    pub(in crate::config) fn make_folder(path: &Path) {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).expect("folder");
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = parse(text);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn reads_plain_exported_and_quoted_values() {
        check("A=1\nB = two \n", &[("A", "1"), ("B", "two")]);
        check("export A=1\nexport\tB=2\nexported=3", &[("A", "1"), ("B", "2"), ("exported", "3")]);
        check("export=x", &[("export", "x")]);
        check("A='a # \"b\" \\n'", &[("A", "a # \"b\" \\n")]);
        check(r#"A="x\n\"y\" \$ \\ \q" # note"#, &[("A", "x\n\"y\" $ \\ \\q")]);
        check("A=\nB=''\nC=\"\"", &[("A", ""), ("B", ""), ("C", "")]);
        check("A=b=c==", &[("A", "b=c==")]);
    }

    #[test]
    fn cuts_comments_only_after_a_blank() {
        check("A=b#c # d", &[("A", "b#c")]);
        check("A= # only", &[("A", "")]);
        check("#A=1\n  # B=2\n\n", &[]);
        check("A='x'#no", &[]);
    }

    #[test]
    fn skips_bad_lines_and_keeps_the_rest() {
        check("1A=x\nA-B=x\n=x\nword\nA=\"open\nB='open\nC=1", &[("C", "1")]);
        check("A=a\0b\nÄ=1\nB=ö", &[("B", "ö")]);
        check("\u{feff}A=1\r\nB=2\r\n", &[("A", "1"), ("B", "2")]);
        check("A=first\nA=second", &[("A", "first")]);
        check("A=\"tail\\", &[]);
    }

    proptest! {
        #[test]
        fn never_panics_and_only_yields_names(text in "(?s).{0,200}") {
            for (name, value) in parse(&text) {
                prop_assert!(text::is_variable_name(&name));
                prop_assert!(!value.contains('\0'));
            }
        }

        #[test]
        fn hostile_lines_never_panic(text in "[A='\"\\\\#$ \n\r\texpor\u{feff}é]{0,80}") {
            prop_assert!(parse(&text).len() <= text.lines().count());
        }

        #[test]
        fn a_quoted_value_comes_back(value in "[^\0\n\r\"\\\\]{0,40}") {
            let line = format!("KEY=\"{value}\"");
            prop_assert_eq!(parse(&line), vec![("KEY".to_owned(), value)]);
        }
    }

    #[test]
    fn only_a_private_regular_file_is_read() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join(".env");
        for (mode, readable) in [
            (0o600, true),
            (0o400, true),
            (0o640, false),
            (0o604, false),
            (0o620, false),
            (0o644, false),
        ] {
            put_file(&path, b"A=1", mode);
            assert_eq!(read_private(&path).is_some(), readable, "{mode:o}");
            // A read-only file could not be overwritten by the next round.
            put_mode(&path, 0o600);
        }
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).expect("symlink");
        assert_eq!(read_private(&link), None);
        assert_eq!(read_private(folder.path()), None);
        assert_eq!(read_private(&folder.path().join("absent")), None);
    }

    fn put_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("mode");
    }

    #[test]
    fn a_pipe_is_refused_without_waiting() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join(".env");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            Mode::from_raw_mode(0o600),
            0,
        )
        .expect("pipe");
        assert_eq!(read_private(&path), None);
    }

    #[test]
    fn size_and_encoding_are_checked() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join(".env");
        let largest = usize::try_from(MAX_BYTES).expect("fits") - 1;
        put_file(&path, &vec![b'#'; largest], 0o600);
        assert!(read_private(&path).is_some());
        put_file(&path, &vec![b'#'; largest + 1], 0o600);
        assert_eq!(read_private(&path), None);
        put_file(&path, b"A=\xff", 0o600);
        assert_eq!(read_private(&path), None);
    }
}
