//! The folder of finished exports: names, listing, and how many are kept.
//!
//! A name is exactly one that this file gave; anything else in the folder is left alone.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Mutex,
};

use super::request::Format;
use crate::{
    base::{Hold as _, Moment, limits, schema::schema},
    files::{DiskError, Files},
};

const PREFIX: &str = "service-library-";
/// The end of the hidden name of an unfinished export.
const UNFINISHED: &str = ".partial";

/// The folder of exports. Finished files have names; unfinished ones are hidden.
pub struct ExportFolder {
    files: Files,
    path: PathBuf,
    /// Held while a file gets its name, so that two never get the same.
    naming: Mutex<()>,
}

schema! {
    /// One finished export.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ExportFile {
        /// The name of the file.
        pub name: String,
        /// Bytes.
        pub size: u64,
        /// When it was written, UTC with offset.
        pub created: String,
    }
}

/// A name in its parts; the order of the parts is the order of age.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name<'a> {
    stamp: &'a str,
    number: u32,
    format: &'static str,
}

/// Takes a name apart: `service-library-<YYYYMMDD-HHMMSS>[-n].json|csv`, n from 2.
fn parse(name: &str) -> Option<(Name<'_>, Format)> {
    let (stem, ending) = name.strip_prefix(PREFIX)?.split_once('.')?;
    let format = Format::of_ending(ending)?;
    let (stamp, rest) = stem.split_at_checked(15)?;
    let is_stamp = stamp.bytes().enumerate().all(|(at, byte)| match at {
        8 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let number = match rest.strip_prefix('-') {
        None if rest.is_empty() => 1,
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().ok().filter(|n| *n >= 2 && !digits.starts_with('0'))?
        }
        _ => return None,
    };
    is_stamp.then_some((Name { stamp, number, format: format.ending() }, format))
}

fn render(stamp: &str, number: u32, format: Format) -> String {
    let ending = format.ending();
    match number {
        1 => format!("{PREFIX}{stamp}.{ending}"),
        _ => format!("{PREFIX}{stamp}-{number}.{ending}"),
    }
}

impl ExportFolder {
    /// The folder at this path; it is made with the first export.
    pub fn new(files: Files, path: PathBuf) -> Self {
        Self { files, path, naming: Mutex::new(()) }
    }

    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// Finished exports, newest name first.
    ///
    /// # Errors
    /// When the folder cannot be read; a missing one holds nothing.
    pub fn list(&self) -> Result<Vec<ExportFile>, DiskError> {
        let mut listed = Vec::new();
        for name in self.names()? {
            let Some(stat) = self.files.stat(&self.path.join(&name))? else { continue };
            if !stat.is_file() {
                continue;
            }
            let created = stat.modified().map(Moment::from_system);
            let created = created.map(|moment| moment.utc_iso()).unwrap_or_default();
            listed.push(ExportFile { name, size: stat.len(), created });
        }
        Ok(listed)
    }

    /// Opens the finished export of this name; with its length in bytes and its format. `None` when
    /// the name is not one of an export or there is no such file.
    ///
    /// # Errors
    /// When the file cannot be examined.
    pub fn open(&self, name: &str) -> Result<Option<(File, u64, Format)>, DiskError> {
        let Some((path, format)) = self.find(name)? else { return Ok(None) };
        // A file that was removed meanwhile is as missing as one that never was.
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        Ok(opened.ok().map(|(len, file)| (file, len, format)))
    }

    pub(super) fn find(&self, name: &str) -> Result<Option<(PathBuf, Format)>, DiskError> {
        let Some((_, format)) = parse(name) else { return Ok(None) };
        let path = self.path.join(name);
        let is_file = self.files.stat(&path)?.is_some_and(|stat| stat.is_file());
        Ok(is_file.then_some((path, format)))
    }

    /// Where the unfinished export of a chain of jobs lies. Makes the folder.
    pub(super) fn unfinished(&self, root_job_id: &str) -> Result<PathBuf, DiskError> {
        self.files.private_dir(&self.path)?;
        Ok(self.unfinished_path(root_job_id))
    }

    /// Removes the unfinished export of a chain of jobs, if there is one.
    pub(super) fn discard(&self, root_job_id: &str) -> Result<(), DiskError> {
        self.files.remove(&self.unfinished_path(root_job_id))
    }

    /// Removes unfinished exports of chains that are not listed any more, for example because the
    /// list of jobs was lost.
    pub fn sweep(&self, is_listed: impl Fn(&str) -> bool) -> Result<(), DiskError> {
        for name in self.files.list(&self.path)? {
            let root = name.strip_prefix('.').and_then(|name| name.strip_suffix(UNFINISHED));
            let is_id = |id: &&str| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit());
            if let Some(root) = root.filter(is_id).filter(|root| !is_listed(root)) {
                self.discard(root)?;
            }
        }
        Ok(())
    }

    fn unfinished_path(&self, root_job_id: &str) -> PathBuf {
        self.path.join(format!(".{root_job_id}{UNFINISHED}"))
    }

    /// Gives a complete, durable file its name, and removes all but the newest ten.
    pub(super) fn finish(
        &self,
        unfinished: &Path,
        format: Format,
        now: &Moment,
    ) -> Result<String, DiskError> {
        let _naming = self.naming.hold();
        let stamp = now.utc_compact().replace('T', "-").replace('Z', "");
        // Numbers of one second only go up: one that has become free again would make the newest
        // export look like the oldest.
        let names = self.names()?;
        let taken = names.iter().filter_map(|name| parse(name)).map(|(name, _)| name);
        let last = taken.filter(|name| name.stamp == stamp).map(|name| name.number).max();
        let name = render(&stamp, last.map_or(1, |last| last.saturating_add(1)), format);
        self.files.rename(unfinished, &self.path.join(&name))?;
        for old in self.names()?.iter().skip(limits::EXPORTS) {
            if let Err(error) = self.files.remove(&self.path.join(old)) {
                log::warn!("an old export stays: {error}");
            }
        }
        Ok(name)
    }

    fn names(&self) -> Result<Vec<String>, DiskError> {
        let mut names = self.files.list(&self.path)?;
        names.retain(|name| parse(name).is_some());
        names.sort_by(|a, b| parse(b).map(|(name, _)| name).cmp(&parse(a).map(|(name, _)| name)));
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, ExportFolder) {
        let dir = tempfile::tempdir().expect("a folder");
        let folder = ExportFolder::new(Files::system(), dir.path().join("exports"));
        (dir, folder)
    }

    fn add(folder: &ExportFolder, format: Format, second: i64) -> String {
        let unfinished = folder.unfinished("ab").expect("a path");
        folder.files.replace(&unfinished, b"content").expect("written");
        folder.finish(&unfinished, format, &Moment::from_unix(second)).expect("finished")
    }

    #[test]
    fn only_names_given_here_are_names() {
        for good in [
            "service-library-20261121-180405.json",
            "service-library-20261121-180405-2.csv",
            "service-library-20261121-180405-10.csv",
            "service-library-20261121-180405.xml",
        ] {
            assert!(parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "service-library-20261121-180405",
            "service-library-20261121-180405.txt",
            "service-library-20261121-180405.json.json",
            "service-library-20261121-180405-.json",
            "service-library-20261121-180405-1.json",
            "service-library-20261121-180405-02.json",
            "service-library-20261121-180405-+2.json",
            "service-library-20261121180405-.json",
            "service-library-2026112a-180405.json",
            "../service-library-20261121-180405.json",
            "service-library-20261121-180405/.json",
            ".ab.partial",
        ] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn exports_of_one_second_have_different_names_and_the_newest_stands_first() {
        let (_dir, folder) = folder();
        assert!(folder.list().expect("a missing folder is empty").is_empty());
        let first = add(&folder, Format::Json, 0);
        assert_eq!(first, "service-library-19700101-000000.json");
        let names = [add(&folder, Format::Json, 0), add(&folder, Format::Csv, 5)];
        let listed: Vec<_> =
            folder.list().expect("listed").into_iter().map(|file| file.name).collect();
        assert_eq!(listed, [names[1].as_str(), &names[0], &first]);
        assert_eq!(names[0], "service-library-19700101-000000-2.json");
    }

    #[test]
    fn the_newest_ten_are_kept_and_foreign_files_stay() {
        let (_dir, folder) = folder();
        folder.files.private_dir(&folder.path).expect("made");
        folder.files.create(&folder.path.join("mine.json"), b"x").expect("created");
        for second in 0..12 {
            add(&folder, Format::Csv, second);
        }
        let listed = folder.list().expect("listed");
        assert_eq!(listed.len(), limits::EXPORTS);
        assert_eq!(listed[9].name, "service-library-19700101-000002.csv");
        assert!(folder.path.join("mine.json").exists());
    }

    #[test]
    fn many_exports_of_one_second_keep_the_newest() {
        let (_dir, folder) = folder();
        let mut names: Vec<_> = (0..15).map(|_| add(&folder, Format::Json, 0)).collect();
        names.drain(..5);
        names.reverse();
        let listed = folder.list().expect("listed").into_iter().map(|file| file.name);
        assert_eq!(listed.collect::<Vec<_>>(), names);
        assert_eq!(names[0], "service-library-19700101-000000-15.json");
    }

    #[test]
    fn unfinished_exports_of_forgotten_jobs_are_swept_and_nothing_else() {
        let (_dir, folder) = folder();
        let (kept, gone) = ("a".repeat(32), "b".repeat(32));
        let foreign = folder.path.join(".mine.partial");
        for path in [folder.unfinished(&kept), folder.unfinished(&gone), Ok(foreign)] {
            folder.files.replace(&path.expect("a path"), b"x").expect("written");
        }
        folder.sweep(|root| root == kept).expect("swept");
        let left = folder.files.list(&folder.path).expect("listed");
        assert_eq!(left, [format!(".{kept}.partial"), ".mine.partial".to_owned()]);
    }

    #[test]
    fn only_finished_files_of_the_folder_are_found() {
        let (dir, folder) = folder();
        let name = add(&folder, Format::Csv, 7);
        let (path, format) = folder.find(&name).expect("readable").expect("found");
        assert_eq!(
            (std::fs::read(path).expect("read"), format),
            (b"content".to_vec(), Format::Csv)
        );
        let link = "service-library-20200101-000000.csv";
        std::os::unix::fs::symlink("/etc/passwd", folder.path.join(link)).expect("linked");
        for other in [link, "service-library-20210101-000000.csv", "../x.csv", ""] {
            assert!(folder.find(other).expect("readable").is_none(), "{other}");
        }
        assert_eq!(folder.list().expect("listed").len(), 1, "a link is no export");
        drop(dir);
    }
}
