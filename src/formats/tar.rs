//! Tar archives of plain files, read strictly: what is more than a file or a folder is an error.
//!
//! Reads the classic header and its POSIX form. Refuses links, devices, names that lead elsewhere,
//! names or sizes in extended headers, and an archive that ends before its end mark.

/// Bytes of a block.
const BLOCK: usize = 512;
/// Bytes of the largest extended header.
const EXTENDED_BYTES: usize = 64 * 1024;

/// A member of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// Its path, relative, without `..`.
    pub path: &'a str,
    /// Its content; `None` of a folder.
    pub content: Option<&'a [u8]>,
}

/// Why bytes are no such archive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TarError {
    /// A header is damaged, or this is not an archive.
    #[error("a header is damaged")]
    Header,
    #[error("the archive ends too early")]
    Truncated,
    #[error("something stands behind the end of the archive")]
    Trailing,
    #[error("the archive holds too many members")]
    TooMany,
    #[error("the member {0:?} is a link")]
    Link(String),
    #[error("the member {0:?} is neither a file nor a folder")]
    Special(String),
    /// The name of a member leads out of the archive, or is not text.
    #[error("the name of the member {0:?} is not safe")]
    Name(String),
}

/// The members of an archive of at most `most` of them.
///
/// # Errors
/// [`TarError`].
pub fn read(bytes: &[u8], most: usize) -> Result<Vec<Member<'_>>, TarError> {
    let mut members = Vec::new();
    let mut headers = 0;
    let mut rest = bytes;
    loop {
        let (header, behind) = rest.split_at_checked(BLOCK).ok_or(TarError::Truncated)?;
        if header.iter().all(|byte| *byte == 0) {
            let is_padding = behind.iter().all(|byte| *byte == 0);
            return if is_padding { Ok(members) } else { Err(TarError::Trailing) };
        }
        headers += 1;
        if headers > most.saturating_mul(2) || members.len() >= most {
            return Err(TarError::TooMany);
        }
        check_sum(header)?;
        let size = octal(&header[124..136]).ok_or(TarError::Header)?;
        let size = usize::try_from(size).map_err(|_| TarError::Truncated)?;
        let padded = size.div_ceil(BLOCK).saturating_mul(BLOCK);
        let (content, behind) = behind.split_at_checked(padded).ok_or(TarError::Truncated)?;
        let content = &content[..size];
        rest = behind;
        let path = path(header)?;
        match header[156] {
            b'0' | 0 if !path.ends_with('/') => {
                members.push(Member { path, content: Some(content) });
            }
            b'5' | 0 if size == 0 => members.push(Member { path, content: None }),
            b'1' | b'2' => return Err(TarError::Link(path.to_owned())),
            b'x' | b'g' if is_harmless(content) => {}
            _ => return Err(TarError::Special(path.to_owned())),
        }
    }
}

/// Whether an extended header says nothing about names, sizes or links: times and the like.
fn is_harmless(content: &[u8]) -> bool {
    let lines = std::str::from_utf8(content).ok().filter(|text| text.len() <= EXTENDED_BYTES);
    let harmless = ["atime=", "ctime=", "mtime=", "uid=", "gid=", "uname=", "gname=", "comment="];
    lines.is_some_and(|text| {
        let mut records = text.split_terminator('\n');
        records.all(|record| {
            let field = record.split_once(' ').map_or("", |(_, field)| field);
            harmless.iter().any(|key| field.starts_with(key))
        })
    })
}

fn check_sum(header: &[u8]) -> Result<(), TarError> {
    let stored = octal(&header[148..156]).ok_or(TarError::Header)?;
    let blanked =
        |(at, byte): (usize, &u8)| u64::from(if (148..156).contains(&at) { b' ' } else { *byte });
    let sum: u64 = header.iter().enumerate().map(blanked).sum();
    if sum == stored { Ok(()) } else { Err(TarError::Header) }
}

/// An octal number that ends with a blank or a NUL.
fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    let is_octal = !text.is_empty() && text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    is_octal.then(|| u64::from_str_radix(text, 8).ok())?
}

/// The path of a header. One that is split over two fields is longer than any name that is wanted.
fn path(header: &[u8]) -> Result<&str, TarError> {
    let name = header[..100].split(|byte| *byte == 0).next().unwrap_or_default();
    let shown = || String::from_utf8_lossy(name).into_owned();
    let is_split = &header[257..263] == b"ustar\0" && header[345] != 0;
    let path = std::str::from_utf8(name).map_err(|_| TarError::Name(shown()))?;
    let is_safe = !path.is_empty()
        && !is_split
        && !path.starts_with('/')
        && !path.contains('\\')
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| part != "..");
    if is_safe { Ok(path) } else { Err(TarError::Name(shown())) }
}

