//! The diagnostic log: `service.log`, rotated at 2 MiB into `.1` to `.4`, credentials redacted.
//!
//! Every line is redacted before it reaches the disk. A log that cannot be written is given up
//! silently: no request fails because of it.

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
};

use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::{
    base::{
        Hold as _, Moment,
        redact::{self, Secrets},
    },
    files::{Appender, DiskError, Files},
};

/// Size at which a log file is put aside, in bytes.
const FULL: u64 = 2 * 1024 * 1024;
/// Older log files that are kept.
const OLDER: u32 = 4;

/// The log of this process.
pub struct LogFile {
    files: Files,
    path: PathBuf,
    secrets: Secrets,
    open: Mutex<Open>,
}

struct Open {
    appender: Appender,
    bytes: u64,
}

impl LogFile {
    /// Opens the log; these secrets never reach it.
    ///
    /// # Errors
    /// When the file cannot be opened for appending.
    pub fn open(files: &Files, path: &Path, secrets: Secrets) -> Result<Self, DiskError> {
        let appender = files.append_or_create(path)?;
        let bytes = appender.len()?;
        let open = Mutex::new(Open { appender, bytes });
        Ok(Self { files: files.clone(), path: path.to_owned(), secrets, open })
    }

    /// Makes this the log of the process. Messages of other crates are left out. A second call changes nothing.
    pub fn install(self) {
        if log::set_boxed_logger(Box::new(self)).is_ok() {
            log::set_max_level(LevelFilter::Info);
        }
    }

    fn write(&self, line: &str) -> Result<(), DiskError> {
        let mut open = self.open.hold();
        if open.bytes + line.len() as u64 > FULL {
            self.rotate()?;
            *open = Open { appender: self.files.append_or_create(&self.path)?, bytes: 0 };
        }
        open.bytes += line.len() as u64;
        open.appender.append(line.as_bytes())
    }

    fn rotate(&self) -> Result<(), DiskError> {
        let older = |number: u32| PathBuf::from(format!("{}.{number}", self.path.display()));
        for number in (1..OLDER).rev() {
            if older(number).exists() {
                self.files.rename(&older(number), &older(number + 1))?;
            }
        }
        self.files.rename(&self.path, &older(1))
    }
}

impl Log for LogFile {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Info && metadata.target().starts_with(env!("CARGO_CRATE_NAME"))
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let message = redact::without_secrets(&record.args().to_string(), &self.secrets.all());
        // A message may repeat what a client sent: one line stays one line, and a terminal obeys none of it.
        let message = message.replace(char::is_control, " ");
        let time = Moment::now().local_iso();
        // There is no other place to complain to.
        drop(self.write(&format!("{time} {:5} {message}\n", record.level())));
    }

    fn flush(&self) {}
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lines_are_redacted_and_files_rotate() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("service.log");
        let secrets = Secrets::default();
        let log = LogFile::open(&Files::system(), &path, secrets.clone()).expect("open");
        secrets.add(["hunter2!".to_owned()]);
        let say = |text: &str| {
            log.log(
                &Record::builder()
                    .target(module_path!())
                    .level(Level::Info)
                    .args(format_args!("{text}"))
                    .build(),
            );
        };
        say("password is hunter2! really\nsecond\u{1b}line\0");
        let text = fs::read_to_string(&path).expect("a log");
        assert!(text.ends_with("INFO  password is [redacted] really second line \n"), "{text}");
        let filler = "x".repeat(512 * 1024);
        for _ in 0..24 {
            say(&filler);
        }
        let names = fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(names, 1 + OLDER as usize);
        assert!(fs::metadata(&path).expect("a log").len() <= FULL);
    }
}
