//! Emulators as AppImages: one file each, which the user keeps in a folder that is on no search path.
//!
//! A file belongs to an emulator when its name begins with that of the emulator or its program, or fits a
//! pattern of its definition. Of several the newest version counts.

use std::{
    cmp::Reverse,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use crate::{
    base::Hold as _,
    model::emulators::{App, Catalog},
    process::search,
};

/// Where people keep such files, below the home folder.
const FOLDERS: [&str; 6] =
    ["Applications", "AppImages", ".local/bin", "bin", "Emulators", "Emulation/tools"];
const ENDING: &str = ".appimage";
/// Suffixes of the names of programs that their files leave out.
const TAILS: [&str; 4] = ["-qt", "-gtk", "-sdl", "-emu"];
/// Words in names of files that name a machine, those of each with its name.
const MACHINES: [(&str, &[&str]); 2] =
    [("x86_64", &["x86-64", "amd64", "x64", "linux64"]), ("aarch64", &["aarch64", "arm64"])];
/// How long the folders are taken to be as they were.
const BELIEF: Duration = Duration::from_secs(2);
/// The most files of one folder that are read.
const FILES: usize = 10_000;

/// The AppImages of the user. Reads nothing before it is asked.
pub struct AppImages {
    home: PathBuf,
    known: Mutex<Option<Known>>,
}

/// The files at one moment.
struct Known {
    looked: Instant,
    /// When each folder changed last, in nanoseconds; `None` for one that is not there.
    changes: [Option<i128>; FOLDERS.len()],
    files: Arc<[PathBuf]>,
}

impl AppImages {
    /// Those below this home folder.
    pub fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), known: Mutex::default() }
    }

    /// The file of an emulator that starts, the newest when there are several. `catalog` has all
    /// emulators: a file belongs to the one whose name it has in full.
    pub fn find(&self, app: &App, catalog: &Catalog) -> Option<PathBuf> {
        let files = self.files();
        let own = files.iter().filter(|file| belongs(file, app, catalog));
        let fit = own.filter(|file| runs_here(&stem(file)) && search::is_executable(file));
        fit.max_by_key(|file| age_key(file, app)).cloned()
    }

    /// The files in all folders; read again when one of those has changed.
    fn files(&self) -> Arc<[PathBuf]> {
        let mut known = self.known.hold();
        if let Some(known) = known.as_ref().filter(|known| known.looked.elapsed() < BELIEF) {
            return Arc::clone(&known.files);
        }
        let folders = FOLDERS.map(|folder| self.home.join(folder));
        let changes = folders.each_ref().map(|folder| changed(folder));
        let same = known.take().filter(|known| known.changes == changes);
        let files = same.map_or_else(|| list(&folders).into(), |known| known.files);
        *known = Some(Known { looked: Instant::now(), changes, files: Arc::clone(&files) });
        files
    }
}

fn changed(path: &Path) -> Option<i128> {
    let stat = fs::metadata(path).ok()?;
    Some(i128::from(stat.mtime()) * 1_000_000_000 + i128::from(stat.mtime_nsec()))
}

fn list(folders: &[PathBuf]) -> Vec<PathBuf> {
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok());
    let paths = entries.flat_map(|entries| entries.take(FILES).flatten().map(|it| it.path()));
    let mut files: Vec<PathBuf> = paths.filter(|path| name(path).ends_with(ENDING)).collect();
    files.sort_unstable();
    files
}

/// The name of a file in lower case.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// The name of an AppImage without its extension, words separated by hyphens.
fn stem(path: &Path) -> String {
    name(path).trim_end_matches(ENDING).replace(['_', ' '], "-")
}

/// Whether a file is an AppImage of an emulator, by its name.
pub fn belongs(file: &Path, app: &App, catalog: &Catalog) -> bool {
    let own = name(file);
    if !own.ends_with(ENDING) {
        return false;
    }
    if patterns(app).any(|pattern| fits(&pattern, &own)) {
        return true;
    }
    let stem = stem(file);
    let Some(length) = longest(&stem, app) else { return false };
    let is_closer = |other: &Arc<App>| {
        other.id != app.id && longest(&stem, other).is_some_and(|longer| longer > length)
    };
    !catalog.all().any(|definition| is_closer(&definition.app))
}

/// The patterns of an emulator's definition that mean such files.
fn patterns(app: &App) -> impl Iterator<Item = String> {
    let patterns = app.patterns.iter().map(|pattern| pattern.to_lowercase());
    patterns.filter(|pattern| pattern.contains(['*', '?']) || pattern.ends_with(ENDING))
}

/// The names of an emulator at the beginning of a file's.
fn names(app: &App) -> impl Iterator<Item = String> {
    let programs = std::iter::once(&app.executable).chain(&app.patterns);
    let all = [&app.name].into_iter().chain(programs);
    all.map(|name| name.to_lowercase().replace(['_', ' '], "-")).flat_map(|name| {
        let short = TAILS.iter().find_map(|tail| name.strip_suffix(tail)).map(str::to_owned);
        [Some(name), short].into_iter().flatten().filter(|name| !name.is_empty())
    })
}

/// The length of the longest name of an emulator that a stem begins with, as a whole word.
fn longest(stem: &str, app: &App) -> Option<usize> {
    let is_word = |name: &String| {
        stem.strip_prefix(name.as_str())
            .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    };
    names(app).filter(is_word).map(|name| name.len()).max()
}

