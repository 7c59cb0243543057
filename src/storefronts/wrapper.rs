//! The wrapper launcher (Faugus): its game files and the prefixes it keeps, read only.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use crate::{
    base::{schema::schema, text},
    config::environment::Environment,
    formats::{launch_env, sheet_text},
    imports::{Incoming, brought},
    model::Record,
    process::search,
    scan::{
        Tree as _,
        tree::{Disk, EntryKind},
    },
};

/// The source of its rows.
pub const SOURCE: &str = "wrapper";
const LABEL: &str = "Faugus";
/// The runner of programs for this system.
const NATIVE: &str = "Linux-Native";
/// The program that a game with more performance is started with.
const GAME_MODE: &str = "gamemoderun";
/// The picture of games without one.
const NO_BANNER: &str = "faugus-banner.png";
/// Folders below the home.
const PLACES: [&str; 6] = [
    ".config/faugus-launcher",
    ".local/share/faugus-launcher",
    ".var/app/io.github.Faugus.faugus-launcher/config/faugus-launcher",
    "Faugus",
    ".config/faugus-launcher/prefixes",
    ".local/share/faugus-launcher/prefixes",
];
/// Bytes of a game file that are read.
const FILE_BYTES: u64 = 1024 * 1024;

/// One game of the wrapper, or a prefix without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrapperGame {
    /// Its id; with `wrapper:` before it the identity of its row.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The executable; blank for a bare prefix.
    pub path: String,
    /// The prefix it runs in; blank when unknown.
    pub prefix: String,
    /// The runner; blank for the default.
    pub runner: String,
    /// The file that describes it; blank for a bare prefix.
    pub config_path: String,
    /// Seconds it was played.
    pub played_seconds: u64,
    /// Variables of its environment and words before its program, as they are written.
    pub launch_arguments: String,
    /// Words behind its program, as they are written.
    pub game_arguments: String,
    /// Whether it is shown with an overlay.
    pub has_overlay: bool,
    /// Whether it runs under the program that raises the performance of the machine, which is here.
    pub has_game_mode: bool,
    /// The absolute path of its picture; blank without one.
    pub banner: String,
    /// Whether the user marked it.
    pub is_favorite: bool,
    /// Whether the user hid it.
    pub is_hidden: bool,
}

schema! {
    "WrapperGame"
    /// A game or a bare prefix as a scan shows it.
    #[derive(Clone, Debug)]
    pub struct WrapperView {
        /// Always `wrapper`.
        pub source: &'static str,
        /// The identity of its row.
        pub source_identity: String,
        /// Its id.
        pub wrapper_id: String,
        /// Its name.
        pub name: String,
        /// The executable; blank for a bare prefix.
        pub path: String,
        /// The prefix it runs in; blank when unknown.
        pub prefix: String,
        /// The runner; blank for the default.
        pub runner: String,
        /// The file that describes it; blank for a bare prefix.
        pub config_path: String,
    }
}

impl WrapperGame {
    /// How a scan shows it.
    pub fn view(self) -> WrapperView {
        WrapperView {
            source: SOURCE,
            source_identity: format!("wrapper:{}", self.id),
            wrapper_id: self.id,
            name: self.name,
            path: self.path,
            prefix: self.prefix,
            runner: self.runner,
            config_path: self.config_path,
        }
    }

    /// The environment of its program, and the words before it.
    fn before(&self) -> (Map<String, Value>, Vec<String>) {
        let mut environment = Map::new();
        let mut set = |key: &str, value: &str| {
            let lines = json!({ key: value });
            environment.extend(launch_env::parse(&lines).unwrap_or_default());
        };
        if self.runner != NATIVE && !self.prefix.is_empty() {
            set("WINEPREFIX", &self.prefix);
            set("GAMEID", &self.id);
            if !self.runner.is_empty() {
                set("PROTONPATH", &self.runner);
            }
        }
        if self.has_overlay {
            set("MANGOHUD", "1");
        }
        let mut words = Vec::new();
        if self.has_game_mode {
            words.push(GAME_MODE.to_owned());
        }
        let mut is_variable = true;
        for word in shlex::split(&self.launch_arguments).unwrap_or_default() {
            match word.split_once('=') {
                Some((key, value)) if is_variable && text::is_variable_name(key) => {
                    set(key, value);
                }
                _ => {
                    is_variable = false;
                    words.extend(shlex::try_quote(&word).ok().map(Into::into));
                }
            }
        }
        (environment, words)
    }

