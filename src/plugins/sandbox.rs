//! The sandbox of a plugin: bubblewrap and its arguments, the interpreter, the environment.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Mutex,
    time::{Duration, Instant},
};

use crate::{
    base::{Hold as _, named::named},
    config::{credentials, environment::Environment},
    process::{Limits, Spec, capture, search},
};

named! {
    /// How plugins run on this machine.
    pub enum Sandbox {
        /// In a sandbox.
        Ready = "ready",
        /// There is no sandbox: only trusted plugins run.
        Unavailable = "unavailable",
        /// The sandbox was switched off at the start.
        Disabled = "disabled",
    }
}

/// The areas that are empty inside.
const AREAS: [&str; 5] = ["/home", "/tmp", "/run", "/mnt", "/media"];
/// Where package and runner lie inside.
const BASE: &str = "/tmp/service";
/// The interpreters of the system, for when the one on the search path cannot be used.
const SYSTEM: [&str; 2] = ["/usr/bin/python3", "/usr/local/bin/python3"];
/// The file that names the resolvers.
const RESOLVERS: &str = "/etc/resolv.conf";
/// How long a sandbox that did not work is not tried again.
const DOUBT: Duration = Duration::from_secs(30);
/// Variables that change what the interpreter or the loader does.
const LOADER: [&str; 4] = ["PYTHONPATH", "PYTHONHOME", "LD_PRELOAD", "LD_LIBRARY_PATH"];
/// Parts of the names of variables with secrets.
const SECRET: [&str; 4] = ["TOKEN", "PASSWORD", "SECRET", "API_KEY"];

/// Whether plugins can run in a sandbox here. What works is tried once.
pub fn of_machine(environment: &Environment) -> Sandbox {
    static TRIED: Mutex<Option<(bool, Instant)>> = Mutex::new(None);
    if environment.allows_unsandboxed_plugins() {
        return Sandbox::Disabled;
    }
    let mut tried = TRIED.hold();
    let known = tried.filter(|(works, at)| *works || at.elapsed() < DOUBT);
    let works = known.map_or_else(probe, |(works, _)| works);
    if known.is_none() {
        *tried = Some((works, Instant::now()));
    }
    if works { Sandbox::Ready } else { Sandbox::Unavailable }
}

fn probe() -> bool {
    let Some(tool) = search::on_path("bwrap") else { return false };
    let arguments = "--die-with-parent --new-session --unshare-all --ro-bind / / /usr/bin/true";
    let mut argv = vec![tool.into_os_string()];
    argv.extend(arguments.split(' ').map(Into::into));
    let limits = Limits { timeout: Duration::from_secs(2), output_bytes: 4096 };
    capture::run(&Spec::new(argv), &limits).is_ok_and(|ended| ended.code == 0)
}

/// What runs inside.
pub(super) struct Confined<'a> {
    /// The package, a real path.
    pub package: &'a Path,
    /// The runner, a real path.
    pub runner: &'a Path,
    /// The program of the package, relative to it.
    pub entry: &'a str,
    pub hook: &'a str,
    /// The interpreter, a real path.
    pub interpreter: &'a Path,
    /// The data directory, a real path.
    pub data_dir: &'a Path,
    /// The home of the user, a real path.
    pub home: Option<&'a Path>,
    /// The file with the resolvers, a real path, when the plugin may use the network.
    pub network: Option<&'a Path>,
}

