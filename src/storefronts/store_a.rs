//! The first store (Steam): manifests in library folders, owned games in the user's configuration.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::{
    base::{Moment, text::reason},
    formats::key_values::{self, Item},
    imports::programs,
    process::search,
    scan::{Tree as _, tree::Disk},
};

use super::{error::StorefrontError, title::Title, tools};

/// The source of its rows.
pub const SOURCE: &str = "store_a";
pub(super) const LABEL: &str = "Steam";
pub(super) const PACKAGE: &str = "com.valvesoftware.Steam";
/// Where it keeps its files below the home.
const ROOTS: [&str; 3] =
    [".local/share/Steam", ".steam/steam", ".var/app/com.valvesoftware.Steam/.local/share/Steam"];
/// Bytes of a file that are read.
const FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Runtimes and tools that come with games and are not games.
const TOOLS: [u32; 5] = [228_980, 250_820, 1_070_560, 1_391_110, 1_628_350];
/// How the names of others begin, and how those of servers end.
const TOOL_NAMES: [&str; 3] = ["Proton ", "Steam Linux Runtime", "Source SDK Base"];
const SERVER: &str = " Dedicated Server";

/// The flag in the state of a game that all of it is installed.
const COMPLETE: u32 = 4;

/// The games in the library folders.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// The games by their id, those that are not complete too.
    pub games: BTreeMap<u32, Manifest>,
    /// The ids of installed runtimes, which are not games.
    pub tools: BTreeSet<u32>,
    /// Libraries that could not be read: `<path>: <reason>`.
    pub errors: Vec<String>,
}

/// One game in a library folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Its name.
    pub name: String,
    /// Its folder; `None` where the manifest does not name it.
    pub folder: Option<PathBuf>,
    /// Whether all of it is there: it may still be downloaded, or was stopped.
    pub is_complete: bool,
}

/// How its games are started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// The program.
    pub path: PathBuf,
    /// The command with `{app_id}` in it.
    pub template: &'static str,
    /// The commands of other programs that are known to be missing.
    pub gone: Vec<&'static str>,
}

const NATIVE: &str = "steam -applaunch {app_id}";
const PACKAGED: &str = "flatpak run com.valvesoftware.Steam -applaunch {app_id}";
const OPENED: &str = "xdg-open steam://rungameid/{app_id}";

/// The first installed program that starts its games. May run the package tool.
///
/// # Errors
/// [`StorefrontError::NoLauncher`] when there is none.
pub fn launcher() -> Result<Launcher, StorefrontError> {
    if let Some(path) = search::on_path("steam") {
        // Looking the package up would start a process in every pass of the watcher.
        let gone = if programs::has_packages() { Vec::new() } else { vec![PACKAGED] };
        return Ok(Launcher { path, template: NATIVE, gone });
    }
    if let Some(path) = programs::package(PACKAGE) {
        return Ok(Launcher { path, template: PACKAGED, gone: vec![NATIVE] });
    }
    let path = tools::opener().map_err(|_| StorefrontError::NoLauncher(LABEL))?;
    Ok(Launcher { path, template: OPENED, gone: vec![NATIVE, PACKAGED] })
}

/// Reads all library folders below this home.
pub fn installed(home: &Path) -> Installed {
    let mut found = Installed::default();
    for library in libraries(home) {
        let folder = library.join("steamapps");
        match Disk.list(&folder) {
            Ok(listing) => {
                let mut names: Vec<String> = listing
                    .entries
                    .into_iter()
                    .filter_map(|entry| entry.name.into_string().ok())
                    .collect();
                names.sort_unstable();
                let is_manifest = |name: &&String| {
                    name.strip_prefix("appmanifest_")
                        .is_some_and(|rest| rest.strip_suffix(".acf").is_some())
                };
                for name in names.iter().filter(is_manifest) {
                    take_manifest(&folder, name, &mut found);
                }
            }
            Err(error) => found.errors.push(format!("{}: {}", folder.display(), reason(&error))),
        }
    }
    found
}

