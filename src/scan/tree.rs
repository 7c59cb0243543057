//! The file system as an import sees it.
//!
//! The trait is the list of everything that costs a system call: one listing a folder, one look
//! behind each symbolic link with a known extension, one look at the size of each file that
//! competes with another, one short read of each sheet, two of each disc image whose platform neither
//! folder nor extension tell, one of each program of the PSP. Any other file costs none.

use std::{
    ffi::OsString,
    fs,
    io::{self, Read as _, Seek as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// What a folder says about one of its entries, without a `stat` of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link to anything.
    Link,
    /// A pipe, socket or device.
    Other,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name as the disk has it, any bytes.
    pub name: OsString,
    /// Its kind.
    pub kind: EntryKind,
}

/// One folder read to its end.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The entries in the order of the disk.
    pub entries: Vec<Entry>,
    /// Entries that could not be read.
    pub unreadable: usize,
}

/// A file system to import from.
pub trait Tree {
    /// The entries of a folder.
    fn list(&self, folder: &Path) -> io::Result<Listing>;
    /// Whether a symbolic link leads to a regular file.
    fn leads_to_file(&self, link: &Path) -> bool;
    /// The size in bytes of the regular file at `path`, links followed.
    fn size(&self, path: &Path) -> io::Result<u64>;
    /// Up to `limit` bytes of a file from a position.
    fn read_part(&self, path: &Path, position: u64, limit: u64) -> io::Result<Vec<u8>>;
    /// The first `limit` bytes of a file.
    fn read_start(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.read_part(path, 0, limit)
    }
}

/// The real file system.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Tree for Disk {
    fn list(&self, folder: &Path) -> io::Result<Listing> {
        let mut listing = Listing::default();
        for entry in fs::read_dir(folder)? {
            // The type comes with the directory entry; only file systems that do not store it
            // there make the standard library look again.
            match entry.and_then(|entry| Ok((entry.file_type()?, entry.file_name()))) {
                Ok((kind, name)) => {
                    let kind = if kind.is_file() {
                        EntryKind::File
                    } else if kind.is_dir() {
                        EntryKind::Folder
                    } else if kind.is_symlink() {
                        EntryKind::Link
                    } else {
                        EntryKind::Other
                    };
                    listing.entries.push(Entry { name, kind });
                }
                Err(_) => listing.unreadable += 1,
            }
        }
        Ok(listing)
    }

    fn leads_to_file(&self, link: &Path) -> bool {
        fs::metadata(link).is_ok_and(|target| target.is_file())
    }

    fn size(&self, path: &Path) -> io::Result<u64> {
        Ok(fs::metadata(path)?.len())
    }

    fn read_part(&self, path: &Path, position: u64, limit: u64) -> io::Result<Vec<u8>> {
        // Without the flag the name of a pipe would block the import until a writer opens it.
        let mut file = fs::File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
        if position > 0 {
            file.seek(io::SeekFrom::Start(position))?;
        }
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
pub(crate) mod memory {
    //! A file system in memory that counts what it is asked.

    use std::{cell::Cell, collections::BTreeMap, os::unix::ffi::OsStrExt as _, path::PathBuf};

    use super::*;

    /// Files by absolute path; folders exist when something lies in them.
    #[derive(Default)]
    pub(crate) struct MemoryTree {
        files: BTreeMap<PathBuf, (EntryKind, Vec<u8>, u64)>,
        pub(crate) listings: Cell<usize>,
        pub(crate) looks: Cell<usize>,
        pub(crate) reads: Cell<usize>,
    }

    impl MemoryTree {
        pub(crate) fn with<P: AsRef<Path>>(paths: &[P]) -> Self {
            let mut tree = Self::default();
            for path in paths {
                tree.put(path, b"");
            }
            tree
        }

        pub(crate) fn put(&mut self, path: impl AsRef<Path>, content: &[u8]) {
            let size = content.len() as u64;
            self.put_kind(path, EntryKind::File, content, size);
        }

        pub(crate) fn put_sized(&mut self, path: impl AsRef<Path>, size: u64) {
            self.put_kind(path, EntryKind::File, b"", size);
        }

        pub(crate) fn put_kind(
            &mut self,
            path: impl AsRef<Path>,
            kind: EntryKind,
            content: &[u8],
            size: u64,
        ) {
            self.files.insert(path.as_ref().to_owned(), (kind, content.to_owned(), size));
        }
    }

    impl Tree for MemoryTree {
        fn list(&self, folder: &Path) -> io::Result<Listing> {
            self.listings.set(self.listings.get() + 1);
            let mut found: BTreeMap<OsString, EntryKind> = BTreeMap::new();
            for (path, (kind, ..)) in &self.files {
                let Ok(rest) = path.strip_prefix(folder) else { continue };
                let mut parts = rest.components();
                let Some(first) = parts.next() else { continue };
                let kind = if parts.next().is_some() { EntryKind::Folder } else { *kind };
                found.insert(first.as_os_str().to_owned(), kind);
            }
            let entries = found.into_iter().map(|(name, kind)| Entry { name, kind }).collect();
            Ok(Listing { entries, unreadable: 0 })
        }

        fn leads_to_file(&self, link: &Path) -> bool {
            self.looks.set(self.looks.get() + 1);
            !link.as_os_str().as_bytes().ends_with(b"dangling.nes")
        }

        fn size(&self, path: &Path) -> io::Result<u64> {
            self.looks.set(self.looks.get() + 1);
            self.files.get(path).map(|(_, _, size)| *size).ok_or(io::ErrorKind::NotFound.into())
        }

        fn read_part(&self, path: &Path, position: u64, limit: u64) -> io::Result<Vec<u8>> {
            self.reads.set(self.reads.get() + 1);
            let (_, content, _) = self.files.get(path).ok_or(io::ErrorKind::NotFound)?;
            let at = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX).min(content.len());
            Ok(content[at(position)..at(position.saturating_add(limit))].to_owned())
        }
    }
}
