//! Compatibility layers on this machine: prefixes that hold a drive, and the programs that can run them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    base::text,
    config::environment::Environment,
    process::{Limits, Spec, capture, search},
};

use super::wrapper::{children, real};
use crate::base::schema::schema;

/// Roots below the home that hold prefixes, themselves or up to two folders down.
const PREFIX_ROOTS: [&str; 14] = [
    ".wine",
    ".local/share/wineprefixes",
    ".local/share/lutris/runners/wine",
    ".config/faugus-launcher/prefixes",
    ".local/share/bottles/bottles",
    ".var/app/com.usebottles.bottles/data/bottles/bottles",
    ".local/share/Steam/steamapps/compatdata",
    ".steam/steam/steamapps/compatdata",
    ".var/app/com.valvesoftware.Steam/.local/share/Steam/steamapps/compatdata",
    ".config/heroic/Prefixes",
    "Games/Heroic/Prefixes",
    "Games/Heroic/Prefixes/default",
    "Games",
    "Faugus",
];
/// The folder that makes another one a prefix.
const DRIVE: &str = "drive_c";
/// Programs that are runtimes themselves.
const PROGRAMS: [&str; 5] = ["wine", "wine64", "proton", "umu-run", "umu-launcher"];
/// Folders below the home whose children are runtimes.
const RUNTIME_ROOTS: [&str; 6] = [
    ".steam/root/compatibilitytools.d",
    ".steam/steam/compatibilitytools.d",
    ".local/share/Steam/compatibilitytools.d",
    ".local/share/lutris/runners/wine",
    ".config/faugus-launcher/runners",
    ".local/share/faugus-launcher/runners",
];
/// How long the package tool may take.
const PACKAGE_TIME: Duration = Duration::from_secs(5);

/// A prefix that holds a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// Its folder.
    pub path: PathBuf,
    /// The name of the folder.
    pub name: String,
}

schema! {
    /// Something that runs programs of another system.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Runtime {
        /// Its name.
        pub name: String,
        /// Where it lies; `flatpak:<id>` for a package.
        pub path: String,
        /// Where it was found: `PATH`, `flatpak`, or the folder it lies in.
        pub source: String,
    }
}

/// The prefixes of this machine sorted by path; two names of one folder are one prefix.
pub fn prefixes(environment: &Environment) -> Vec<Prefix> {
    let home = environment.home().unwrap_or(Path::new("/"));
    let mut found: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    let named = environment.path("WINEPREFIX").filter(|path| path.is_absolute());
    let mut candidates: Vec<PathBuf> = named.into_iter().collect();
    for root in PREFIX_ROOTS.map(|root| home.join(root)) {
        let below = children(&root);
        candidates.push(root);
        for child in below {
            // What lies on the drive of a prefix is a program's; next to the drive there may be others.
            if child.file_name().is_none_or(|name| name != DRIVE) {
                candidates.extend(children(&child));
                candidates.push(child);
            }
        }
    }
    for path in candidates.into_iter().filter(|path| is_prefix(path)) {
        found.entry(real(&path)).or_insert(path);
    }
    let mut prefixes: Vec<Prefix> =
        found.into_values().map(|path| Prefix { name: file_name(&path), path }).collect();
    prefixes.sort_by(|a, b| a.path.cmp(&b.path));
    prefixes
}

/// The runtimes of this machine sorted by name.
pub fn runtimes(home: &Path) -> Vec<Runtime> {
    let mut found: Vec<Runtime> = PROGRAMS
        .iter()
        .filter_map(|name| Some((name, search::on_path(name)?)))
        .map(|(name, path)| Runtime {
            name: (*name).to_owned(),
            path: path.to_string_lossy().into_owned(),
            source: "PATH".to_owned(),
        })
        .collect();
    found.extend(packages());
    let mut seen = Vec::new();
    for root in RUNTIME_ROOTS.map(|root| home.join(root)) {
        for folder in children(&root).into_iter().filter(|folder| is_runtime(folder)) {
            let real = real(&folder);
            if !seen.contains(&real) {
                seen.push(real);
                found.push(Runtime {
                    name: file_name(&folder),
                    path: folder.to_string_lossy().into_owned(),
                    source: root.to_string_lossy().into_owned(),
                });
            }
        }
    }
    found.sort_by_key(|runtime| text::fold(&runtime.name));
    found
}