fn take_manifest(folder: &Path, name: &str, found: &mut Installed) {
    let Ok(bytes) = Disk.read_start(&folder.join(name), FILE_BYTES) else { return };
    let items = key_values::parse(&bytes);
    let id = key_values::value(&items, "appid").and_then(|id| id.trim().parse::<u32>().ok());
    let title = key_values::value(&items, "name").map(str::trim).filter(|name| !name.is_empty());
    let (Some(id @ 1..), Some(title)) = (id, title) else { return };
    let is_tool = TOOL_NAMES.iter().any(|tool| title.starts_with(tool)) || title.ends_with(SERVER);
    if is_tool || TOOLS.contains(&id) {
        found.tools.insert(id);
        return;
    }
    let place = key_values::value(&items, "installdir").filter(|place| !place.trim().is_empty());
    // The folder around all games is not that of one: what runs in it would count for this game.
    let folder = place.map(|place| folder.join("common").join(place));
    let flags = key_values::value(&items, "StateFlags").and_then(|flags| flags.trim().parse().ok());
    let is_complete = flags.is_none_or(|flags: u32| flags & COMPLETE != 0);
    let manifest = || Manifest { name: title.to_owned(), folder, is_complete };
    found.games.entry(id).or_insert_with(manifest);
}

/// Its roots below the home, without links, each once.
fn roots(home: &Path) -> BTreeSet<PathBuf> {
    let places = ROOTS.iter().map(|place| home.join(place));
    let real = places.filter_map(|place| fs::canonicalize(place).ok());
    real.filter(|root| fs::symlink_metadata(root.join("steamapps")).is_ok()).collect()
}

/// All library folders: the roots and what their lists name.
pub(super) fn libraries(home: &Path) -> BTreeSet<PathBuf> {
    let mut all = roots(home);
    for root in all.clone() {
        let list = root.join("steamapps/libraryfolders.vdf");
        let bytes = Disk.read_start(&list, FILE_BYTES).unwrap_or_default();
        let items = key_values::parse(&bytes);
        let older = items.iter().filter_map(older_library);
        let named = key_values::values(&items, "path").chain(older).map(PathBuf::from);
        let named = named.filter(|path| path.is_absolute());
        let real = named.map(|path| fs::canonicalize(&path).unwrap_or(path));
        all.extend(real.filter(|path| fs::symlink_metadata(path.join("steamapps")).is_ok()));
    }
    all
}

/// The folder of a library in a list of an older client, where it is the value of the library's number.
fn older_library(item: &Item) -> Option<&str> {
    match item {
        Item::Pair { depth: 1, key, value } if key.parse::<u32>().is_ok() => Some(value),
        _ => None,
    }
}

/// How long a game was played, as the store counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Of all users of this machine.
    pub minutes: u64,
    /// Seconds since 1970; a day or less for never.
    pub last: i64,
}

/// The blocks around the applications of a user; below them each block is one.
const APPLICATIONS: [&str; 5] = ["", "software", "valve", "steam", "apps"];

/// The time that the store writes for an unknown one.
const UNKNOWN_TIME: i64 = 86_400;

/// The most digits of an id of a game; longer numbers are shortcuts that the user made.
const ID_DIGITS: usize = 8;

/// The games that users of this machine own, with what they played; those installed too. Other
/// blocks with numbers for names are depots.
pub fn owned(home: &Path, installed: &Installed) -> BTreeMap<u32, Played> {
    let mut owned = BTreeMap::new();
    for root in roots(home) {
        let users = root.join("userdata");
        let entries = Disk.list(&users).map(|listing| listing.entries).unwrap_or_default();
        for user in entries {
            let file = users.join(&user.name).join("config/localconfig.vdf");
            let bytes = Disk.read_start(&file, FILE_BYTES).unwrap_or_default();
            add_applications(&key_values::parse(&bytes), &mut owned);
        }
    }
    owned.retain(|id, _| !installed.tools.contains(id));
    for id in installed.games.keys() {
        owned.entry(*id).or_default();
    }
    owned
}

