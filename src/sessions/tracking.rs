//! When a session is over: with its process, or with the processes that belong to the game.
//!
//! A game that is handed over to another program (a storefront, a launcher) continues after the started process has
//! ended. It is followed by folder or by name, and searched only from then on.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Map, Value};

use crate::{base::text, config::settings::read, model::Record};

/// The modes a game may name; everything else means the setting.
const MODES: [&str; 5] = ["default", "process", "original_process", "folder", "process_name"];

/// How long processes that were there before the game may keep a session alive.
pub const STRAYS: Duration = Duration::from_hours(1);

/// What makes a process part of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Follow {
    /// Nothing: the session ends with the started process, or with the delay.
    Child,
    /// Its working directory is one of these or lies below.
    Folders(Vec<PathBuf>),
    /// Its name or command line contains this, case-folded.
    Name(String),
}

/// How a session is tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracking {
    /// What is followed.
    pub follow: Follow,
    /// No look and no end before the session is this old: the time a hand-over takes.
    pub delay: Duration,
    /// Time between two looks.
    pub frequency: Duration,
}

/// A process as it is checked.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Process number.
    pub pid: i32,
    /// Process group.
    pub group: i32,
    /// Name of the program.
    pub name: String,
    /// Command line.
    pub command_line: String,
    /// Working directory, where it may be known.
    pub folder: Option<PathBuf>,
    /// Start in clock ticks after boot.
    pub start_ticks: u64,
}

impl Tracking {
    /// The tracking of a game: its own fields where they hold something sensible, else the settings.
    pub fn of(game: &Record, settings: &Map<String, Value>) -> Self {
        let own = game.text("tracking_mode");
        let mode = if MODES.contains(&own) {
            own.to_owned()
        } else {
            read::text(settings, "tracking_mode")
        };
        let number = |key: &str, min: f64, max: f64| {
            let own = game.number(key).filter(|number| number.is_finite());
            let seconds = own.unwrap_or_else(|| read::number(settings, key)).clamp(min, max);
            Duration::try_from_secs_f64(seconds).unwrap_or_default()
        };
        Self {
            follow: match mode.as_str() {
                "folder" => folders(game),
                "process_name" => name(game, settings),
                _ => Follow::Child,
            },
            delay: number("tracking_delay", 0.0, 600.0),
            frequency: number("tracking_frequency", 0.5, 60.0),
        }
    }
}

impl Follow {
    /// Follows what runs in this folder too, when folders are followed.
    pub fn include(&mut self, folder: PathBuf) {
        if let Self::Folders(folders) = self {
            folders.push(folder);
        }
    }

    /// Follows what runs where the folders lead to through links too: the system reports the real folder of a process.
    pub fn resolve(&mut self) {
        if let Self::Folders(folders) = self {
            let real = |folder: &PathBuf| folder.canonicalize().ok();
            let real: Vec<_> = folders.iter().filter_map(real).collect();
            folders.extend(real.into_iter().filter(|folder| folder.parent().is_some()));
        }
    }

    /// Whether a process belongs to the game.
    pub fn matches(&self, process: &Seen) -> bool {
        match self {
            Self::Child => false,
            Self::Folders(folders) => {
                let within = |folder: &Path| folders.iter().any(|each| folder.starts_with(each));
                process.folder.as_deref().is_some_and(within)
            }
            Self::Name(name) => {
                text::contains_folded(&process.name, name)
                    || text::contains_folded(&process.command_line, name)
            }
        }
    }
}

fn folders(game: &Record) -> Follow {
    let path = Path::new(game.text("path"));
    let folders: Vec<_> = [Some(Path::new(game.text("install_dir"))), path.parent()]
        .into_iter()
        .flatten()
        // The root contains every process.
        .filter(|folder| folder.is_absolute() && folder.parent().is_some())
        .map(Path::to_owned)
        .collect();
    if folders.is_empty() { Follow::Child } else { Follow::Folders(folders) }
}