/// The arguments of bubblewrap, the interpreter among them.
pub(super) fn arguments(inside: &Confined<'_>) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    let mut add = |words: &[&OsStr]| all.extend(words.iter().map(|&word| word.to_owned()));
    add(&["--die-with-parent", "--new-session", "--unshare-all"].map(OsStr::new));
    if inside.network.is_some() {
        add(&["--share-net".as_ref()]);
    }
    add(&["--ro-bind", "/", "/"].map(OsStr::new));
    for area in AREAS {
        add(&["--tmpfs", area].map(OsStr::new));
    }
    add(&["--proc", "/proc", "--dev", "/dev"].map(OsStr::new));
    let hidden = hidden(inside);
    for folder in &hidden {
        add(&["--tmpfs".as_ref(), folder.as_os_str()]);
    }
    let base = Path::new(BASE);
    let (plugin, runners) = (base.join("plugin"), base.join("runner"));
    for folder in [base, &plugin, &runners] {
        add(&["--dir".as_ref(), folder.as_os_str()]);
    }
    let runner_folder = inside.runner.parent().unwrap_or(Path::new("/"));
    let bind = OsStr::new("--ro-bind");
    add(&[bind, inside.package.as_os_str(), plugin.as_os_str()]);
    add(&[bind, runner_folder.as_os_str(), runners.as_os_str()]);
    let is_hidden = |path: &Path| {
        let areas = AREAS.iter().map(Path::new).chain(hidden.iter().copied());
        areas.into_iter().any(|area| path.starts_with(area))
    };
    if let Some(resolvers) = inside.network.filter(|path| is_hidden(path)) {
        add(&[bind, resolvers.as_os_str(), resolvers.as_os_str()]);
    }
    if is_hidden(inside.interpreter) {
        let shown = installation(inside.interpreter, inside);
        add(&[bind, shown.as_os_str(), shown.as_os_str()]);
    }
    add(&["--chdir", "/tmp"].map(OsStr::new));
    let runner = runners.join(inside.runner.file_name().unwrap_or_default());
    let entry = plugin.join(inside.entry);
    add(&[inside.interpreter.as_os_str(), "-B".as_ref(), runner.as_os_str(), entry.as_os_str()]);
    add(&[inside.hook.as_ref()]);
    all
}

/// The folders outside of the areas that are hidden too: the data directory and the home.
fn hidden<'a>(inside: &Confined<'a>) -> Vec<&'a Path> {
    let is_outside =
        |path: &&Path| path.parent().is_some() && !AREAS.iter().any(|area| path.starts_with(area));
    [Some(inside.data_dir), inside.home].into_iter().flatten().filter(is_outside).collect()
}

/// The folder that an interpreter in a hidden place is installed in: `X` of `X/bin/python3`. Only the
/// file itself where that folder would show more than an installation.
fn installation<'a>(interpreter: &'a Path, inside: &Confined<'_>) -> &'a Path {
    let folder = interpreter.parent().and_then(Path::parent);
    let areas = AREAS.iter().map(Path::new);
    let private = [Some(inside.data_dir), inside.home].into_iter().flatten();
    let shows = |folder: &Path| areas.chain(private).any(|private| private.starts_with(folder));
    folder.filter(|folder| !shows(folder)).unwrap_or(interpreter)
}

/// The interpreter: the one that the environment names, else `python3` of the search path, else that
/// of the system.
pub(super) fn interpreter(environment: &Environment) -> Option<PathBuf> {
    let named = environment.path("SERVICE_INTERPRETER").filter(|path| search::is_executable(path));
    let found = named.or_else(|| search::on_path("python3"));
    let system = || SYSTEM.iter().map(PathBuf::from).find(|path| search::is_executable(path));
    found.or_else(system).and_then(|path| path.canonicalize().ok())
}

/// The file with the resolvers.
pub(super) fn resolvers() -> PathBuf {
    Path::new(RESOLVERS).canonicalize().unwrap_or_else(|_| RESOLVERS.into())
}

/// The search path inside: what is shut out of it may hold the tools that a script needs.
pub(super) fn search_path(environment: &Environment) -> OsString {
    let mut path = environment.raw("PATH").unwrap_or_default().to_owned();
    if !path.is_empty() {
        path.push(":");
    }
    path.push("/usr/local/bin:/usr/bin:/bin");
    path
}