    /// The row an import makes of it.
    pub fn incoming(&self) -> Incoming {
        let mut record = Record::default();
        let (environment, words) = self.before();
        let mut words: Vec<String> = words;
        if self.runner != NATIVE {
            words.push("umu-run".to_owned());
        }
        // A path may hold blanks; the token keeps it one argument.
        words.push("{path}".to_owned());
        if !self.game_arguments.is_empty() {
            words.push(self.game_arguments.clone());
        }
        let launch = if self.path.is_empty() { String::new() } else { words.join(" ") };
        for (key, value) in [
            ("name", self.name.as_str()),
            ("platform", if self.runner == NATIVE { "Linux" } else { "Windows" }),
            ("source", SOURCE),
            ("collection", LABEL),
            ("path", &self.path),
            ("launch", &launch),
            ("wrapper_id", &self.id),
            ("wine_prefix", &self.prefix),
            ("runner", &self.runner),
        ] {
            record.set(key, value);
        }
        if !self.banner.is_empty() {
            record.set("cover", self.banner.as_str());
        }
        if !environment.is_empty() && !self.path.is_empty() {
            record.set("launch_env", environment);
        }
        for (key, is_set) in [("favorite", self.is_favorite), ("hidden", self.is_hidden)] {
            if is_set {
                record.set(key, true);
            }
        }
        brought::note(&mut record, LABEL, self.played_seconds, "");
        Incoming { record, label: LABEL.to_owned(), ..Incoming::default() }
    }
}

/// The folders the wrapper has on this machine, sorted, each once.
pub fn data_dirs(environment: &Environment) -> Vec<PathBuf> {
    let mut places = Vec::new();
    if let Some(home) = environment.home() {
        places.extend(PLACES.iter().map(|place| home.join(place)));
    }
    for base in ["XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        if let Some(base) = environment.path(base).filter(|base| base.is_absolute()) {
            places.extend(["faugus-launcher", "faugus"].map(|name| base.join(name)));
        }
    }
    let existing: BTreeSet<PathBuf> = places.into_iter().filter(|place| place.is_dir()).collect();
    existing.into_iter().collect()
}

/// Every game in these folders, then prefixes no game names; sorted by name, each once.
pub fn scan(data_dirs: &[PathBuf]) -> Vec<WrapperGame> {
    let mut found: BTreeMap<String, WrapperGame> = BTreeMap::new();
    for folder in data_dirs {
        for inner in ["", "games", "configs"] {
            for file in json_files(&folder.join(inner)) {
                for game in read_games(&file) {
                    found.entry(game.id.clone()).or_insert(game);
                }
            }
        }
    }
    // Two names of one folder are one prefix, as everywhere.
    let named = found.values().filter(|game| !game.prefix.is_empty());
    let mut known: BTreeSet<PathBuf> = named.map(|game| real(Path::new(&game.prefix))).collect();
    for prefix in data_dirs.iter().flat_map(|folder| prefixes(folder)) {
        if known.insert(real(&prefix)) {
            let game = bare_prefix(&prefix);
            found.entry(game.id.clone()).or_insert(game);
        }
    }
    let mut games: Vec<WrapperGame> = found.into_values().collect();
    games.sort_by_key(|game| text::fold(&game.name));
    games
}

/// The JSON files directly in a folder, no links, in the order of their names.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = Disk.list(folder).map(|listing| listing.entries).unwrap_or_default();
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::File)
        .map(|entry| folder.join(entry.name))
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    files
}

