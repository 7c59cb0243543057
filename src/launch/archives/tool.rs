//! Other archives: a program on the search path lists and extracts them.
//!
//! Its listing is checked before it may extract, and its output is checked afterwards: the tool is not trusted.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    error::ArchiveError,
    members::{self, Member},
};
use crate::{
    base::{limits, text},
    process::{Spec, capture, search},
};

/// The names of the program, in the order in which they are searched.
const NAMES: [&str; 2] = ["7z", "7zz"];
const LISTING: capture::Limits =
    capture::Limits { timeout: Duration::from_mins(1), output_bytes: 16 << 20 };
const EXTRACTING: capture::Limits =
    capture::Limits { timeout: Duration::from_mins(5), output_bytes: 16 << 20 };

/// The program that was found.
pub(super) struct Tool(PathBuf);

impl Tool {
    /// # Errors
    /// [`ArchiveError::NoTool`].
    pub(super) fn find() -> Result<Self, ArchiveError> {
        NAMES.iter().find_map(|name| search::on_path(name)).map(Self).ok_or(ArchiveError::NoTool)
    }

    /// The members of an archive, checked.
    ///
    /// # Errors
    /// The first rule that is broken, or the message of the program.
    pub(super) fn list(&self, archive: &Path) -> Result<Vec<Member>, ArchiveError> {
        let said = self.run(["l", "-slt"].map(OsStr::new), archive, None, &LISTING)?;
        let members = parse(&String::from_utf8(said).map_err(|_| ArchiveError::UnsafeName)?)?;
        members::check(&members)?;
        Ok(members)
    }

    /// Extracts an archive, or one file of it, into an empty folder of this program and returns what is there
    /// afterwards, checked.
    ///
    /// # Errors
    /// The first rule that is broken, or the message of the program.
    pub(super) fn extract(
        &self,
        archive: &Path,
        name: Option<&str>,
        into: &Path,
    ) -> Result<Vec<Member>, ArchiveError> {
        let mut folder = OsString::from("-o");
        folder.push(into);
        let words = ["x", "-y", "-bd", "-snl-", "-snh-"].map(OsStr::new);
        let words = words.into_iter().chain([folder.as_os_str()]);
        self.run(words, archive, name, &EXTRACTING)?;
        let mut found = Vec::new();
        walk(into, "", &mut found)?;
        members::check(&found)?;
        Ok(found)
    }

    fn run<'a>(
        &'a self,
        words: impl IntoIterator<Item = &'a OsStr>,
        archive: &'a Path,
        name: Option<&'a str>,
        limits: &capture::Limits,
    ) -> Result<Vec<u8>, ArchiveError> {
        let argv = [self.0.as_os_str()].into_iter().chain(words);
        let argv = argv.chain([OsStr::new("--"), archive.as_os_str()]);
        let spec = Spec::new(argv.chain(name.map(OsStr::new)));
        let captured = capture::run(&spec, limits)
            .map_err(|error| ArchiveError::ToolFailed(error.to_string()))?;
        if captured.code != 0 {
            let said = String::from_utf8_lossy(&captured.stderr).into_owned();
            let said = format!("exit code {}: {}", captured.code, text::cut(said.trim(), 300));
            return Err(ArchiveError::ToolFailed(said));
        }
        Ok(captured.stdout)
    }
}

/// Reads a technical listing: blocks of `Key = value` behind a line of dashes.
fn parse(listing: &str) -> Result<Vec<Member>, ArchiveError> {
    let mut lines = listing.lines().skip_while(|line| !line.starts_with("----------"));
    lines.next().ok_or(ArchiveError::Unreadable)?;
    let mut members: Vec<Member> = Vec::new();
    for line in lines {
        let Some((key, value)) =
            line.split_once(" = ").or(line.strip_suffix(" =").map(|key| (key, "")))
        else {
            continue;
        };
        if key == "Path" {
            members.push(Member { name: members::plain(value).to_owned(), size: 0, mode: 0 });
            continue;
        }
        let Some(member) = members.last_mut() else { continue };
        match key {
            "Size" if !value.is_empty() => {
                member.size = value.parse().map_err(|_| ArchiveError::Unreadable)?;
            }
            "Encrypted" if value == "+" => return Err(ArchiveError::Encrypted),
            "Symbolic Link" | "Hard Link" if !value.is_empty() => {
                return Err(ArchiveError::NotAFile);
            }
            "Folder" if value == "+" => mark_folder(member),
            "Attributes" => read_attributes(member, value)?,
            _ => {}
        }
    }
    Ok(members)
}

