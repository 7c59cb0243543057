//! The variables of the process, with the `.env` files laid under them.
//!
//! The process environment wins; a file only fills a name that is not set yet. The variables are
//! captured once, so a test passes any map, and no other module asks the operating system again.
//! Values from `.env` files are never exported: a game started by this program does not inherit a
//! credential from them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::dotenv;

/// The variable that names the file of another release key.
pub(super) const RELEASE_KEY_FILE: &str = "SERVICE_RELEASE_KEY_FILE";
/// Names that a `.env` file may not set: they decide where those files are searched, or lift a
/// protection that only the user who starts the process may lift.
const PROCESS_ONLY: [&str; 4] =
    ["SERVICE_DATA_DIR", "SERVICE_ENV_FILE", "SERVICE_ALLOW_UNSANDBOXED_PLUGINS", RELEASE_KEY_FILE];

/// A captured set of variables. Cheap to share, immutable after start.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    process: BTreeMap<OsString, OsString>,
    files: BTreeMap<String, String>,
    home: Option<PathBuf>,
    own_port: u16,
    is_game_mode: bool,
}

impl Environment {
    /// The variables of this process. The home directory falls back to the account database when
    /// `HOME` is missing.
    pub fn capture() -> Self {
        let mut captured = Self::from_process(std::env::vars_os());
        if captured.home.is_none() {
            captured.home = std::env::home_dir().filter(|home| home.is_absolute());
        }
        captured
    }