/// Writes headers as the tests need them, good and bad.
#[cfg(test)]
pub(crate) mod make {
    use super::BLOCK;

    /// A member with any type; its sum is right.
    pub(crate) fn member(path: &str, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut header = [0_u8; BLOCK];
        header[..path.len()].copy_from_slice(path.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[136..148].copy_from_slice(b"00000000000\0");
        header[148..156].copy_from_slice(b"        ");
        header[156] = kind;
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        let mut bytes = header.to_vec();
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().div_ceil(BLOCK) * BLOCK, 0);
        bytes
    }

    /// Members with the end mark.
    pub(crate) fn archive(members: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = members.concat();
        bytes.resize(bytes.len() + 2 * BLOCK, 0);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{make::*, *};

    #[track_caller]
    fn refused(members: &[Vec<u8>], expected: TarError) {
        assert_eq!(read(&archive(members), 5), Err(expected));
    }

    #[test]
    fn files_and_folders_are_read() {
        let times = member("a/PaxHeaders/b", b'x', b"30 mtime=1700000000.123456789\n");
        let long = [7; 1_000];
        let bytes = archive(&[
            member("a/", b'5', b""),
            times,
            member("a/b", b'0', &long),
            member("c", 0, b""),
        ]);
        let members = read(&bytes, 5).expect("read");
        let shown: Vec<_> =
            members.iter().map(|each| (each.path, each.content.map(<[u8]>::len))).collect();
        assert_eq!(shown, [("a/", None), ("a/b", Some(1_000)), ("c", Some(0))]);
        assert_eq!(read(&archive(&[]), 5), Ok(Vec::new()));
    }

    #[test]
    fn what_is_more_than_files_is_refused() {
        refused(&[member("l", b'1', b"")], TarError::Link("l".to_owned()));
        refused(&[member("l", b'2', b"")], TarError::Link("l".to_owned()));
        for kind in [b'3', b'4', b'6', b'7', b'L', b'K', b'S', b'?'] {
            refused(&[member("s", kind, b"")], TarError::Special("s".to_owned()));
        }
        for record in ["20 path=../evil\n", "12 size=9\n", "22 linkpath=/etc/x\n", "x"] {
            let extended = member("x", b'x', record.as_bytes());
            refused(&[extended], TarError::Special("x".to_owned()));
        }
        for name in ["/etc/x", "../x", "a/../../x", "..", "a\\b", "a\u{1}b"] {
            refused(&[member(name, b'0', b"")], TarError::Name(name.to_owned()));
        }
        refused(&[member("", b'0', b"")], TarError::Name(String::new()));
        refused(&[member("folder/", b'0', b"x")], TarError::Special("folder/".to_owned()));
        refused(&vec![member("x", b'0', b""); 6], TarError::TooMany);
        let times = member("x", b'x', b"9 mtime=\n");
        refused(&vec![times; 11], TarError::TooMany);
        assert!(read(&archive(&vec![member("x", b'0', b""); 5]), 5).is_ok());
    }

    #[test]
    fn a_damaged_archive_is_refused() {
        let whole = archive(&[member("a", b'0', &[1; 600])]);
        for length in [0, 100, 512, 1_000, 1_536] {
            assert_eq!(read(&whole[..length], 5), Err(TarError::Truncated), "{length}");
        }
        let mut behind = whole.clone();
        behind.push(1);
        assert_eq!(read(&behind, 5), Err(TarError::Trailing));
        let mut split = member("a", b'0', b"");
        split[345] = b'p';
        assert_eq!(read(&split, 5), Err(TarError::Header), "the sum covers everything");
        let mut huge = member("a", b'0', b"");
        huge[124] = 0x80;
        assert_eq!(read(&huge, 5), Err(TarError::Header));
    }

    proptest! {
        #[test]
        fn no_bytes_stop_the_reading(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
            drop(read(&bytes, 10));
        }

        #[test]
        fn a_changed_byte_stops_nothing(at in 0_usize..2_048, byte in any::<u8>()) {
            let mut bytes = archive(&[member("a", b'0', b"x"), member("b", b'0', b"y")]);
            let at = at % bytes.len();
            bytes[at] = byte;
            drop(read(&bytes, 10));
        }
    }
}
