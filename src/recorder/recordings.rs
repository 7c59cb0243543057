//! Where recordings lie, the newest one, and whether the recorder runs.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde_json::{Map, Value};

use super::Recorder;
use crate::{
    base::{clock, schema::schema},
    config::settings::read,
    files::{confine, source},
    formats::ini,
    process::{Limits, Spec, capture, search},
};

/// The folder of profiles below the configuration, and below the data of the sandboxed package.
const PROFILES: &str = "obs-studio/basic/profiles";
const PACKAGED: &str = ".var/app/com.obsproject.Studio/config";
/// Sections and keys of a profile that name the folder, in their order.
const PLACES: [(&str, &str); 4] = [
    ("SimpleOutput", "filepath"),
    ("AdvOut", "filepath"),
    ("SimpleOutput", "recfilepath"),
    ("AdvOut", "recfilepath"),
];
/// The folder without a profile, below the home folder.
const VIDEOS: &str = "Videos";
/// Extensions of recordings.
const ENDINGS: [&str; 5] = ["mp4", "mkv", "mov", "flv", "webm"];
/// Extensions of files that a replay buffer may save.
const SAVED: [&str; 11] =
    ["avi", "flv", "m4v", "mkv", "mov", "mp4", "mpeg", "webm", "png", "jpg", "jpeg"];
/// Bytes of the largest saved file that is copied.
pub const SAVED_BYTES: u64 = 2 << 30;
/// Bytes of the largest profile.
const PROFILE_BYTES: u64 = 1 << 20;
/// A recording that changed within this time is being written.
const RECENT: Duration = Duration::from_mins(2);
/// Bounds of a search.
const DEPTH: usize = 8;
const ENTRIES: usize = 20_000;

schema! {
    /// `GET /api/recorder/status`.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct RecorderStatus {
        /// Where recordings lie.
        directory: String,
        /// The recording that changed last.
        latest_recording: Option<String>,
        /// Whether one is being written.
        recording: bool,
        /// Whether the recorder runs.
        running: bool,
    }
}

/// A recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub path: PathBuf,
    pub modified: SystemTime,
}

impl Recorder {
    /// Whether the recorder runs, and what it wrote. Asks the disk and a program.
    pub fn status(&self, settings: &Map<String, Value>) -> RecorderStatus {
        let directory = self.directory(settings);
        let latest = newest(&directory);
        let running = search::on_path("obs").is_some() && is_running();
        let is_recent =
            latest.as_ref().is_some_and(|latest| clock::age_of(latest.modified) <= RECENT);
        RecorderStatus {
            directory: directory.to_string_lossy().into_owned(),
            latest_recording: latest.map(|latest| latest.path.to_string_lossy().into_owned()),
            recording: running && is_recent,
            running,
        }
    }

    /// Where recordings lie: the folder of the settings, that of the newest profile, else the videos of
    /// the user.
    pub fn directory(&self, settings: &Map<String, Value>) -> PathBuf {
        let set = read::text(settings, "recorder_recording_path");
        if !set.is_empty() {
            return PathBuf::from(set);
        }
        let folders = [self.config_home.join(PROFILES), self.home.join(PACKAGED).join(PROFILES)];
        let named = folders.iter().find_map(|folder| self.of_profiles(folder));
        named.unwrap_or_else(|| self.home.join(VIDEOS))
    }

    /// The newest recording that changed at a time or later.
    pub fn newest_since(
        &self,
        settings: &Map<String, Value>,
        since: SystemTime,
    ) -> Option<PathBuf> {
        let newest = newest(&self.directory(settings))?;
        (newest.modified >= since).then_some(newest.path)
    }

    /// A file that the recorder reported as saved, when it may be copied: a film or picture of a bounded size
    /// in the folder of recordings, reached without a link.
    pub fn accepts(&self, settings: &Map<String, Value>, path: &Path) -> bool {
        let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
        let is_known = end.is_some_and(|end| SAVED.contains(&end.as_str()) || end == "webp");
        let is_inside = confine::is_strictly_inside(&self.directory(settings), path);
        let is_direct = || confine::refuse_link_on_the_way(path).is_ok();
        let is_file = || {
            fs::symlink_metadata(path)
                .is_ok_and(|found| found.is_file() && found.len() <= SAVED_BYTES)
        };
        is_known && is_inside && is_direct() && is_file()
    }

    /// The folder that is named by the last profile in order; `None` when no profile names one.
    fn of_profiles(&self, folder: &Path) -> Option<PathBuf> {
        let entries = fs::read_dir(folder).ok()?.take(ENTRIES).filter_map(Result::ok);
        let mut profiles: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        profiles.sort_unstable();
        profiles.iter().rev().find_map(|profile| self.of_profile(&profile.join("basic.ini")))
    }

    fn of_profile(&self, path: &Path) -> Option<PathBuf> {
        let mut bytes = Vec::new();
        let file = source::open_regular(path).ok()?;
        file.take(PROFILE_BYTES).read_to_end(&mut bytes).ok()?;
        let sections = ini::parse(&bytes);
        let value = |(section, key): &(&str, &str)| {
            let found = sections.iter().find(|each| each.name == *section)?;
            Some(found.value(key).trim().to_owned()).filter(|value| !value.is_empty())
        };
        let named = PLACES.iter().find_map(value)?;
        let path = match named.strip_prefix("~/") {
            Some(below) => self.home.join(below),
            None => PathBuf::from(named),
        };
        path.is_absolute().then_some(path)
    }
}

/// The recording below a folder that changed last. Links are not followed.
fn newest(folder: &Path) -> Option<Recording> {
    let mut newest: Option<Recording> = None;
    let mut open = vec![(folder.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            seen += 1;
            if seen > ENTRIES {
                return newest;
            }
            let path = entry.path();
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if found.is_dir() && depth < DEPTH {
                open.push((path, depth + 1));
                continue;
            }
            let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
            let is_recording = end.is_some_and(|end| ENDINGS.contains(&end.as_str()));
            let Some(modified) = found.modified().ok().filter(|_| found.is_file() && is_recording)
            else {
                continue;
            };
            let is_newer = newest
                .as_ref()
                .is_none_or(|newest| (newest.modified, &newest.path) < (modified, &path));
            if is_newer {
                newest = Some(Recording { path, modified });
            }
        }
    }
    newest
}

/// Whether a process of the recorder runs.
fn is_running() -> bool {
    let Some(tool) = search::on_path("pgrep") else { return false };
    let spec = Spec::new([tool.as_os_str(), "-x".as_ref(), "obs".as_ref()]);
    let limits = Limits { timeout: Duration::from_secs(5), ..Limits::default() };
    capture::run(&spec, &limits).is_ok_and(|done| done.code == 0)
}
