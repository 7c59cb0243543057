//! A disk that fails on purpose, counts its calls, and can be stopped at a call.
//!
//! Syncs are counted and may fail, but are not carried out: no test here can cut the power.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{File, Metadata},
    io,
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::disk::{Disk, SystemDisk};

use crate::base::Hold as _;

/// How the chosen call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// This call answers an input/output error; later ones work.
    Once,
    /// This call and all later ones answer that the disk is full.
    ForEver,
    /// This write, counting writes only, fails with half its bytes on the disk.
    Torn,
}

/// What is done at a call of one kind before it is carried out.
type Stop = Box<dyn Fn() + Send + Sync>;

/// The system's disk with one planned failure.
pub(crate) struct FailingDisk {
    fail_at: u64,
    fault: Fault,
    armed: AtomicBool,
    failed: AtomicBool,
    without_exchange: AtomicBool,
    calls: AtomicU64,
    bytes: AtomicU64,
    counts: Mutex<BTreeMap<&'static str, u64>>,
    stop: Mutex<Option<(&'static str, std::sync::Arc<Stop>)>>,
}

impl FailingDisk {
    /// The `fail_at`-th call, counted from one, fails; zero never does.
    pub(crate) fn new(fail_at: u64, fault: Fault) -> Self {
        Self {
            fail_at,
            fault,
            armed: AtomicBool::new(true),
            failed: AtomicBool::new(false),
            without_exchange: AtomicBool::new(false),
            calls: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            counts: Mutex::default(),
            stop: Mutex::default(),
        }
    }

    /// Starts or stops counting towards the planned failure.
    pub(crate) fn arm(&self, armed: bool) {
        self.armed.store(armed, Ordering::SeqCst);
    }

    /// Behaves like a file system that cannot swap names.
    pub(crate) fn forbid_exchange(&self) {
        self.without_exchange.store(true, Ordering::SeqCst);
    }

    /// Runs `stop` before every call of this kind; it may block.
    pub(crate) fn stop_at(&self, call: &'static str, stop: impl Fn() + Send + Sync + 'static) {
        let stop: Stop = Box::new(stop);
        *self.stop.hold() = Some((call, std::sync::Arc::new(stop)));
    }

    /// Whether the planned failure has happened.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::SeqCst)
    }

    /// Whether the planned failure lasts.
    pub(crate) fn fails_for_ever(&self) -> bool {
        self.fault == Fault::ForEver
    }

    /// How often a kind of call was made.
    pub(crate) fn count(&self, call: &str) -> u64 {
        let counts = self.counts.hold();
        counts.get(call).copied().unwrap_or(0)
    }

    /// Bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }

    fn step(&self, call: &'static str) -> io::Result<()> {
        let mut counts = self.counts.hold();
        *counts.entry(call).or_default() += 1;
        drop(counts);
        let stop = self.stop.hold().clone();
        if let Some((_, stop)) = stop.filter(|(at, _)| *at == call) {
            stop();
        }
        let counted = self.fault != Fault::Torn || call == "write";
        if !counted || !self.armed.load(Ordering::SeqCst) {
            return Ok(());
        }
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let hit = match self.fault {
            Fault::ForEver => self.fail_at != 0 && number >= self.fail_at,
            Fault::Once | Fault::Torn => number == self.fail_at,
        };
        if !hit {
            return Ok(());
        }
        self.failed.store(true, Ordering::SeqCst);
        let errno = if self.fault == Fault::ForEver { libc::ENOSPC } else { libc::EIO };
        Err(io::Error::from_raw_os_error(errno))
    }
}

macro_rules! pass_on {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)+) => {
        $(fn $name(&self, $($argument: $kind),*) -> io::Result<$result> {
            self.step(stringify!($name))?;
            SystemDisk.$name($($argument),*)
        })+
    };
}

impl Disk for FailingDisk {
    pass_on! {
        create_new(path: &Path) -> File;
        open_append(path: &Path) -> File;
        open_or_create(path: &Path) -> File;
        open_read(path: &Path) -> File;
        read(file: &File, buffer: &mut [u8]) -> usize;
        read_at(file: &File, buffer: &mut [u8], offset: u64) -> usize;
        truncate(file: &File, len: u64) -> ();
        stat_file(file: &File) -> Metadata;
        stat(path: &Path) -> Metadata;
        list(path: &Path) -> Vec<OsString>;
        rename(from: &Path, to: &Path) -> ();
        rename_new(from: &Path, to: &Path) -> ();
        link(from: &Path, to: &Path) -> ();
        remove(path: &Path) -> ();
        remove_dir(path: &Path) -> ();
        create_dir(path: &Path) -> ();
        set_mode(path: &Path, mode: u32) -> ();
        lock(file: &File) -> ();
    }

    fn sync_data(&self, _file: &File) -> io::Result<()> {
        self.step("sync_data")
    }

    fn sync_all(&self, _file: &File) -> io::Result<()> {
        self.step("sync_all")
    }

    fn sync_dir(&self, _path: &Path) -> io::Result<()> {
        self.step("sync_dir")
    }

    fn write(&self, file: &File, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = self.step("write") {
            if self.fault == Fault::Torn {
                SystemDisk.write(file, &bytes[..bytes.len() / 2])?;
            }
            return Err(error);
        }
        let written = SystemDisk.write(file, bytes)?;
        self.bytes.fetch_add(written as u64, Ordering::SeqCst);
        Ok(written)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.step("exchange")?;
        if self.without_exchange.load(Ordering::SeqCst) {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        SystemDisk.exchange(one, other)
    }
}
