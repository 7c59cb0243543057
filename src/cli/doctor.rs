//! `doctor`: checks of the data directory, the service and the tools of this machine.
//!
//! It reads only. Each check has an outcome, what was found, and what to do when that is not fine.

use std::{
    collections::HashMap,
    fs,
    io::Read as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::json;

use super::{
    error::CliError,
    invocation::Invocation,
    output::{Color, Output},
    service::running_instance,
    table::Flag,
};
use crate::{
    base::named::named,
    config::{data_dir::DataDir, environment::Environment},
    definitions::bundled,
    emulators::dependencies,
    files::{Files, space},
    net::local::Instance,
    plugins::sandbox::{self, Sandbox},
    process::search,
};

/// Free space below which nothing can be kept, and below which pictures and backups are in danger.
const NO_SPACE: u64 = 64 << 20;
const LITTLE_SPACE: u64 = 1 << 30;
/// Bytes of the largest library that is read here.
const LIBRARY_BYTES: u64 = 2 << 30;
/// How long the service may take to answer.
const ANSWER: Duration = Duration::from_secs(5);
/// Programs by purpose: any one of a row suffices.
const TOOLS: [(&[&str], &str, &str); 11] = [
    (&["xdg-open"], "opening the page, folders and links", "xdg-utils"),
    (&["zenity", "qarma", "matedialog", "kdialog"], "file dialogs", "zenity"),
    (&["flatpak"], "installing emulators", "flatpak"),
    (&["7zz", "7z"], "game archives other than ZIP", "7zip"),
    (&["bwrap"], "running plugins in a sandbox", "bubblewrap"),
    (&["python3"], "running plugins", "python3"),
    (&["gamescope"], "scaling games (compositor presets)", "gamescope"),
    (&["mangohud"], "the performance overlay", "mangohud"),
    (&["ffmpeg"], "films of what was kept of games", "ffmpeg"),
    (&["xdotool", "wmctrl"], "finding the windows of games in gaming mode", "xdotool"),
    (&["xprop"], "giving the windows of games focus in gaming mode", "x11-utils"),
];

named! {
    /// The outcome of a check.
    pub enum Outcome {
        /// As it should be.
        Fine = "ok",
        /// It works, with less.
        Warning = "warning",
        /// It does not work.
        Broken = "broken",
    }
}

/// One check.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Check {
    /// What was checked.
    name: String,
    outcome: Outcome,
    /// What was found.
    found: String,
    /// What to do; blank when it is fine.
    advice: String,
}

impl Check {
    fn fine(name: &str, found: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            outcome: Outcome::Fine,
            found: found.into(),
            advice: String::new(),
        }
    }

    fn bad(
        outcome: Outcome,
        name: &str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self { outcome, advice: advice.into(), ..Self::fine(name, found) }
    }
}

/// Runs every check and prints the outcomes.
///
/// # Errors
/// [`CliError::Shown`] when something is broken.
pub fn run(asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let process = Environment::capture();
    let data_dir = DataDir::resolve(asked.data_dir.as_deref(), &process)?;
    let environment = process.with_env_files(data_dir.root());
    let mut checks = vec![data_directory(data_dir.root())];
    checks.extend(secrets(&data_dir));
    checks.push(library(&data_dir));
    checks.push(service(&data_dir));
    checks.push(disk_space(data_dir.root()));
    checks.push(sandbox_check(sandbox::of_machine(&environment)));
    checks.extend(tools(&|name| search::on_path(name)));
    checks.extend(environment.home().map(firmware).unwrap_or_default());
    let is_broken = checks.iter().any(|check| check.outcome == Outcome::Broken);
    if asked.has(Flag::Json) {
        output.json(&json!({"data_dir": data_dir.root().to_string_lossy(), "checks": checks}))?;
    } else {
        for check in &checks {
            let color = match check.outcome {
                Outcome::Fine => Color::Green,
                Outcome::Warning => Color::Yellow,
                Outcome::Broken => Color::Red,
            };
            let rest = format!(" {}: {}", check.name, check.found);
            output.colored(color, &format!("{:8}", check.outcome.name()), &rest)?;
            if !check.advice.is_empty() {
                output.line(&format!("{:8}   {}", "", check.advice))?;
            }
        }
    }
    if is_broken { Err(CliError::Shown) } else { Ok(()) }
}

