//! The second store (Heroic), a launcher of several stores: JSON lists of what they installed and
//! own.

use std::{collections::HashMap, path::Path};

use serde_json::Value;

use crate::{
    base::{Moment, text},
    formats::sheet_text,
    model::{
        Record,
        inner_stores::{AMAZON, EPIC, GOG, InnerStore, OWN, XBOX},
    },
    scan::{Tree as _, tree::Disk},
};

use super::{error::StorefrontError, title::Title, tools};

/// Where it keeps its files below the home.
pub(super) const BASES: [&str; 2] =
    [".config/heroic", ".var/app/com.heroicgameslauncher.hgl/config/heroic"];
/// Lists of installed games below a base, with the inner store.
const INSTALLED: [(&str, &InnerStore); 5] = [
    ("legendaryConfig/legendary/installed.json", &EPIC),
    ("gog_store/installed.json", &GOG),
    ("nile_config/nile/installed.json", &AMAZON),
    ("nile_config/installed.json", &AMAZON),
    ("sideload_apps/library.json", &OWN),
];
/// The same list outside of a base.
const APART: [&str; 2] = [
    ".config/legendary/installed.json",
    ".var/app/com.heroicgameslauncher.hgl/config/legendary/installed.json",
];
/// Lists of owned games below a base.
const OWNED: [(&str, &InnerStore); 7] = [
    ("store_cache/legendary_library.json", &EPIC),
    ("store_cache/nile_library.json", &AMAZON),
    ("store_cache/legendaryLibrary.json", &EPIC),
    ("store_cache/gog_library.json", &GOG),
    ("store_cache/nileLibrary.json", &AMAZON),
    ("store_cache/gameDB.json", &EPIC),
    ("GamesConfig/legendary.json", &EPIC),
];
/// What the user set up for each game, below a base: a file named after the game.
const SETTINGS: &str = "GamesConfig";
/// How long each game was played, below a base.
const PLAYED: &str = "store/timestamp.json";
/// What stores install for games: ids, and words in titles.
const SHARED_IDS: [&str; 2] = ["gog-redist", "98bc04bc842e4906993fd6d6644ffb8d"];
const SHARED_TITLE: &str = "redistributable";
/// Bytes of a list that are read.
const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// What the lists of games hold about each other's games.
#[derive(Default)]
struct Facts {
    /// Names by inner store and id.
    names: HashMap<(&'static str, String), String>,
    /// Seconds and the last time by id.
    played: HashMap<String, (u64, String)>,
}

impl Facts {
    fn read(home: &Path) -> Self {
        let mut facts = Self::default();
        for base in BASES.map(|base| home.join(base)) {
            for (file, inner) in OWNED {
                for (key, game) in read_list(&base.join(file)) {
                    let inner = inner_of(&game, inner);
                    if let Some((id, name)) = id_of(&key, &game).zip(first(&game, &NAMES)) {
                        facts.names.entry((inner.name, id)).or_insert(name);
                    }
                }
            }
            for (id, game) in read_list(&base.join(PLAYED)) {
                let seconds = game.count("totalPlayed").saturating_mul(60);
                let last = Moment::parse(game.text("lastPlayed"));
                let last = last.map(|last| last.local_iso()).unwrap_or_default();
                facts.played.entry(id).or_insert((seconds, last));
            }
        }
        facts
    }
}

const NAMES: [&str; 3] = ["title", "app_title", "name"];

/// The first of these values that is not blank.
fn first(game: &Record, keys: &[&str]) -> Option<String> {
    let mut values = keys.iter().map(|key| game.shown(key).trim().to_owned());
    values.find(|value| !value.is_empty())
}

fn id_of(key: &str, game: &Record) -> Option<String> {
    first(game, &["app_name", "appName", "product_id", "id"]).or_else(|| {
        let key = key.trim();
        (!key.is_empty()).then(|| key.to_owned())
    })
}

/// The installed games, by inner store in the order of the files.
///
/// # Errors
/// [`StorefrontError::NoOpener`] when nothing can start them.
pub fn installed(home: &Path) -> Result<Vec<Title>, StorefrontError> {
    let opener = tools::opener()?;
    let mut titles = read_installed(home, &opener);
    titles.retain(|title| title.is_installed);
    add_prefixes(home, &mut titles);
    Ok(titles)
}

/// The whole catalog: what is owned, and what is installed without further facts.
///
/// # Errors
/// As [`installed`].
pub fn catalog(home: &Path) -> Result<Vec<Title>, StorefrontError> {
    let opener = tools::opener()?;
    let installed = read_installed(home, &opener);
    let facts = Facts::read(home);
    let mut all = Vec::new();
    for base in BASES.map(|base| home.join(base)) {
        for (file, inner) in OWNED {
            for (key, game) in read_list(&base.join(file)) {
                add(&mut all, title(&key, &game, inner_of(&game, inner), &facts, &opener, false));
            }
        }
    }
    for title in installed {
        match all.iter_mut().find(|known| is_same(known, &title)) {
            Some(known) if title.is_installed => *known = title,
            Some(_) => {}
            None => all.push(title),
        }
    }
    Ok(all)
}

fn read_installed(home: &Path, opener: &Path) -> Vec<Title> {
    let in_bases = BASES.iter().flat_map(|base| {
        INSTALLED.iter().map(move |(file, inner)| (home.join(base).join(file), *inner))
    });
    let apart = APART.iter().map(|file| (home.join(file), &EPIC));
    let facts = Facts::read(home);
    let mut all = Vec::new();
    for (file, inner) in in_bases.chain(apart) {
        for (key, game) in read_list(&file) {
            add(&mut all, title(&key, &game, inner, &facts, opener, true));
        }
    }
    all
}

fn add_prefixes(home: &Path, titles: &mut [Title]) {
    for title in titles {
        title.more.extend(prefix_of(home, &title.id).map(|prefix| ("wine_prefix", prefix)));
    }
}

/// The prefix that the user chose for a game.
fn prefix_of(home: &Path, id: &str) -> Option<String> {
    if id.contains('/') || id.starts_with('.') {
        return None;
    }
    let bytes = BASES.iter().find_map(|base| {
        let file = home.join(base).join(SETTINGS).join(format!("{id}.json"));
        Disk.read_start(&file, FILE_BYTES).ok()
    });
    let settings: Value = serde_json::from_str(&sheet_text::decode(&bytes?)).ok()?;
    let prefix = settings.get(id)?.get("winePrefix")?.as_str()?.trim();
    prefix.starts_with('/').then(|| prefix.to_owned())
}

fn add(all: &mut Vec<Title>, title: Option<Title>) {
    if let Some(title) = title
        && !all.iter().any(|known| is_same(known, &title))
    {
        all.push(title);
    }
}

fn is_same(a: &Title, b: &Title) -> bool {
    a.inner == b.inner && a.id == b.id
}

/// The games of a list with their keys: a list of objects, an object of objects, or one of these
/// wrapped once. Anything else is not a list.
fn read_list(file: &Path) -> Vec<(String, Record)> {
    let bytes = Disk.read_start(file, FILE_BYTES).unwrap_or_default();
    let value = serde_json::from_str(&sheet_text::decode(&bytes)).unwrap_or_default();
    games_of(&value, true)
}

fn games_of(value: &Value, may_be_wrapped: bool) -> Vec<(String, Record)> {
    match value {
        Value::Array(list) => {
            let games = list.iter().filter_map(Value::as_object);
            games.map(|game| (String::new(), game.clone().into())).collect()
        }
        Value::Object(map) => {
            let wrapped = ["installed", "library", "games"].iter().find_map(|key| map.get(*key));
            let wrapped = wrapped.filter(|inner| inner.is_array() || inner.is_object());
            if let Some(inner) = wrapped.filter(|_| may_be_wrapped) {
                return games_of(inner, false);
            }
            let games = map.iter().filter_map(|(key, game)| Some((key.clone(), game.as_object()?)));
            games.map(|(key, game)| (key, game.clone().into())).collect()
        }
        _ => Vec::new(),
    }
}

fn title(
    key: &str,
    game: &Record,
    inner: &InnerStore,
    facts: &Facts,
    opener: &Path,
    is_installed: bool,
) -> Option<Title> {
    // Programs that the user added stay in their list when they are removed from the disk.
    let is_installed = is_installed && game.get("is_installed") != Some(&Value::Bool(false));
    let id = id_of(key, game)?;
    let folder = first(game, &["install_path", "installPath", "path"]).unwrap_or_default();
    // Lists of installed games often hold no title; those of owned games do.
    let known = || facts.names.get(&(inner.name, id.clone())).cloned();
    let name = first(game, &NAMES).or_else(known)?;
    let is_part = |game: &Record| game.flag("is_dlc");
    let install = game.get("install").and_then(Value::as_object);
    if is_part(game) || install.is_some_and(|install| is_part(&install.clone().into())) {
        return None;
    }
    if SHARED_IDS.contains(&id.as_str()) || text::fold(&name).contains(SHARED_TITLE) {
        return None;
    }
    let (played_seconds, last_played) = facts.played.get(&id).cloned().unwrap_or_default();
    let install_uri = format!("heroic://install/{}/{id}", inner.runner);
    let launch = if is_installed {
        format!("xdg-open heroic://launch/{}/{{store_b_app_id}}", inner.runner)
    } else {
        format!("xdg-open {install_uri}")
    };
    Some(Title {
        id,
        id_key: "store_b_app_id",
        name,
        source: inner.name.to_owned(),
        label: inner.name.to_owned(),
        inner: Some(inner.name.to_owned()),
        platform: "PC".to_owned(),
        is_installed,
        install_uri,
        path: opener.to_string_lossy().into_owned(),
        launch,
        install_dir: if is_installed { folder } else { String::new() },
        played_seconds,
        last_played,
        ..Title::default()
    })
}

/// The inner store a game names, else the one of its list.
fn inner_of(game: &Record, listed: &'static InnerStore) -> &'static InnerStore {
    let keys = ["store", "store_name", "runner", "platform"];
    let named = keys.iter().map(|key| text::fold(game.text(key))).find_map(|name| {
        Some(match name.as_str() {
            "epic" | "legendary" => &EPIC,
            "gog" => &GOG,
            "sideload" => &OWN,
            "amazon" | "nile" => &AMAZON,
            name if name.contains("xbox") || name.contains("game pass") => &XBOX,
            _ => return None,
        })
    });
    named.unwrap_or(listed)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;

    use super::*;
    use crate::files::testing;

    fn put(home: &Path, file: &str, text: &str) {
        testing::put(home.join(file), text);
    }

    fn shown(titles: &[Title]) -> Vec<(&str, &str, &str, bool)> {
        let shown = titles.iter();
        shown.map(|title| (&*title.source, &*title.id, &*title.name, title.is_installed)).collect()
    }

    #[test]
    fn reads_every_form_of_list_once() {
        let home = tempfile::tempdir().expect("a home");
        let home = home.path();
        put(
            home,
            ".config/heroic/legendaryConfig/legendary/installed.json",
            r#"{"Fox": {"title": "Fox Game", "install_path": "/g/fox"}, "Dlc": {"title": "D", "is_dlc": true}, "Bare": {}, "odd": 3}"#,
        );
        put(home, ".config/legendary/installed.json", r#"{"Fox": {"title": "Again"}}"#);
        put(
            home,
            ".config/heroic/gog_store/installed.json",
            r#"{"installed": [{"appName": 7, "name": "Old Game"}, null]}"#,
        );
        put(home, ".config/heroic/nile_config/installed.json", "not json");
        let opener = Path::new("/x/xdg-open");
        let titles = read_installed(home, opener);
        assert_eq!(
            shown(&titles),
            [("Epic", "Fox", "Fox Game", true), ("GOG", "7", "Old Game", true)]
        );
        assert_eq!(titles[0].launch, "xdg-open heroic://launch/legendary/{store_b_app_id}");
        assert_eq!(titles[0].install_dir, "/g/fox");
    }

    #[test]
    fn lists_with_a_mark_or_a_wrong_byte_are_read() {
        let home = tempfile::tempdir().expect("a home");
        let home = home.path();
        let base = home.join(".config/heroic");
        put(
            home,
            ".config/heroic/gog_store/installed.json",
            "\u{feff}{\"installed\": [{\"appName\": \"7\"}]}",
        );
        let owned = "\u{feff}{\"games\": [{\"app_name\": \"7\", \"title\": \"Seven\"}]}";
        put(home, ".config/heroic/store_cache/gog_library.json", owned);
        let epic = base.join("legendaryConfig/legendary");
        fs::create_dir_all(&epic).expect("made");
        fs::write(epic.join("installed.json"), b"{\"Fox\": {\"title\": \"Pok\xe9 Fox\"}}")
            .expect("written");
        let titles = read_installed(home, Path::new("/x/xdg-open"));
        assert_eq!(
            shown(&titles),
            [("Epic", "Fox", "Poké Fox", true), ("GOG", "7", "Seven", true)]
        );
    }

    #[test]
    fn games_without_a_title_are_named_by_what_is_owned() {
        let home = tempfile::tempdir().expect("a home");
        let home = home.path();
        let base = ".config/heroic";
        put(
            home,
            &format!("{base}/gog_store/installed.json"),
            r#"{"installed": [{"appName": "1207", "platform": "windows", "executable": "", "install_path": "/g/one"},
                {"appName": "gog-redist"}, {"appName": "9"}]}"#,
        );
        put(
            home,
            &format!("{base}/store_cache/gog_library.json"),
            r#"{"library": [{"app_name": "1207", "runner": "gog", "title": "One", "install": {"is_dlc": false}},
                {"app_name": "2", "runner": "gog", "title": "Two", "install": {}},
                {"app_name": "3", "runner": "gog", "title": "Extra", "install": {"is_dlc": true}},
                {"app_name": "1456460669", "runner": "gog", "title": "Galaxy Common Redistributables"}]}"#,
        );
        put(
            home,
            &format!("{base}/nile_config/nile/installed.json"),
            r#"[{"id": "amzn1.x", "version": "1", "path": "/g/prime"}]"#,
        );
        put(
            home,
            &format!("{base}/store_cache/nile_library.json"),
            r#"{"library": [{"app_name": "amzn1.x", "runner": "nile", "title": "Prime"}]}"#,
        );
        put(
            home,
            &format!("{base}/store_cache/legendary_library.json"),
            r#"{"library": [{"app_name": "Fox", "runner": "legendary", "title": "Fox"}]}"#,
        );
        put(
            home,
            &format!("{base}/sideload_apps/library.json"),
            r#"{"games": [{"runner": "sideload", "app_name": "own1", "title": "Mine",
                "install": {"executable": "/g/mine.exe", "platform": "Windows"}, "is_installed": true},
                {"runner": "sideload", "app_name": "own2", "title": "Gone", "is_installed": false}]}"#,
        );
        put(
            home,
            &format!("{base}/store/timestamp.json"),
            r#"{"1207": {"firstPlayed": "2024-01-01T10:00:00.000Z", "lastPlayed": "2024-02-01T10:00:00.000Z",
                "totalPlayed": 90}}"#,
        );
        put(
            home,
            &format!("{base}/GamesConfig/1207.json"),
            r#"{"1207": {"winePrefix": "/p/one", "wineVersion": {}}, "version": "v0"}"#,
        );
        put(home, &format!("{base}/GamesConfig/own1.json"), r#"{"own1": {"winePrefix": ""}}"#);
        let mut titles = read_installed(home, Path::new("/x/xdg-open"));
        add_prefixes(home, &mut titles);
        assert_eq!(titles[0].more, [("wine_prefix", "/p/one".to_owned())]);
        assert!(titles[2].more.is_empty());
        assert_eq!(
            shown(&titles),
            [
                ("GOG", "1207", "One", true),
                ("Amazon", "amzn1.x", "Prime", true),
                ("Heroic", "own1", "Mine", true),
                ("Heroic", "own2", "Gone", false)
            ]
        );
        assert_eq!((titles[0].played_seconds, titles[0].install_dir.as_str()), (5_400, "/g/one"));
        assert!(titles[0].last_played.starts_with("2024-02-01T"), "{}", titles[0].last_played);
        assert_eq!(titles[2].launch, "xdg-open heroic://launch/sideload/{store_b_app_id}");
    }

    #[test]
    fn games_name_their_inner_store() {
        let game = |value| serde_json::from_value::<Record>(value).expect("an object");
        for (value, expected) in [
            (serde_json::json!({"store": "GOG"}), &GOG),
            (serde_json::json!({"store_name": "nile"}), &AMAZON),
            (serde_json::json!({"platform": "Xbox Game Pass"}), &XBOX),
            (serde_json::json!({"platform": "Windows"}), &EPIC),
        ] {
            assert_eq!(inner_of(&game(value), &EPIC), expected);
        }
    }
}