fn add_applications(items: &[Item], owned: &mut BTreeMap<u32, Played>) {
    if !add_below(items, owned, &|open| {
        // The root has the name of the file's purpose, which differs.
        open.len() == APPLICATIONS.len()
            && open[1..].iter().zip(&APPLICATIONS[1..]).all(|(open, name)| open == name)
    }) {
        // Versions of the client differ in the blocks around the applications.
        add_below(items, owned, &|open| open.last().is_some_and(|last| last == APPLICATIONS[4]));
    }
}

/// Adds the applications below a block that is wanted; whether there is such a block.
fn add_below(
    items: &[Item],
    owned: &mut BTreeMap<u32, Played>,
    is_wanted: &dyn Fn(&[String]) -> bool,
) -> bool {
    let mut open: Vec<String> = Vec::new();
    let mut any = false;
    for item in items {
        let (Item::Pair { depth, .. } | Item::Block { depth, .. }) = item;
        open.truncate(*depth);
        if let Item::Block { key, .. } = item {
            open.push(key.to_lowercase());
        }
        any |= is_wanted(&open);
        let is_inside = open.split_last().is_some_and(|(_, around)| is_wanted(around));
        let id = open.last().filter(|id| is_inside && id.len() <= ID_DIGITS);
        let Some(id) = id.and_then(|id| id.parse::<u32>().ok()) else {
            continue;
        };
        if id == 0 || TOOLS.contains(&id) {
            continue;
        }
        let played = owned.entry(id).or_default();
        if let Item::Pair { key, value, .. } = item {
            match key.to_lowercase().as_str() {
                "playtime" => played.minutes += value.trim().parse().unwrap_or(0),
                "lastplayed" => played.last = played.last.max(value.trim().parse().unwrap_or(0)),
                _ => {}
            }
        }
    }
    any
}

/// The installed games as titles, in the order of their ids.
pub fn titles(home: &Path, installed: &Installed, launcher: &Launcher) -> Vec<Title> {
    let owned = owned(home, installed);
    let games = installed.games.iter().filter(|(_, manifest)| manifest.is_complete);
    games
        .map(|(id, manifest)| {
            let played = owned.get(id).cloned().unwrap_or_default();
            title(*id, Some(manifest), &played, launcher, None)
        })
        .collect()
}

/// The whole catalog in the order of the ids.
///
/// # Errors
/// [`StorefrontError::NoLauncher`] when nothing starts its games.
pub fn catalog(home: &Path) -> Result<Vec<Title>, StorefrontError> {
    let launcher = launcher()?;
    let opener = tools::opener().ok();
    let installed = installed(home);
    let owned = owned(home, &installed).into_iter();
    let title = |(id, played): (u32, Played)| {
        title(id, installed.games.get(&id), &played, &launcher, opener.as_deref())
    };
    Ok(owned.map(title).collect())
}