    /// An environment made of the given variables alone; the home directory is `HOME`, when that is
    /// an absolute path.
    pub fn from_process<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        let process: BTreeMap<OsString, OsString> =
            variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let home = process.get(OsStr::new("HOME")).map(PathBuf::from).filter(|p| p.is_absolute());
        Self { process, files: BTreeMap::new(), home, own_port: 0, is_game_mode: false }
    }

    /// The same with the port that this service listens on.
    pub fn with_own_port(self, own_port: u16) -> Self {
        Self { own_port, ..self }
    }

    /// The same for a session whose whole screen is the program (`--game-mode`).
    pub fn with_game_mode(self, is_game_mode: bool) -> Self {
        Self { is_game_mode, ..self }
    }

    pub(super) fn is_game_mode(&self) -> bool {
        self.is_game_mode
    }

    /// The port that this service listens on; 0 before it listens.
    pub fn own_port(&self) -> u16 {
        self.own_port
    }

    /// Reads the `.env` files in this order: `SERVICE_ENV_FILE`, then `.env` in the data directory,
    /// its parent, the home directory and the user's configuration directory. A file that is not
    /// private to its owner is skipped silently.
    pub fn with_env_files(mut self, data_dir: &Path) -> Self {
        for path in self.env_file_candidates(data_dir) {
            let Some(text) = dotenv::read_private(&path) else { continue };
            for (name, value) in dotenv::parse(&text) {
                let taken = self.process.contains_key(OsStr::new(name.as_str()));
                if !taken && !PROCESS_ONLY.contains(&name.as_str()) {
                    self.files.entry(name).or_insert(value);
                }
            }
        }
        self
    }

    fn env_file_candidates(&self, data_dir: &Path) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = self.path("SERVICE_ENV_FILE").into_iter().collect();
        let folders = [
            Some(data_dir.to_owned()),
            data_dir.parent().map(Path::to_owned),
            self.home.clone(),
            self.config_home().map(|config| config.join("service-launcher")),
        ];
        paths.extend(folders.into_iter().flatten().map(|folder| folder.join(".env")));
        paths
    }

    /// The raw value of `name`, also when it is empty.
    pub fn raw(&self, name: &str) -> Option<&OsStr> {
        let process = self.process.get(OsStr::new(name)).map(OsString::as_os_str);
        process.or_else(|| self.files.get(name).map(OsStr::new))
    }

    /// The value of `name` as trimmed text; `None` when unset, blank or not UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.raw(name)?.to_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// As [`Environment::text`], of the process alone: what a `.env` file may not set.
    pub fn process_text(&self, name: &str) -> Option<&str> {
        let value = self.process.get(OsStr::new(name))?;
        value.to_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// The names of the variables of the process, which its children inherit.
    pub fn process_names(&self) -> impl Iterator<Item = &OsStr> {
        self.process.keys().map(OsString::as_os_str)
    }

    /// The value of `name` as a path; `None` when unset or empty. Not checked against the disk.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.raw(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// The user's home directory, always absolute.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The user's home directory, or the root folder without one.
    pub fn home_or_root(&self) -> &Path {
        self.home().unwrap_or(Path::new("/"))
    }

    /// Where applications keep their data: `XDG_DATA_HOME`, else `~/.local/share`.
    pub fn data_home(&self) -> Option<PathBuf> {
        self.base_directory("XDG_DATA_HOME", ".local/share")
    }

    /// Where applications keep their configuration: `XDG_CONFIG_HOME`, else `~/.config`.
    pub fn config_home(&self) -> Option<PathBuf> {
        self.base_directory("XDG_CONFIG_HOME", ".config")
    }

    /// As [`Environment::config_home`], below the root of the disk for a user without a home.
    pub fn config_home_or_root(&self) -> PathBuf {
        self.config_home().unwrap_or_else(|| self.home_or_root().join(".config"))
    }

    /// A base directory; a relative value is ignored, as the XDG specification asks.
    fn base_directory(&self, name: &str, below_home: &str) -> Option<PathBuf> {
        let named = self.path(name).filter(|path| path.is_absolute());
        named.or_else(|| self.home.as_ref().map(|home| home.join(below_home)))
    }

    /// `path` with a leading `~/` replaced by the home directory; unchanged when there is none.
    pub fn expand_home(&self, path: &str) -> PathBuf {
        let rest = if path == "~" { Some("") } else { path.strip_prefix("~/") };
        match (rest, &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::dotenv::tests::{make_folder, put_file};

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::from_process(variables.iter().copied())
    }

    #[test]
    fn the_process_wins_even_when_its_value_is_empty() {
        let folder = tempfile::tempdir().expect("temporary folder");
        put_file(&folder.path().join(".env"), b"A=file\nB=file\nC=file", 0o600);
        let seen = environment(&[("A", "process"), ("B", "")]).with_env_files(folder.path());
        assert_eq!(seen.text("A"), Some("process"));
        assert_eq!(seen.raw("B"), Some(OsStr::new("")));
        assert_eq!(seen.text("B"), None);
        assert_eq!(seen.text("C"), Some("file"));
    }

    #[test]
    fn files_are_searched_in_the_order_of_the_contract() {
        let root = tempfile::tempdir().expect("temporary folder");
        let data = root.path().join("parent/data");
        let home = root.path().join("home");
        let config = root.path().join("config/service-launcher");
        for folder in [&data, &home, &config] {
            make_folder(folder);
        }
        let named = root.path().join("named");
        let all = ["ONE", "TWO", "THREE", "FOUR", "FIVE"];
        let places = [
            (named.clone(), "named"),
            (data.join(".env"), "data"),
            (root.path().join("parent/.env"), "parent"),
            (home.join(".env"), "home"),
            (config.join(".env"), "config"),
        ];
        // Each file sets one variable fewer than the one before it, from the end of the list.
        for (at, (path, label)) in places.iter().enumerate() {
            let lines: Vec<String> =
                all[..=at].iter().map(|name| format!("{name}={label}")).collect();
            put_file(path, lines.join("\n").as_bytes(), 0o600);
        }
        let seen = Environment::from_process([
            ("SERVICE_ENV_FILE", named.as_os_str()),
            ("HOME", home.as_os_str()),
            ("XDG_CONFIG_HOME", root.path().join("config").as_os_str()),
        ])
        .with_env_files(&data);
        let found: Vec<_> = all.iter().map(|name| seen.text(name).unwrap_or("unset")).collect();
        assert_eq!(found, ["named", "data", "parent", "home", "config"]);
    }

    #[test]
    fn the_working_directory_is_not_searched_and_protected_names_stay_unset() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let text =
            b"SERVICE_DATA_DIR=/evil\nSERVICE_ALLOW_UNSANDBOXED_PLUGINS=1\nSERVICE_ENV_FILE=/x";
        put_file(&folder.path().join(".env"), text, 0o600);
        let seen = environment(&[]).with_env_files(folder.path());
        for name in PROCESS_ONLY {
            assert_eq!(seen.raw(name), None, "{name}");
        }
        let candidates = environment(&[]).env_file_candidates(Path::new("/data"));
        assert_eq!(candidates, [Path::new("/data/.env"), Path::new("/.env")]);
    }

    #[test]
    fn base_directories_ignore_relative_values() {
        let seen = environment(&[("HOME", "/home/me"), ("XDG_DATA_HOME", "relative")]);
        assert_eq!(seen.data_home(), Some(PathBuf::from("/home/me/.local/share")));
        assert_eq!(seen.config_home(), Some(PathBuf::from("/home/me/.config")));
        let seen = environment(&[("HOME", "me"), ("XDG_DATA_HOME", "/data")]);
        assert_eq!(seen.home(), None);
        assert_eq!(seen.data_home(), Some(PathBuf::from("/data")));
        assert_eq!(seen.config_home(), None);
    }

    #[test]
    fn expands_only_a_leading_tilde() {
        let seen = environment(&[("HOME", "/home/me")]);
        for (input, expected) in
            [("~/a", "/home/me/a"), ("~", "/home/me/"), ("~you/a", "~you/a"), ("/a/~/b", "/a/~/b")]
        {
            assert_eq!(seen.expand_home(input), PathBuf::from(expected));
        }
        assert_eq!(environment(&[]).expand_home("~/a"), PathBuf::from("~/a"));
    }
}