fn name(game: &Record, settings: &Map<String, Value>) -> Follow {
    let stem = Path::new(game.text("path")).file_stem().map(|stem| stem.to_string_lossy());
    let stem = stem.unwrap_or_default();
    let general = read::text(settings, "tracking_process_name");
    let names = [game.text("tracking_process_name"), &general, &stem];
    match names.into_iter().map(str::trim).find(|name| !name.is_empty()) {
        Some(name) => Follow::Name(text::fold(name)),
        None => Follow::Child,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tracking(game: Value, settings: Value) -> Tracking {
        let game = serde_json::from_value(game).expect("an object");
        Tracking::of(&game, settings.as_object().expect("an object"))
    }

    #[test]
    fn the_game_wins_and_bad_values_do_not() {
        let settings = json!({"tracking_mode": "process_name", "tracking_delay": 5});
        let own = json!({"path": "/g/Doom.exe", "tracking_mode": "folder", "tracking_delay": "900",
            "tracking_frequency": "0.1"});
        let found = tracking(own, settings.clone());
        assert_eq!(found.follow, Follow::Folders(vec!["/g".into()]));
        assert_eq!(
            (found.delay, found.frequency),
            (Duration::from_mins(10), Duration::from_millis(500))
        );
        let bad = json!({"path": "/g/Doom.exe", "tracking_mode": "psychic", "tracking_delay": "soon",
            "tracking_frequency": "NaN"});
        let found = tracking(bad, settings);
        assert_eq!(found.follow, Follow::Name("doom".to_owned()));
        assert_eq!(
            (found.delay, found.frequency),
            (Duration::from_secs(5), Duration::from_secs(2))
        );
        for mode in ["", "default", "process", "original_process"] {
            assert_eq!(tracking(json!({"tracking_mode": mode}), json!({})).follow, Follow::Child);
        }
    }

    #[test]
    fn nothing_to_follow_means_the_child() {
        for game in [json!({}), json!({"path": "/x.sh"}), json!({"path": "xdg-open"})] {
            let mut game = game;
            game["tracking_mode"] = "folder".into();
            assert_eq!(tracking(game, json!({})).follow, Follow::Child);
        }
        assert_eq!(
            tracking(json!({"tracking_mode": "process_name"}), json!({})).follow,
            Follow::Child
        );
    }

    #[test]
    fn a_folder_behind_a_link_is_followed_where_it_is() {
        let dir = tempfile::tempdir().expect("a folder");
        let base = dir.path().canonicalize().expect("real");
        let (real, link) = (base.join("real"), base.join("link"));
        crate::files::Files::system().private_dir(&real).expect("made");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        let mut follow = Follow::Folders(vec![link.clone(), base.join("gone")]);
        follow.resolve();
        assert_eq!(follow, Follow::Folders(vec![link, base.join("gone"), real]));
    }

    #[test]
    fn processes_are_recognised() {
        let seen = |name: &str, line: &str, folder: &str| Seen {
            name: name.to_owned(),
            command_line: line.to_owned(),
            folder: (!folder.is_empty()).then(|| folder.into()),
            ..Seen::default()
        };
        let folder = Follow::Folders(vec!["/games/a".into()]);
        assert!(folder.matches(&seen("", "", "/games/a")));
        assert!(folder.matches(&seen("", "", "/games/a/bin")));
        assert!(!folder.matches(&seen("", "", "/games/ab")));
        assert!(!folder.matches(&seen("", "", "")));
        let name = Follow::Name("doom".to_owned());
        assert!(name.matches(&seen("DOOM", "", "")));
        assert!(name.matches(&seen("wine", "Z:\\Doom.exe -x", "")));
        assert!(!name.matches(&seen("quake", "quake", "")));
        assert!(!Follow::Child.matches(&seen("a", "a", "/a")));
    }
}
