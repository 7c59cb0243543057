//! The end of a log that another program is writing.

use std::path::Path;

use super::{error::DiskError, writer::Files};

/// The last `limit` bytes of a log at most, from the start of a line on. `older` is the file that
/// was put aside last; it is read when the newest one is short. Files that are not there are
/// empty.
///
/// # Errors
/// When a file that is there cannot be read.
pub fn read(
    files: &Files,
    newest: &Path,
    older: &Path,
    limit: usize,
) -> Result<Vec<u8>, DiskError> {
    let mut end = last(files, newest, limit)?;
    if end.len() < limit {
        let mut before = last(files, older, limit - end.len())?;
        before.append(&mut end);
        end = before;
    }
    if end.len() == limit {
        let line = end.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        end.drain(..line);
    }
    Ok(end)
}

fn last(files: &Files, path: &Path, limit: usize) -> Result<Vec<u8>, DiskError> {
    let Some(about) = files.stat(path)? else { return Ok(Vec::new()) };
    let size = about.len();
    files.read_range(path, size.saturating_sub(limit as u64), size)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn ends_are_put_together_and_start_with_a_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let (newest, older) = (folder.path().join("log"), folder.path().join("log.1"));
        let files = Files::system();
        let check = |limit: usize, expected: &str| {
            let end = read(&files, &newest, &older, limit).expect("read");
            assert_eq!(String::from_utf8(end).expect("text"), expected, "{limit}");
        };
        check(10, "");
        fs::write(&newest, "one\ntwo\n").expect("written");
        check(100, "one\ntwo\n");
        check(6, "two\n");
        fs::write(&older, "zero\nhalf\n").expect("written");
        check(100, "zero\nhalf\none\ntwo\n");
        check(16, "half\none\ntwo\n");
    }
}