fn data_directory(root: &Path) -> Check {
    let name = "data directory";
    let shown = root.display();
    let found = match fs::metadata(root) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::fine(
                name,
                format!("{shown} is not there yet; the first start makes it"),
            );
        }
        Err(error) => {
            let advice = "Give your user access to it, or name another one with --data-dir.";
            return Check::bad(Outcome::Broken, name, format!("{shown}: {error}"), advice);
        }
    };
    let mode = found.permissions().mode() & 0o777;
    if !found.is_dir() {
        let advice = "Move that file away, or name a folder with --data-dir.";
        return Check::bad(Outcome::Broken, name, format!("{shown} is not a folder"), advice);
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        let advice = format!("Make it yours: sudo chown -R \"$USER\" {}", quoted(root));
        return Check::bad(
            Outcome::Broken,
            name,
            format!("{shown} belongs to another user"),
            advice,
        );
    }
    if mode & 0o700 != 0o700 {
        let advice = format!("Run: chmod 700 {}", quoted(root));
        return Check::bad(Outcome::Broken, name, format!("{shown} has mode {mode:o}"), advice);
    }
    if mode & 0o077 != 0 {
        let advice = format!("Run: chmod 700 {}", quoted(root));
        let found = format!("{shown} has mode {mode:o}: other users can look into it");
        return Check::bad(Outcome::Warning, name, found, advice);
    }
    Check::fine(name, shown.to_string())
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    shlex::try_quote(&text).map_or_else(|_| text.to_string(), Into::into)
}

/// Files with secrets that others may read; nothing when there are none.
fn secrets(data_dir: &DataDir) -> Vec<Check> {
    let name = "private files";
    let files = [
        data_dir.library(),
        data_dir.library_log(),
        data_dir.server_token(),
        data_dir.achievements(),
        data_dir.mediasvc(),
        data_dir.accounts(),
        data_dir.root().join(".env"),
    ];
    let open =
        |path: &PathBuf| path.metadata().is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
    let open: Vec<PathBuf> = files.into_iter().filter(open).collect();
    if open.is_empty() {
        return vec![Check::fine(name, "only you can read them")];
    }
    let bad = |path: PathBuf| {
        let found = format!("{} can be read by other users", path.display());
        Check::bad(Outcome::Warning, name, found, format!("Run: chmod 600 {}", quoted(&path)))
    };
    open.into_iter().map(bad).collect()
}

/// The part of a library that is read.
#[derive(Deserialize)]
struct Library {
    #[serde(default)]
    games: Vec<IgnoredAny>,
}

fn library(data_dir: &DataDir) -> Check {
    let name = "library file";
    let path = data_dir.library();
    let shown = path.display();
    let advice = "Start the program: it looks for the newest copy that can be read. Or restore an \
        archive: service-launcher --restore-backup FILE";
    let read = || {
        let mut bytes = Vec::new();
        fs::File::open(&path)?.take(LIBRARY_BYTES).read_to_end(&mut bytes).map(|_| bytes)
    };
    match fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::fine(name, "there is none yet");
        }
        Ok(found) if !found.is_file() => {
            let advice = "Move it away; the program writes a file of that name.";
            return Check::bad(Outcome::Broken, name, format!("{shown} is not a file"), advice);
        }
        _ => {}
    }
    match read() {
        Err(error) => Check::bad(Outcome::Broken, name, format!("{shown}: {error}"), advice),
        Ok(bytes) => match serde_json::from_slice::<Library>(&bytes) {
            Ok(library) => Check::fine(
                name,
                format!("{} games, {} KiB", library.games.len(), bytes.len() / 1024),
            ),
            Err(error) => {
                let found = format!("{shown} is damaged: {error}");
                Check::bad(Outcome::Broken, name, found, advice)
            }
        },
    }
}

fn service(data_dir: &DataDir) -> Check {
    let name = "service";
    let Some((port, token)) = running_instance(&Files::system(), data_dir) else {
        return Check::fine(name, "not running");
    };
    if Instance::new(port, token).is_there(ANSWER) {
        return Check::fine(name, format!("answers on 127.0.0.1:{port}"));
    }
    let found =
        format!("no service answers on 127.0.0.1:{port}, the port of a run that was killed");
    let advice =
        "Start the program; it writes a new address. If it runs and is stuck, end it first.";
    Check::bad(Outcome::Warning, name, found, advice)
}

fn disk_space(root: &Path) -> Check {
    let name = "disk space";
    let place = root.ancestors().find(|place| place.exists()).unwrap_or(Path::new("/"));
    let Some(free) = space::free_bytes(place) else {
        return Check::fine(name, "the file system does not report it");
    };
    let found = format!("{} MiB free at {}", free >> 20, place.display());
    let advice = "Make room, or move the data directory to another disk.";
    match free {
        free if free < NO_SPACE => Check::bad(Outcome::Broken, name, found, advice),
        free if free < LITTLE_SPACE => Check::bad(Outcome::Warning, name, found, advice),
        _ => Check::fine(name, found),
    }
}