fn title(
    id: u32,
    manifest: Option<&Manifest>,
    played: &Played,
    launcher: &Launcher,
    opener: Option<&Path>,
) -> Title {
    let stand_in = format!("{LABEL} App {id}");
    let install_uri = format!("steam://store/{id}");
    let name = manifest.map_or_else(|| stand_in.clone(), |manifest| manifest.name.clone());
    let manifest = manifest.filter(|manifest| manifest.is_complete);
    let (path, launch) = match manifest {
        Some(_) => (launcher.path.as_path(), launcher.template.to_owned()),
        None => (opener.unwrap_or(&launcher.path), format!("xdg-open {install_uri}")),
    };
    Title {
        id: id.to_string(),
        id_key: "store_a_app_id",
        name,
        stand_in,
        source: SOURCE.to_owned(),
        label: LABEL.to_owned(),
        platform: "PC".to_owned(),
        is_installed: manifest.is_some(),
        path: path.to_string_lossy().into_owned(),
        launch,
        install_uri,
        gone: launcher
            .gone
            .iter()
            .filter(|_| manifest.is_some())
            .map(|gone| (*gone).to_owned())
            .collect(),
        install_dir: manifest
            .and_then(|manifest| Some(manifest.folder.as_ref()?.to_string_lossy().into_owned()))
            .unwrap_or_default(),
        played_seconds: played.minutes.saturating_mul(60),
        last_played: Some(played.last)
            .filter(|last| *last > UNKNOWN_TIME)
            .map(|last| Moment::from_unix_local(last).local_iso())
            .unwrap_or_default(),
        ..Title::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing::put;

    fn manifest(id: u32, name: &str) -> String {
        format!(
            "\"AppState\"\n{{\n\t\"appid\"\t\t\"{id}\"\n\t\"name\"\t\t\"{name}\"\n\t\"installdir\"\t\"Dir {id}\"\n}}"
        )
    }

    #[test]
    fn lists_of_older_clients_name_libraries_by_number() {
        let home = tempfile::tempdir().expect("a home");
        let home = fs::canonicalize(home.path()).expect("real");
        let (root, card) = (home.join(ROOTS[0]), home.join("card"));
        put(
            root.join("steamapps/libraryfolders.vdf"),
            format!(
                "\"LibraryFolders\"\n{{\n\t\"TimeNextStatsReport\"\t\"1600000000\"\n\t\"ContentStatsID\"\t\"-1\"\n\
                 \t\"1\"\t\t\"{}\"\n\t\"2\"\t\t\"D:\\\\SteamLibrary\"\n\t\"3\"\t\t\"/gone\"\n}}\n",
                card.display()
            ),
        );
        put(card.join("steamapps/appmanifest_50.acf"), manifest(50, "On Card"));
        assert_eq!(libraries(&home), BTreeSet::from([root, card]));
        assert_eq!(installed(&home).games[&50].name, "On Card");
    }

    #[test]
    fn a_game_whose_folder_is_not_named_has_none() {
        let home = tempfile::tempdir().expect("a home");
        let home = fs::canonicalize(home.path()).expect("real");
        let apps = home.join(ROOTS[0]).join("steamapps");
        put(apps.join("appmanifest_1.acf"), r#""AppState" { "appid" "1" "name" "One" }"#);
        let two = r#""AppState" { "appid" "2" "name" "Two" "installdir" "" }"#;
        put(apps.join("appmanifest_2.acf"), two);
        put(apps.join("appmanifest_3.acf"), manifest(3, "Three"));
        let found = installed(&home);
        assert_eq!((found.games.len(), found.errors.len()), (3, 0));
        let launcher = Launcher { path: "/x/steam".into(), template: NATIVE, gone: Vec::new() };
        let folders: Vec<String> =
            titles(&home, &found, &launcher).into_iter().map(|title| title.install_dir).collect();
        let three = apps.join("common/Dir 3").to_string_lossy().into_owned();
        assert_eq!(folders, [String::new(), String::new(), three]);
    }

    #[test]
    fn reads_all_libraries_and_what_is_owned() {
        let home = tempfile::tempdir().expect("a home");
        let home = fs::canonicalize(home.path()).expect("real");
        let (root, card) = (home.join(ROOTS[0]), home.join("card"));
        put(root.join("steamapps/appmanifest_440.acf"), manifest(440, "Team \\\"Game\\\""));
        put(root.join("steamapps/appmanifest_1.acf"), "\"AppState\" { \"appid\" \"1\"");
        put(root.join("steamapps/appmanifest_2.acf"), manifest(1_628_350, "Tool"));
        put(root.join("steamapps/appmanifest_3.acf"), manifest(99, "Proton 9.0"));
        for (id, name) in [
            (250_820, "SteamVR"),
            (243_750, "Source SDK Base 2013 Multiplayer"),
            (222_860, "Left 4 Dead 2 Dedicated Server"),
        ] {
            put(root.join(format!("steamapps/appmanifest_{id}.acf")), manifest(id, name));
        }
        put(
            root.join("steamapps/libraryfolders.vdf"),
            format!(
                "\"libraryfolders\" {{ \"0\" {{ \"path\" \"{}\" }} \"1\" {{ \"path\" \"{}\" }} \"2\" {{ \"path\" \"/gone\" }} }}",
                root.display(),
                card.display()
            ),
        );
        put(card.join("steamapps/appmanifest_50.acf"), manifest(50, "On Card"));
        put(
            root.join("userdata/7/config/localconfig.vdf"),
            r#""UserLocalConfigStore" { "Software" { "Valve" { "Steam" {
                "Apps" { "440" { "LastPlayed" "1700000000" "Playtime" "90" "cloud" { "1" { } } }
                    "70" { } "0" { } "99" { "Playtime" "3" } "2789567361" { } "123456789" { } }
                "depots" { "441" { } } } } }
                "apptickets" { "228980" "x" } "apps" { "5" { } } "442" { } }"#,
        );
        let broken = home.join(ROOTS[2]);
        put(broken.join("steamapps"), "a file");
        std::os::unix::fs::symlink(&root, home.join(".steam")).expect("linked");

        let found = installed(&home);
        assert_eq!(found.games.keys().copied().collect::<Vec<_>>(), [50, 440]);
        assert_eq!(found.games[&440].name, "Team \"Game\"");
        assert_eq!(
            found.games[&50].folder.as_deref(),
            Some(&*card.join("steamapps/common/Dir 50"))
        );
        let refused = format!("{}: Not a directory", broken.join("steamapps").display());
        assert_eq!(found.errors, [refused]);
        let owned = owned(&home, &found);
        assert_eq!(owned.keys().copied().collect::<Vec<_>>(), [50, 70, 440]);
        assert_eq!(owned[&440], Played { minutes: 90, last: 1_700_000_000 });

        let mut other = BTreeMap::new();
        let around = r#""Store" { "Depots" { "9" { } } "Apps" { "7" { "Playtime" "5" } } }"#;
        add_applications(&key_values::parse(around.as_bytes()), &mut other);
        assert_eq!(other, BTreeMap::from([(7, Played { minutes: 5, last: 0 })]));

        let launcher = Launcher { path: "/x/steam".into(), template: NATIVE, gone: Vec::new() };
        let title = title(70, None, &owned[&70], &launcher, Some(Path::new("/x/xdg-open")));
        assert_eq!((title.name.as_str(), title.path.as_str()), ("Steam App 70", "/x/xdg-open"));
        assert_eq!(title.launch, "xdg-open steam://store/70");
        assert!(!title.is_installed);
    }

    #[test]
    fn a_game_that_is_not_complete_is_not_installed() {
        let home = tempfile::tempdir().expect("a home");
        let home = fs::canonicalize(home.path()).expect("real");
        let apps = home.join(ROOTS[0]).join("steamapps");
        for (id, flags) in [(1, "4"), (2, "6"), (3, "1026"), (4, "2"), (5, "?")] {
            let text = format!(
                r#""AppState" {{ "appid" "{id}" "name" "G{id}" "installdir" "d" "StateFlags" "{flags}" }}"#
            );
            put(apps.join(format!("appmanifest_{id}.acf")), &text);
        }
        let found = installed(&home);
        let launcher = Launcher { path: "/x/steam".into(), template: NATIVE, gone: Vec::new() };
        let names: Vec<String> =
            titles(&home, &found, &launcher).into_iter().map(|title| title.name).collect();
        assert_eq!(names, ["G1", "G2", "G5"]);
        let waiting = title(3, found.games.get(&3), &Played::default(), &launcher, None);
        assert_eq!((waiting.name.as_str(), waiting.is_installed), ("G3", false));
        assert_eq!(
            (waiting.install_dir.as_str(), &*waiting.launch),
            ("", "xdg-open steam://store/3")
        );
    }

    #[test]
    fn a_time_that_the_store_does_not_know_is_none() {
        let launcher = Launcher { path: "/x/steam".into(), template: NATIVE, gone: Vec::new() };
        let played =
            |last| title(1, None, &Played { minutes: 1, last }, &launcher, None).last_played;
        assert_eq!((played(0), played(86_400)), (String::new(), String::new()));
        assert!(!played(86_401).is_empty());
    }
}