/// The games of a file: a list of them, or one that is named after the file.
fn read_games(file: &Path) -> Vec<WrapperGame> {
    let bytes = Disk.read_start(file, FILE_BYTES).unwrap_or_default();
    let stem = file.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    match serde_json::from_str(&sheet_text::decode(&bytes)) {
        Ok(Value::Array(games)) => {
            let games = games.into_iter().filter_map(|game| match game {
                Value::Object(game) => read_game(&game.into(), file, ""),
                _ => None,
            });
            games.collect()
        }
        Ok(Value::Object(game)) => read_game(&game.into(), file, stem).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// A game with an id and a name; `stem` stands for what it lacks.
fn read_game(game: &Record, file: &Path, stem: &str) -> Option<WrapperGame> {
    let first = |keys: &[&str]| {
        let mut values = keys.iter().map(|key| game.shown(key).trim().to_owned());
        values.find(|value| !value.is_empty()).unwrap_or_default()
    };
    // A switch is a flag, or what it adds to the command.
    let is_on = |key: &str| match game.get(key) {
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(text)) => {
            !["", "0", "false"].contains(&text.trim().to_lowercase().as_str())
        }
        _ => false,
    };
    let or_stem = |value: String| if value.is_empty() { stem.to_owned() } else { value };
    let game = WrapperGame {
        id: or_stem(first(&["game_id", "id", "GAMEID", "gameid"])),
        name: or_stem(first(&["name", "title", "game_name"])),
        path: first(&["exe", "path", "executable"]),
        prefix: first(&["prefix", "WINEPREFIX", "wine_prefix"]),
        runner: first(&["runner", "PROTONPATH", "proton"]),
        config_path: file.to_string_lossy().into_owned(),
        played_seconds: game.count("playtime"),
        launch_arguments: first(&["launch_arguments"]),
        game_arguments: first(&["game_arguments"]),
        has_overlay: is_on("mangohud"),
        has_game_mode: is_on("gamemode") && search::on_path(GAME_MODE).is_some(),
        banner: Some(first(&["banner"])).filter(|banner| is_picture(banner)).unwrap_or_default(),
        is_favorite: is_on("favorite"),
        is_hidden: is_on("hidden"),
    };
    (!game.id.is_empty() && !game.name.is_empty()).then_some(game)
}

/// Whether a banner is a picture of the game: not the one that the wrapper shows where there is none.
fn is_picture(banner: &str) -> bool {
    let path = Path::new(banner);
    path.is_absolute() && path.file_name().is_some_and(|name| name != NO_BANNER)
}

/// The prefixes of a folder: itself, its children and those of `prefixes` that hold a drive.
fn prefixes(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = children(folder)
        .into_iter()
        .chain(children(&folder.join("prefixes")))
        .chain([folder.to_owned()])
        .filter(|child| child.join("drive_c").is_dir())
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The folders directly in a folder, no links.
pub(super) fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = Disk.list(folder).map(|listing| listing.entries).unwrap_or_default();
    let folders = entries.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
    let mut folders: Vec<PathBuf> = folders.map(|entry| folder.join(entry.name)).collect();
    folders.sort();
    folders
}

fn bare_prefix(prefix: &Path) -> WrapperGame {
    let folder = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let words = folder.replace('-', " ");
    let name = words.split_whitespace().map(title_case).collect::<Vec<_>>().join(" ");
    WrapperGame {
        name: if name.is_empty() { folder.clone() } else { name },
        id: folder,
        prefix: prefix.to_string_lossy().into_owned(),
        ..WrapperGame::default()
    }
}

fn title_case(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.flat_map(char::to_lowercase)).collect()
}

/// The prefix of a row: a field that names an existing folder, else the variable in its command.
pub fn prefix_of(row: &Record, environment: &Environment) -> Option<PathBuf> {
    let fields = ["wine_prefix", "prefix", "WINEPREFIX"].iter();
    let named = fields
        .map(|key| row.text(key).trim())
        .filter(|path| !path.is_empty())
        .map(|path| environment.expand_home(path))
        .find(|path| path.is_absolute() && path.is_dir());
    named.or_else(|| {
        let words = shlex::split(row.text("launch"))?;
        let value = words.iter().find_map(|word| word.strip_prefix("WINEPREFIX="))?.to_owned();
        Some(environment.expand_home(&expand_variables(&value, environment)))
    })
}

