//! The primitive disk calls, as a trait: the system below, a failing one in tests.
//!
//! Nothing above this file calls the operating system to change the disk, so a test that fails the
//! n-th call of this trait has tried every way in which a disk can fail.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

use rustix::fs::{CWD, FlockOperation, RenameFlags};

/// The calls that reach the disk, one operating-system call each wherever that is possible.
pub trait Disk: Send + Sync {
    /// Creates a file that must not exist yet, readable by the owner only, open for appending.
    fn create_new(&self, path: &Path) -> io::Result<File>;
    /// Opens an existing file for reading and appending.
    fn open_append(&self, path: &Path) -> io::Result<File>;
    /// Opens a file for appending, made with owner-only permissions when it is missing.
    fn open_or_create(&self, path: &Path) -> io::Result<File>;
    /// Opens a file for reading.
    fn open_read(&self, path: &Path) -> io::Result<File>;
    /// Reads at the file's position; zero is the end.
    fn read(&self, file: &File, buffer: &mut [u8]) -> io::Result<usize>;
    /// Reads at an offset, wherever the position is; zero is the end.
    fn read_at(&self, file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
    /// Writes some of the bytes and returns how many.
    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<usize>;
    /// Makes the content durable.
    fn sync_data(&self, file: &File) -> io::Result<()>;
    /// Makes the content and the attributes durable.
    fn sync_all(&self, file: &File) -> io::Result<()>;
    /// Cuts a file to a length.
    fn truncate(&self, file: &File, len: u64) -> io::Result<()>;
    /// The attributes of an open file.
    fn stat_file(&self, file: &File) -> io::Result<Metadata>;
    /// The attributes behind a path; a symbolic link is not followed.
    fn stat(&self, path: &Path) -> io::Result<Metadata>;
    /// The names in a folder, in no order.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;
    /// Gives a file a new name, replacing what has that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a new name that nothing may have yet. Not every file system can.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name that nothing may have yet. Not every file system can.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Swaps two names in one step. Not every file system can.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
    /// Creates a folder that only the owner may enter.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Makes the names in a folder durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
    /// Sets the permission bits.
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()>;
    /// Takes an advisory lock without waiting; [`io::ErrorKind::WouldBlock`] when it is held.
    fn lock(&self, file: &File) -> io::Result<()>;
}

/// The disk of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDisk;

const OWNER_ONLY: u32 = 0o600;
const OWNER_ONLY_DIR: u32 = 0o700;
/// Opening a pipe or a device does not wait for its other side. Without a meaning for files.
const AT_ONCE: i32 = libc::O_NONBLOCK;

/// The bytes of an open file between two offsets; an error when it is shorter.
pub(super) fn read_range(disk: &dyn Disk, file: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(to.saturating_sub(from));
    let mut bytes = vec![0; length.map_err(|_| io::ErrorKind::FileTooLarge)?];
    let mut filled = 0;
    while filled < bytes.len() {
        match disk.read_at(file, &mut bytes[filled..], from + filled as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => filled += read?,
        }
    }
    Ok(bytes)
}

/// Opens a file for reading. Anything else is refused, and a pipe is not waited for.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true).custom_flags(AT_ONCE).open(path)?)
}

/// Refuses what is not a file: reading a pipe may never end.
fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
}

impl Disk for SystemDisk {
    fn create_new(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true).mode(OWNER_ONLY).open(path)
    }

    fn open_append(&self, path: &Path) -> io::Result<File> {
        regular(OpenOptions::new().read(true).append(true).custom_flags(AT_ONCE).open(path)?)
    }

    fn open_or_create(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true).mode(OWNER_ONLY).custom_flags(AT_ONCE);
        regular(options.open(path)?)
    }

    fn open_read(&self, path: &Path) -> io::Result<File> {
        open_regular(path)
    }

    fn read(&self, mut file: &File, buffer: &mut [u8]) -> io::Result<usize> {
        file.read(buffer)
    }

    fn read_at(&self, file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        file.read_at(buffer, offset)
    }

    fn write(&self, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    fn sync_data(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }

    fn truncate(&self, file: &File, len: u64) -> io::Result<()> {
        file.set_len(len)
    }

    fn stat_file(&self, file: &File) -> io::Result<Metadata> {
        file.metadata()
    }

    fn stat(&self, path: &Path) -> io::Result<Metadata> {
        fs::symlink_metadata(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the only module that writes")]
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        Ok(rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::hard_link(from, to)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        Ok(rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
    }

    #[expect(clippy::disallowed_methods, reason = "this is the only module that writes")]
    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::DirBuilder::new().mode(OWNER_ONLY_DIR).create(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }

    fn lock(&self, file: &File) -> io::Result<()> {
        Ok(rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive)?)
    }
}