fn is_prefix(folder: &Path) -> bool {
    folder.join(DRIVE).is_dir()
}

fn is_runtime(folder: &Path) -> bool {
    let name = text::fold(&file_name(folder));
    name.contains("proton")
        || name.contains("wine")
        || ["proton", "files/bin/wine", "dist/bin/wine"]
            .iter()
            .any(|file| folder.join(file).is_file())
}

/// Packages that run programs of another system, by their names.
fn packages() -> Vec<Runtime> {
    let Some(tool) = search::on_path("flatpak") else { return Vec::new() };
    let question =
        Spec::new([tool.as_os_str(), "list".as_ref(), "--columns=application,name".as_ref()]);
    let limits = Limits { timeout: PACKAGE_TIME, ..Limits::default() };
    let Ok(answer) = capture::run(&question, &limits) else { return Vec::new() };
    let printed = String::from_utf8_lossy(&answer.stdout).into_owned();
    let rows = printed.lines().filter_map(|line| {
        let (id, name) = line.split_once('\t').unwrap_or((line, line));
        let (id, name) = (id.trim(), name.trim());
        let folded = text::fold(&format!("{id} {name}"));
        let fits = ["wine", "proton", "wrapper"].iter().any(|word| folded.contains(word));
        (fits && !id.is_empty()).then(|| Runtime {
            name: name.to_owned(),
            path: format!("flatpak:{id}"),
            source: "flatpak".to_owned(),
        })
    });
    rows.collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn prefixes_hold_a_drive_and_are_found_once() {
        let home = tempfile::tempdir().expect("a home");
        let make = |path: &str| fs::create_dir_all(home.path().join(path)).expect("made");
        make(".wine/drive_c");
        make("Games/one/drive_c");
        make("Games/deep/two/drive_c");
        make("Games/deep/er/three/drive_c");
        make("Games/none");
        make("Games/Heroic/Prefixes/default/Tale/pfx/drive_c");
        make(
            ".var/app/com.valvesoftware.Steam/.local/share/Steam/steamapps/compatdata/7/pfx/drive_c",
        );
        make(".wine/drive_c/game/drive_c");
        make("Games/one/drive_c/game/drive_c");
        make("Games/one/inner/drive_c");
        std::os::unix::fs::symlink(home.path().join("Games"), home.path().join("Faugus"))
            .expect("linked");
        let root = home.path().to_str().expect("text");
        let wine = home.path().join(".wine");
        let environment = Environment::from_process([
            ("HOME", root),
            ("WINEPREFIX", wine.to_str().expect("text")),
        ]);
        let names: Vec<String> =
            prefixes(&environment).into_iter().map(|prefix| prefix.name).collect();
        assert_eq!(names, ["pfx", ".wine", "pfx", "two", "one", "inner"]);
    }

    #[test]
    fn runtimes_are_told_by_name_or_by_what_they_hold() {
        let home = tempfile::tempdir().expect("a home");
        let root = home.path().join(".local/share/Steam/compatibilitytools.d");
        for folder in ["GE-Proton9", "notes", "other/files/bin"] {
            fs::create_dir_all(root.join(folder)).expect("made");
        }
        fs::write(root.join("other/files/bin/wine"), b"").expect("written");
        let ours = root.to_string_lossy().into_owned();
        let found = runtimes(home.path());
        let names: Vec<_> = found
            .iter()
            .filter(|runtime| runtime.source == ours)
            .map(|runtime| runtime.name.as_str())
            .collect();
        assert_eq!(names, ["GE-Proton9", "other"]);
    }
}