/// `$NAME` and `${NAME}` replaced where the variable is known.
fn expand_variables(text: &str, environment: &Environment) -> String {
    let mut parts = text.split('$');
    let mut expanded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = match part.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some(pair) => pair,
            None => part.split_at(
                part.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                    .unwrap_or(part.len()),
            ),
        };
        if let Some(value) = environment.text(name).filter(|_| text::is_variable_name(name)) {
            expanded.push_str(value);
            expanded.push_str(rest);
        } else {
            expanded.push('$');
            expanded.push_str(part);
        }
    }
    expanded
}

/// Whether the wrapper is here: any of its folders exists.
pub fn is_installed(data_dirs: &[PathBuf]) -> bool {
    !data_dirs.is_empty()
}

/// The real path of a folder, itself where it cannot be resolved.
pub(super) fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;
    use crate::files::testing::put;

    #[test]
    fn finds_games_and_prefixes_once() {
        let home = tempfile::tempdir().expect("a home");
        let base = home.path().join(".config/faugus-launcher");
        put(
            base.join("games/one.json"),
            r#"{"title": "One", "exe": "/g/one.exe", "prefix": "/p/one"}"#,
        );
        put(base.join("configs/two.json"), r#"{"gameid": 1, "id": "abc"}"#);
        put(base.join("broken.json"), "{");
        put(base.join("prefixes/my-other-game/drive_c/x"), "");
        let environment =
            Environment::from_process([("HOME", home.path().to_str().expect("text"))]);
        let folders = data_dirs(&environment);
        assert_eq!(folders, [base.clone(), base.join("prefixes")]);
        let games = scan(&folders);
        let shown: Vec<_> =
            games.iter().map(|game| (&*game.name, &*game.id, &*game.path)).collect();
        assert_eq!(
            shown,
            [
                ("My Other Game", "my-other-game", ""),
                ("One", "one", "/g/one.exe"),
                ("two", "abc", "")
            ]
        );
        assert_eq!(games[1].incoming().record.text("launch"), "umu-run {path}");
        assert_eq!(games[0].incoming().record.text("launch"), "");
    }

    #[test]
    fn a_prefix_that_a_game_names_in_another_way_is_no_second_game() {
        let home = tempfile::tempdir().expect("a home");
        let base = home.path().join("Faugus");
        for prefix in ["one", "one/inner", "two", "."] {
            fs::create_dir_all(base.join(prefix).join("drive_c")).expect("made");
        }
        std::os::unix::fs::symlink(&base, home.path().join("link")).expect("linked");
        let list = json!([{"gameid": "game", "title": "Game", "path": "/g/one.exe",
            "prefix": home.path().join("link/one/")}]);
        put(base.join("games.json"), list.to_string());
        let games = scan(std::slice::from_ref(&base));
        let ids: Vec<&str> = games.iter().map(|game| game.id.as_str()).collect();
        assert_eq!(ids, ["Faugus", "game", "two"]);
        assert_eq!(scan(&[home.path().join("link"), base]).len(), 3);
    }

    #[test]
    fn the_list_of_games_holds_many() {
        let home = tempfile::tempdir().expect("a home");
        let base = home.path().join(".config/faugus-launcher");
        put(
            base.join("games.json"),
            r#"[{"gameid": "one", "title": "One", "path": "/g/a b/one.exe", "prefix": "/p/one",
                "launch_arguments": "", "runner": "GE-Proton", "playtime": 120},
                {"gameid": "two", "title": "Two", "path": "/g/two.sh", "prefix": "", "runner": "Linux-Native"},
                {"title": "No id"}, 3]"#,
        );
        let games = scan(&[base]);
        let shown: Vec<_> = games.iter().map(|game| (&*game.id, &*game.name)).collect();
        assert_eq!(shown, [("one", "One"), ("two", "Two")]);
        assert_eq!((games[0].played_seconds, games[0].runner.as_str()), (120, "GE-Proton"));
        let variables = json!({"WINEPREFIX": "/p/one", "GAMEID": "one", "PROTONPATH": "GE-Proton"});
        assert_eq!(games[0].incoming().record.get("launch_env"), Some(&variables));
        let native = games[1].incoming().record;
        assert_eq!((native.text("launch"), native.text("platform")), ("{path}", "Linux"));
    }

    #[test]
    fn a_list_with_a_byte_order_mark_is_read() {
        let home = tempfile::tempdir().expect("a home");
        let base = home.path().join(".config/faugus-launcher");
        let list = r#"[{"gameid": "one", "title": "One", "path": "/g/one.exe"}]"#;
        put(base.join("games.json"), format!("\u{feff}{list}"));
        assert_eq!(scan(&[base])[0].name, "One");
    }

    #[test]
    fn what_a_game_is_started_with_is_kept() {
        let home = tempfile::tempdir().expect("a home");
        let base = home.path().join(".config/faugus-launcher");
        put(
            base.join("games.json"),
            r#"[{"gameid": "one", "title": "One", "path": "/g/one.exe", "prefix": "/p/one",
                "launch_arguments": "DXVK_ASYNC=1 OTHER='a b' taskset -c 0", "game_arguments": "-windowed -n \"a b\"",
                "mangohud": "MANGOHUD=1", "gamemode": "", "runner": "", "favorite": true, "hidden": false}]"#,
        );
        let row = scan(&[base])[0].incoming().record;
        let launch = "taskset -c 0 umu-run {path} -windowed -n \"a b\"";
        assert_eq!(row.text("launch"), launch);
        let variables = json!({"WINEPREFIX": "/p/one", "GAMEID": "one", "MANGOHUD": "1",
            "DXVK_ASYNC": "1", "OTHER": "a b"});
        assert_eq!(row.get("launch_env"), Some(&variables));
        assert!(row.flag("favorite") && row.get("hidden").is_none());
    }

    #[test]
    fn a_banner_is_the_cover_and_more_performance_a_program() {
        let home = tempfile::tempdir().expect("a home");
        let base = home.path().join(".config/faugus-launcher");
        put(
            base.join("games.json"),
            r#"[{"gameid": "1", "title": "A", "path": "/g/a.exe", "banner": "/b/a.png"},
                {"gameid": "2", "title": "B", "path": "/g/b.exe", "banner": "/usr/share/faugus-banner.png"},
                {"gameid": "3", "title": "C", "path": "/g/c.exe", "banner": "c.png"}]"#,
        );
        let covers = scan(&[base]).iter().map(|game| game.incoming().record).collect::<Vec<_>>();
        let covers: Vec<&str> = covers.iter().map(|row| row.text("cover")).collect();
        assert_eq!(covers, ["/b/a.png", "", ""]);
        let game = WrapperGame {
            path: "/g/a.exe".to_owned(),
            has_game_mode: true,
            launch_arguments: "A=1 taskset -c 0 B=2".to_owned(),
            ..WrapperGame::default()
        };
        let row = game.incoming().record;
        assert_eq!(row.text("launch"), "gamemoderun taskset -c 0 'B=2' umu-run {path}");
        assert_eq!(row.get("launch_env"), Some(&json!({"A": "1"})));
    }

    #[test]
    fn a_row_names_its_prefix_in_a_field_or_in_its_command() {
        let home = tempfile::tempdir().expect("a home");
        let root = home.path().to_str().expect("text");
        let environment = Environment::from_process([("HOME", root), ("PFX", "/p")]);
        let row = |value| serde_json::from_value::<Record>(value).expect("an object");
        let check = |value, expected: Option<&str>| {
            assert_eq!(prefix_of(&row(value), &environment), expected.map(PathBuf::from));
        };
        check(json!({"wine_prefix": root}), Some(root));
        check(json!({"wine_prefix": "/gone", "launch": "WINEPREFIX=$PFX/a wine x"}), Some("/p/a"));
        check(json!({"launch": "env WINEPREFIX=${PFX}b x"}), Some("/pb"));
        check(json!({"launch": "WINEPREFIX='~/x y' x"}), Some(&format!("{root}/x y")));
        check(json!({"launch": "WINEPREFIX=$NOPE/a x"}), Some("$NOPE/a"));
        check(json!({"launch": "wine 'x"}), None);
        check(json!({}), None);
    }
}