fn sandbox_check(sandbox: Sandbox) -> Check {
    let name = "plugin sandbox";
    match sandbox {
        Sandbox::Ready => Check::fine(name, "plugins run under bubblewrap"),
        Sandbox::Unavailable => Check::bad(
            Outcome::Warning,
            name,
            "bubblewrap is missing or may not make namespaces: only trusted plugins run",
            "Install bubblewrap, and allow unprivileged user namespaces.",
        ),
        Sandbox::Disabled => Check::bad(
            Outcome::Warning,
            name,
            "switched off by SERVICE_ALLOW_UNSANDBOXED_PLUGINS",
            "Unset that variable.",
        ),
    }
}

fn tools(find: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<Check> {
    let check = |(names, purpose, package): &(&[&str], &str, &str)| {
        let name = format!("tool for {purpose}");
        if let Some(path) = names.iter().find_map(|name| find(name)) {
            return Check::fine(&name, path.display().to_string());
        }
        let found = format!("{} is not installed", names.join(" or "));
        let advice = format!("Install {package} if you want that.");
        Check::bad(Outcome::Warning, &name, found, advice)
    };
    TOOLS.iter().map(check).collect()
}

/// What the emulators that are installed as programs need besides games.
fn firmware(home: &Path) -> Vec<Check> {
    let catalog = bundled::catalog();
    let apps = catalog.apps().into_iter();
    let installed =
        apps.filter(|app| !app.executable.is_empty() && search::on_path(&app.executable).is_some());
    let mut checks = Vec::new();
    for app in installed {
        let mut places: HashMap<&str, Vec<dependencies::DependencyPlace>> = HashMap::new();
        for place in dependencies::of(&app.name, home) {
            places.entry(place.label).or_default().push(place);
        }
        for (label, places) in places {
            let name = format!("firmware of {}", app.name);
            let found = places.iter().find(|place| place.found);
            let there = |place: &dependencies::DependencyPlace| {
                Check::fine(&name, format!("{label}: {}", place.path))
            };
            checks.push(found.map_or_else(|| missing(&name, label, &places), there));
        }
    }
    checks
}

fn missing(name: &str, label: &str, places: &[dependencies::DependencyPlace]) -> Check {
    let paths: Vec<&str> = places.iter().map(|place| place.path.as_str()).collect();
    let advice = format!("Put it into {}.", paths.join(" or "));
    Check::bad(Outcome::Warning, name, format!("{label} is missing"), advice)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
    }

    #[test]
    fn the_data_directory_and_its_files_are_judged() {
        let home = tempfile::tempdir().expect("a folder");
        let root = home.path().join("data");
        assert_eq!(data_directory(&root).outcome, Outcome::Fine);
        fs::write(&root, "").expect("written");
        assert_eq!(data_directory(&root).outcome, Outcome::Broken);
        fs::remove_file(&root).expect("removed");
        fs::create_dir(&root).expect("made");
        for (bits, outcome) in
            [(0o700, Outcome::Fine), (0o755, Outcome::Warning), (0o500, Outcome::Broken)]
        {
            mode(&root, bits);
            assert_eq!(data_directory(&root).outcome, outcome, "{bits:o}");
        }
        mode(&root, 0o700);
        let data = DataDir::at(root.clone());
        assert_eq!(library(&data).found, "there is none yet");
        for (text, outcome) in [
            ("{\"games\": [{}, {}]}", Outcome::Fine),
            ("{\"games\": [{}", Outcome::Broken),
            ("", Outcome::Broken),
        ] {
            fs::write(data.library(), text).expect("written");
            assert_eq!(library(&data).outcome, outcome, "{text}");
        }
        mode(&data.library(), 0o644);
        let open = secrets(&data);
        assert_eq!((open.len(), open[0].outcome), (1, Outcome::Warning));
        mode(&data.library(), 0o600);
        assert_eq!(secrets(&data)[0].outcome, Outcome::Fine);
    }

    #[test]
    fn a_missing_tool_is_named_with_its_package() {
        let all = tools(&|name| Some(PathBuf::from(name)));
        assert!(all.iter().all(|check| check.outcome == Outcome::Fine));
        let none = tools(&|_| None);
        assert!(none.iter().all(|check| check.outcome == Outcome::Warning));
        assert_eq!(none[3].found, "7zz or 7z is not installed");
        assert_eq!(none[3].advice, "Install 7zip if you want that.");
    }
}