/// Whether a name fits a pattern with `*` for any text and `?` for one character.
fn fits(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = rest.as_str();
            let places = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            places.into_iter().any(|at| fits(rest, &name[at..]))
        }
        Some(wanted) => {
            let mut letters = name.chars();
            let found = letters.next();
            found.is_some_and(|found| wanted == '?' || wanted == found)
                && fits(rest.as_str(), letters.as_str())
        }
    }
}

/// Whether a file is not made for another machine, by its name.
fn runs_here(stem: &str) -> bool {
    let mut others = MACHINES.iter().filter(|(machine, _)| *machine != std::env::consts::ARCH);
    !others.any(|(_, words)| words.iter().any(|word| stem.contains(word)))
}

/// Sorts the files of one emulator: by version, then by time, then by name, the first one of the list last.
fn age_key(file: &Path, app: &App) -> (Vec<u64>, Option<i128>, Reverse<PathBuf>) {
    let stem = stem(file);
    let version = stem.get(longest(&stem, app).unwrap_or(0)..).unwrap_or_default();
    (version_of(version), changed(file), Reverse(file.to_owned()))
}

/// The numbers in a part of a name, without those that name a machine.
fn version_of(text: &str) -> Vec<u64> {
    let mut text = text.to_owned();
    for word in MACHINES.iter().flat_map(|(_, words)| *words) {
        text = text.replace(word, "");
    }
    let digits = text.split(|letter: char| !letter.is_ascii_digit());
    digits.filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::definitions::bundled;
    use crate::files::testing;

    fn app(catalog: &Catalog, name: &str) -> Arc<App> {
        Arc::clone(catalog.find_app(|app| app.name == name).expect(name))
    }

    #[test]
    fn a_file_is_known_by_the_emulator_at_its_beginning() {
        let catalog = bundled::catalog();
        for (file, name, expected) in [
            ("DuckStation-x64.AppImage", "DuckStation", true),
            ("duckstation-qt.appimage", "DuckStation", true),
            ("pcsx2-v1.7.5-linux-appimage-x64-Qt.AppImage", "PCSX2", true),
            ("Dolphin_Emulator-2407.AppImage", "Dolphin", true),
            ("Cemu-2.0-x86_64.AppImage", "Cemu", true),
            ("RPCS3.APPIMAGE", "RPCS3", true),
            ("Cemux.AppImage", "Cemu", false),
            ("my-cemu.AppImage", "Cemu", false),
            ("cemu", "Cemu", false),
            ("PCSX2.AppImage", "Cemu", false),
        ] {
            let found = belongs(Path::new(file), &app(&catalog, name), &catalog);
            assert_eq!(found, expected, "{file} {name}");
        }
    }

    #[test]
    fn a_pattern_of_a_definition_may_name_any_file() {
        let catalog = bundled::catalog();
        let patterns = vec!["My*Emu-?.AppImage".to_owned()];
        let app = App { patterns, ..App::clone(&app(&catalog, "Cemu")) };
        for (file, expected) in [
            ("my-own-emu-3.appimage", true),
            ("MyEmu-3.AppImage", true),
            ("MyEmu-31.AppImage", false),
            ("aMyEmu-3.AppImage", false),
        ] {
            assert_eq!(belongs(Path::new(file), &app, &catalog), expected, "{file}");
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let version = |file: &str| version_of(&stem(Path::new(file)));
        for (older, newer) in [
            ("-2.0-x86_64.AppImage", "-2.0.1-x86_64.AppImage"),
            ("-v1.7.9.AppImage", "-v1.7.10.AppImage"),
            (".AppImage", "-1.AppImage"),
        ] {
            assert!(version(older) < version(newer), "{older} {newer}");
        }
    }

    #[test]
    fn the_newest_that_starts_here_is_found() {
        let home = tempfile::tempdir().expect("a folder");
        let catalog = bundled::catalog();
        let (cemu, images) = (app(&catalog, "Cemu"), AppImages::new(home.path()));
        let put = |name: &str, mode: u32| {
            let path = home.path().join(name);
            testing::put(&path, "#!/bin/sh\n");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
            images.known.hold().as_mut().into_iter().for_each(|known| known.looked -= BELIEF);
            path
        };
        assert_eq!(images.find(&cemu, &catalog), None);
        put("Applications/Cemu-2.9.AppImage", 0o644);
        let other = if std::env::consts::ARCH == "aarch64" { "x86_64" } else { "aarch64" };
        put(&format!("Applications/Cemu-3-{other}.AppImage"), 0o755);
        put("Elsewhere/Cemu-4.AppImage", 0o755);
        let first = put("Applications/cemu-2.1.appimage", 0o755);
        assert_eq!(images.find(&cemu, &catalog), Some(first));
        let newer = put("Emulation/tools/CEMU-2.10.AppImage", 0o755);
        assert_eq!(images.find(&cemu, &catalog), Some(newer.clone()));
        fs::remove_file(newer).expect("removed");
        let known = images.find(&cemu, &catalog);
        assert_eq!(known, Some(home.path().join("Applications/cemu-2.1.appimage")), "it is gone");
    }
}
