//! F: what one durable append costs on the disk that the library lies on.

use std::{
    fs::File,
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

/// A file that is appended to and synced, 4 KiB a time.
pub(crate) struct Appender {
    file: File,
    block: [u8; 4_096],
}

impl Appender {
    /// A new file in `folder`.
    pub(crate) fn new(folder: &Path) -> Self {
        let file = File::create(folder.join("appended")).expect("a new file");
        Self { file, block: [b'x'; 4_096] }
    }

    /// How long one append with fdatasync takes now.
    pub(crate) fn append(&mut self) -> Duration {
        let start = Instant::now();
        self.file.write_all(&self.block).expect("an append");
        self.file.sync_data().expect("an fdatasync");
        start.elapsed()
    }
}