/// `D_ drwxr-xr-x`: DOS letters, and behind a blank what a Unix system adds.
fn read_attributes(member: &mut Member, value: &str) -> Result<(), ArchiveError> {
    let (dos, unix) = value.split_once(' ').unwrap_or((value, ""));
    match unix.chars().next() {
        None | Some('-') => {}
        Some('d') => mark_folder(member),
        Some(_) => return Err(ArchiveError::NotAFile),
    }
    if dos.starts_with('D') {
        mark_folder(member);
    }
    Ok(())
}

fn mark_folder(member: &mut Member) {
    if !member.is_folder() {
        member.name.push('/');
    }
}

/// Everything below a folder, links not followed.
fn walk(folder: &Path, prefix: &str, found: &mut Vec<Member>) -> Result<(), ArchiveError> {
    for entry in fs::read_dir(folder).map_err(|_| ArchiveError::Unreadable)? {
        let entry = entry.map_err(|_| ArchiveError::Unreadable)?;
        let name = entry.file_name().into_string().map_err(|_| ArchiveError::UnsafeName)?;
        let stat = fs::symlink_metadata(entry.path()).map_err(|_| ArchiveError::Unreadable)?;
        let mode = stat.permissions().mode();
        let name = format!("{prefix}{name}");
        if stat.is_dir() {
            let below = format!("{name}/");
            found.push(Member { name: below.clone(), size: 0, mode });
            walk(&entry.path(), &below, found)?;
        } else {
            // A second name of a file elsewhere would let a game write there.
            if stat.nlink() != 1 {
                return Err(ArchiveError::NotAFile);
            }
            found.push(Member { name, size: stat.len(), mode });
        }
        if found.len() > limits::ARCHIVE_MEMBERS {
            return Err(ArchiveError::TooMany);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &str =
        "7-Zip\n\nListing archive: a.7z\n\n--\nPath = a.7z\nType = 7z\n\n----------\n";

    #[track_caller]
    fn check(blocks: &str, expected: Result<&[(&str, u64)], &str>) {
        let found = parse(&format!("{HEAD}{blocks}")).map_err(|error| error.to_string());
        let found = found.map(|members| {
            members.into_iter().map(|member| (member.name, member.size)).collect::<Vec<_>>()
        });
        let expected = expected
            .map(|list| list.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect())
            .map_err(str::to_owned);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_listing_is_read() {
        check(
            "Path = dir\nFolder = +\nSize = 0\nAttributes = D_ drwxr-xr-x\n\n\
             Path = dir/a = b.bin\nFolder = -\nSize = 12\nAttributes = A_ -rw-r--r--\n\n\
             Path = old\nSize = \nAttributes = D\n",
            Ok(&[("dir/", 0), ("dir/a = b.bin", 12), ("old/", 0)]),
        );
        check("", Ok(&[]));
        let links = Err("The archive contains links or special files.");
        check("Path = a\nAttributes = A_ lrwxrwxrwx\n", links);
        check("Path = a\nSymbolic Link = /etc/passwd\n", links);
        check("Path = a\nSize = 1\nEncrypted = +\n", Err("The archive is encrypted."));
        check("Path = a\nSize = many\n", Err("The archive could not be read."));
        let unread = parse("Error: not an archive\n").map_err(|error| error.to_string());
        assert_eq!(unread, Err("The archive could not be read.".to_owned()));
    }

    proptest! {
        #[test]
        fn no_listing_is_too_odd(text in "(?s).{0,400}") {
            // OK because only a panic would matter.
            drop(parse(&format!("{HEAD}{text}")));
        }
    }
}