/// The changes to the environment that keep secrets and surprises from a plugin. `names` are those of
/// the variables that it would inherit.
pub(super) fn scrubbed(names: &[&OsStr]) -> Vec<(OsString, Option<OsString>)> {
    let prefixes: Vec<String> = credentials::prefixes().collect();
    let is_kept_out = |name: &&OsStr| {
        let upper = name.to_string_lossy().to_ascii_uppercase();
        LOADER.contains(&&*upper)
            || SECRET.iter().any(|part| upper.contains(part))
            || upper.starts_with("SERVICE_")
            || prefixes.iter().any(|prefix| upper.starts_with(prefix.as_str()))
    };
    let removed =
        names.iter().filter(|name| is_kept_out(name)).map(|&name| (name.to_owned(), None));
    removed.chain([("PYTHONNOUSERSITE".into(), Some("1".into()))]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confined<'a>() -> Confined<'a> {
        Confined {
            package: Path::new("/data/plugins/a.b"),
            runner: Path::new("/data/cache/plugin-runner/runner.py"),
            entry: "plugin.py",
            hook: "events",
            interpreter: Path::new("/usr/bin/python3.11"),
            data_dir: Path::new("/data"),
            home: Some(Path::new("/home/me")),
            network: None,
        }
    }

    fn words(inside: &Confined<'_>) -> String {
        let words = arguments(inside);
        words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    const BEGIN: &str = "--ro-bind / / --tmpfs /home --tmpfs /tmp --tmpfs /run --tmpfs /mnt \
        --tmpfs /media --proc /proc --dev /dev";
    const END: &str = "--chdir /tmp /usr/bin/python3.11 -B /tmp/service/runner/runner.py \
        /tmp/service/plugin/plugin.py events";

    #[test]
    fn the_arguments_stand_in_their_order() {
        let dirs = "--dir /tmp/service --dir /tmp/service/plugin --dir /tmp/service/runner \
            --ro-bind /data/plugins/a.b /tmp/service/plugin \
            --ro-bind /data/cache/plugin-runner /tmp/service/runner";
        let expected = format!(
            "--die-with-parent --new-session --unshare-all {BEGIN} --tmpfs /data {dirs} {END}"
        );
        assert_eq!(words(&confined()), expected);
        let resolvers = Path::new("/run/resolve/stub.conf");
        let online = words(&Confined { network: Some(resolvers), ..confined() });
        let expected = format!(
            "--die-with-parent --new-session --unshare-all --share-net {BEGIN} --tmpfs /data {dirs} \
             --ro-bind /run/resolve/stub.conf /run/resolve/stub.conf {END}"
        );
        assert_eq!(online, expected);
    }

    #[test]
    fn what_is_private_is_hidden_wherever_it_lies() {
        let at_home = words(&Confined { data_dir: Path::new("/home/me/data"), ..confined() });
        assert!(at_home.contains("--dev /dev --dir"), "{at_home}");
        let root = words(&Confined { home: Some(Path::new("/root")), ..confined() });
        assert!(root.contains("--tmpfs /data --tmpfs /root --dir"), "{root}");
        let no_home = words(&Confined { home: Some(Path::new("/")), ..confined() });
        assert!(!no_home.contains("--tmpfs / "), "{no_home}");
    }

    #[test]
    fn an_interpreter_in_a_hidden_place_is_shown_and_nothing_else_of_it() {
        for (path, expected) in [
            ("/home/me/.pyenv/shims/python3", "--ro-bind /home/me/.pyenv /home/me/.pyenv --chdir"),
            ("/home/me/bin/python3", "--ro-bind /home/me/bin/python3 /home/me/bin/python3 --chdir"),
            ("/tmp/python3", "--ro-bind /tmp/python3 /tmp/python3 --chdir"),
        ] {
            let shown = words(&Confined { interpreter: Path::new(path), ..confined() });
            assert!(shown.contains(expected), "{shown}");
        }
    }

    #[test]
    fn secrets_and_loaders_stay_out_of_the_environment() {
        let names = [
            "PATH",
            "HOME",
            "LANG",
            "PYTHONPATH",
            "PYTHONHOME",
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "GITHUB_TOKEN",
            "my_password",
            "ClientSecret",
            "X_API_KEY",
            "SERVICE_DATA_DIR",
            "ACH_USERNAME",
            "GAMEDB_CLIENT_ID",
            "RELEASES_X",
            "SCRAPER_USER",
            "MEDIASVC_USERNAME",
            "ARTGRID_ANY",
        ];
        let scrubbed = scrubbed(&names.map(OsStr::new));
        let removed: Vec<_> = scrubbed.iter().filter(|(_, value)| value.is_none()).collect();
        assert_eq!(removed.len(), names.len() - 3);
        assert!(removed.iter().all(|(name, _)| {
            !["PATH", "HOME", "LANG"].map(OsStr::new).contains(&name.as_os_str())
        }));
        assert_eq!(scrubbed.last(), Some(&("PYTHONNOUSERSITE".into(), Some("1".into()))));
    }
}
