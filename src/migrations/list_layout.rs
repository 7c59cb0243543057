//! Where a list of a front end lies, and where its games and its media are.
//!
//! A list lies next to the games of its system, or in a folder of the front end
//! (`ES-DE/gamelists/<system>`), whose settings name the folder of the games. Media that a list does
//! not name are found by the name of the game (`downloaded_media/<system>/covers/<name>.png`).

use std::{
    collections::HashMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use quick_xml::{Reader, events::Event};

use crate::{
    base::limits,
    formats::{
        sheet_text,
        xml_rows::{self, Row, Shape},
    },
    game::path_checks,
    scan::{
        Tree as _,
        tree::{Disk, EntryKind},
    },
};

/// The name of a list.
pub const LIST: &str = "gamelist.xml";
/// The extension of playlists.
const PLAYLIST: &str = "lpl";
/// What the names of playlists begin with that hold games of all systems.
const OF_ALL: [&str; 2] = ["content_", "all_"];
/// The names of playlists that hold music, videos and pictures.
const OF_MEDIA: [&str; 3] =
    ["content_music_history", "content_video_history", "content_image_history"];
/// Where playlists lie below the folder that is named.
const PLAYLISTS: [&str; 4] = ["", "playlists", "builtin", "playlists/builtin"];
/// The folder of a front end that holds a folder with a list for each system.
const LISTS: &str = "gamelists";
/// The folder of a front end that holds collections, what the names of their files begin and end with, and
/// the bytes of one.
const COLLECTIONS: &str = "collections";
const COLLECTION: (&str, &str) = ("custom-", ".cfg");
const COLLECTION_BYTES: u64 = 4 << 20;
/// The folder of a front end that holds media, by system and kind.
const MEDIA: &str = "downloaded_media";
/// Where front ends keep their settings, below their folder.
const SETTINGS: [&str; 3] = ["settings/es_settings.xml", "es_settings.xml", "es_settings.cfg"];
/// Where they keep systems that the user changed or added.
const SYSTEMS: [&str; 2] = ["custom_systems/es_systems.xml", "es_systems.cfg"];
/// What stands for the folder of all games in them.
const GAMES_FOLDER: &str = "%ROMPATH%";
/// Where games are, below the home, when the settings do not name them.
const GAMES: [&str; 3] = ["ROMs", "RetroPie/roms", "roms"];
/// Where they are beside a front end that has a folder of its own, or in it.
const OWN_GAMES: [&str; 2] = ["ROMs", "roms"];
/// Folders of front ends below the home whose media belong to lists next to the games.
const HOMES: [&str; 2] = ["ES-DE", ".emulationstation"];
/// Lists of one tree, and folders below one system that are searched for media.
const MOST: usize = 500;
/// Bytes of a settings file.
const SETTINGS_BYTES: u64 = 1 << 20;
/// Folders of media with the fields they are for.
pub const KINDS: [(&str, &str); 10] = [
    ("covers", "cover"),
    ("screenshots", "screenshots"),
    ("titlescreens", "title_screen"),
    ("marquees", "clear_logo"),
    ("fanart", "fanart"),
    ("3dboxes", "box_3d"),
    ("backcovers", "box_back"),
    ("physicalmedia", "cart_front"),
    ("manuals", "manual"),
    ("videos", "video_snap"),
];

/// Where the games and media of a list are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListLayout {
    /// The folder that relative paths of the list count from.
    pub root: PathBuf,
    /// The folder that `%ROMPATH%` stands for.
    pub games: PathBuf,
    /// The name of the system's folder; blank when unknown.
    pub system: String,
    /// Media by field and by the path of the game below `root`, without its extension.
    media: HashMap<(&'static str, String), String>,
    /// Media that are found under another name than that of the game's file, by field and that name.
    named: HashMap<(&'static str, String), Vec<MediaFile>>,
}

/// A media file that is found under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaFile {
    /// Its place among the folders of its program; the first that has a file counts.
    pub kind: usize,
    /// The folder of its region; blank for none.
    pub region: String,
    /// Absolute.
    pub path: String,
}

impl ListLayout {
    /// Of a list at this path, whose home this is. Reads settings and the folders of media.
    pub fn of(list: &Path, home: &Path) -> Self {
        let folder = list.parent().unwrap_or(Path::new("/"));
        let system = name_of(folder);
        let lists = folder.parent().filter(|parent| parent.file_name() == Some(OsStr::new(LISTS)));
        let front_end = lists.and_then(Path::parent);
        let (games, media) = if let Some(front_end) = front_end {
            let settings = read_settings(front_end);
            let named = |name: &str| {
                let value = settings.get(name).filter(|value| !value.is_empty())?;
                path_checks::absolute(value, home)
            };
            // A front end with a folder of its own keeps its games there (`retrodeck/ES-DE`, `retrodeck/roms`);
            // one directly in the home shares its folders.
            let around = front_end.parent().filter(|parent| *parent != home);
            let own = around.into_iter().chain([front_end]);
            let own = own.flat_map(|folder| OWN_GAMES.map(|games| folder.join(games)));
            let own: Vec<PathBuf> = own.filter(|games| games.is_dir()).collect();
            let usual = own.iter().cloned().chain(GAMES.map(|games| home.join(games)));
            let existing = usual.into_iter().find(|games| games.join(&system).is_dir());
            let existing = existing.or_else(|| own.into_iter().next());
            let games = named("ROMDirectory").or(existing);
            let media = named("MediaDirectory").unwrap_or_else(|| front_end.join(MEDIA));
            (games.unwrap_or_else(|| home.join(GAMES[0])), vec![media])
        } else {
            let games = folder.parent().unwrap_or(folder).to_owned();
            (games, HOMES.iter().map(|front_end| home.join(front_end).join(MEDIA)).collect())
        };
        let named =
            front_end.and_then(|front_end| folder_of_system(front_end, &system, &games, home));
        let root = match front_end {
            Some(_) => named.unwrap_or_else(|| games.join(&system)),
            None => folder.to_owned(),
        };
        let mut layout = Self { root, games, system, ..Self::default() };
        for media in media {
            layout.find_media(&media.join(&layout.system));
        }
        layout
    }

    /// Of games below this folder, without media yet.
    pub fn new(root: &Path, system: String) -> Self {
        Self { root: root.to_owned(), system, ..Self::default() }
    }

    /// The file of a field that belongs to the game with this path; blank without one.
    pub fn media_of(&self, field: &'static str, game: &str) -> &str {
        let inside = Path::new(game).strip_prefix(&self.root).unwrap_or(Path::new(""));
        let stem = inside.with_extension("");
        let key = (field, stem.to_string_lossy().into_owned());
        self.media.get(&key).map_or("", String::as_str)
    }

    /// The fields whose media are found by the name of the game.
    pub fn fields() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(_, field)| *field)
    }

    /// Enters a file of a field under a key. Of a field for one file those that would never count are left
    /// out: of a later kind, and further ones of a region.
    pub fn add_media(&mut self, field: &'static str, key: String, file: MediaFile, is_list: bool) {
        let files = self.named.entry((field, key)).or_default();
        let is_behind = |known: &MediaFile| known.kind < file.kind || known.region == file.region;
        let is_wanted =
            if is_list { files.len() < limits::SCREENSHOTS } else { !files.iter().any(is_behind) };
        if is_wanted {
            files.push(file);
        }
    }

    /// The files of a field under a key, in the order of their kinds and names.
    pub fn media_under(&self, field: &'static str, key: &str) -> &[MediaFile] {
        self.named.get(&(field, key.to_owned())).map_or(&[], Vec::as_slice)
    }

    fn find_media(&mut self, system: &Path) {
        for (folder, field) in KINDS {
            let top = system.join(folder);
            let mut open = vec![top.clone()];
            let mut searched = 0;
            while let Some(folder) = open.pop().filter(|_| searched < MOST) {
                searched += 1;
                let listing = Disk.list(&folder).unwrap_or_default();
                for entry in listing.entries {
                    let path = folder.join(&entry.name);
                    match entry.kind {
                        EntryKind::Folder => open.push(path),
                        EntryKind::File => {
                            let stem = path.strip_prefix(&top).unwrap_or(&path).with_extension("");
                            let (Some(stem), Some(path)) = (stem.to_str(), path.to_str()) else {
                                continue;
                            };
                            let key = (field, stem.to_owned());
                            let known = self.media.entry(key).or_insert_with(|| path.to_owned());
                            // Of two extensions the same one wins whatever the order of the disk.
                            if path < known.as_str() {
                                path.clone_into(known);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// The lists at a path: itself, or those of a folder of games, of a front end or of playlists.
pub fn lists(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let mut found = vec![path.join(LIST)];
    for folder in [path.to_owned(), path.join(LISTS)] {
        let entries = Disk.list(&folder).map(|listing| listing.entries).unwrap_or_default();
        let folders = entries.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
        found.extend(folders.map(|entry| folder.join(entry.name).join(LIST)));
    }
    // Playlists lie in the folder of RetroArch that is named after them, or next to its settings; newer
    // versions keep what was played and what is liked in a folder of its own.
    for folder in PLAYLISTS.map(|inner| path.join(inner)) {
        let entries = Disk.list(&folder).map(|listing| listing.entries).unwrap_or_default();
        let names = entries.into_iter().map(|entry| folder.join(entry.name));
        let is_playlist =
            |list: &PathBuf| list.extension() == Some(OsStr::new(PLAYLIST)) && !holds_media(list);
        found.extend(names.filter(is_playlist));
    }
    found.retain(|list| list.is_file());
    // A list of what was played, or is liked, describes a game less than that of its system.
    let is_of_all = |list: &PathBuf| {
        let name = list.file_name().unwrap_or_default().to_string_lossy();
        OF_ALL.iter().any(|start| name.starts_with(start))
    };
    found.sort();
    found.sort_by_key(is_of_all);
    found.truncate(MOST);
    found
}

/// Whether a list at this path is a playlist of music, videos or pictures, which are not games.
pub fn holds_media(list: &Path) -> bool {
    let name = list.file_stem().and_then(OsStr::to_str);
    name.is_some_and(|name| OF_MEDIA.contains(&name))
}

/// The collections that the user made in the front end a list belongs to, by name: the paths of their
/// games as they are written.
pub fn collections(list: &Path) -> Vec<(String, Vec<String>)> {
    let lists = list.parent().and_then(Path::parent);
    let front_end = lists.filter(|lists| lists.ends_with(LISTS)).and_then(Path::parent);
    let Some(folder) = front_end.map(|front_end| front_end.join(COLLECTIONS)) else {
        return Vec::new();
    };
    let entries = Disk.list(&folder).map(|listing| listing.entries).unwrap_or_default();
    let mut names: Vec<String> = entries
        .into_iter()
        .filter_map(|entry| {
            let file = entry.name.into_string().ok()?;
            Some(file.strip_prefix(COLLECTION.0)?.strip_suffix(COLLECTION.1)?.to_owned())
        })
        .collect();
    names.sort();
    names.truncate(MOST);
    let read = |name: String| {
        let file = folder.join([COLLECTION.0, &name, COLLECTION.1].concat());
        let bytes = Disk.read_start(&file, COLLECTION_BYTES).unwrap_or_default();
        let text = sheet_text::decode(&bytes);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        (name, lines.map(str::to_owned).collect())
    };
    names.into_iter().map(read).collect()
}

/// What distinguishes a list of a tree from the others: its folder where all are named alike, else its own name.
pub fn name_of_list(list: &Path) -> String {
    let is_alike = list.file_name() == Some(OsStr::new(LIST));
    let named = if is_alike { list.parent().and_then(Path::file_name) } else { list.file_stem() };
    named.unwrap_or_default().to_string_lossy().into_owned()
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The folder of media that the settings of a front end name.
pub fn named_media(front_end: &Path, home: &Path) -> Option<PathBuf> {
    let settings = read_settings(front_end);
    let value = settings.get("MediaDirectory").filter(|value| !value.is_empty())?;
    path_checks::absolute(value, home)
}

/// The folder that the user named for the games of a system.
fn folder_of_system(front_end: &Path, system: &str, games: &Path, home: &Path) -> Option<PathBuf> {
    SYSTEMS.iter().find_map(|file| {
        let bytes = Disk.read_start(&front_end.join(file), SETTINGS_BYTES).ok()?;
        let mut written = String::new();
        let mut row = |row: Row| {
            if row.first(&["name"]) == system && written.is_empty() {
                row.first(&["path"]).clone_into(&mut written);
            }
        };
        let shape = Shape { roots: &["systemlist"], row: "system", direct: true };
        if let Err(error) = xml_rows::each(&sheet_text::decode(&bytes), shape, &mut row) {
            log::debug!("the systems of a front end were not read: {error}");
        }
        match written.strip_prefix(GAMES_FOLDER) {
            Some(rest) => Some(games.join(rest.trim_start_matches('/'))),
            None => path_checks::absolute(&written, home).filter(|_| !written.is_empty()),
        }
    })
}

/// The settings of a front end. Their file has no root: one element stands below the other.
fn read_settings(front_end: &Path) -> HashMap<String, String> {
    let files = SETTINGS.iter().map(|file| front_end.join(file));
    let bytes = files.flat_map(|file| Disk.read_start(&file, SETTINGS_BYTES)).next();
    let text = sheet_text::decode(&bytes.unwrap_or_default());
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    let mut settings = HashMap::new();
    while let Ok(event) = reader.read_event() {
        let (Event::Start(element) | Event::Empty(element)) = event else {
            if matches!(event, Event::Eof) {
                break;
            }
            continue;
        };
        let value = |key: &str| {
            let mut attributes = element.attributes().flatten();
            let found = attributes.find(|each| each.key.local_name().as_ref() == key)?;
            let text: &str = &found.value;
            let plain = quick_xml::escape::unescape(text).map(std::borrow::Cow::into_owned);
            Some(plain.unwrap_or_else(|_| text.to_owned()))
        };
        if let (Some(name), Some(value)) = (value("name"), value("value")) {
            settings.insert(name, value.trim().to_owned());
        }
    }
    settings
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;

    use super::*;
    use crate::files::testing::put;

    #[test]
    fn a_front_end_says_where_its_games_are() {
        let home = tempfile::tempdir().expect("a home");
        let home = home.path();
        let list = home.join("ES-DE/gamelists/snes/gamelist.xml");
        let root = |layout: &ListLayout| (layout.root.clone(), layout.system.clone());
        assert_eq!(root(&ListLayout::of(&list, home)), (home.join("ROMs/snes"), "snes".to_owned()));
        fs::create_dir_all(home.join("RetroPie/roms/snes")).expect("made");
        assert_eq!(ListLayout::of(&list, home).root, home.join("RetroPie/roms/snes"));
        put(
            home.join("ES-DE/settings/es_settings.xml"),
            "<?xml version=\"1.0\"?>\n<bool name=\"X\" value=\"true\" />\n\
             <string name=\"ROMDirectory\" value=\"~/my &amp; games/\" />",
        );
        for (written, expected) in [
            ("%ROMPATH%/super", "my & games/super"),
            ("~/elsewhere", "elsewhere"),
            ("", "my & games/snes"),
        ] {
            let system = |name: &str, path: &str| {
                format!("<system><name>{name}</name><path>{path}</path></system>")
            };
            let systems = [system("nes", "/nes"), system("snes", written)].concat();
            let file = home.join("ES-DE/custom_systems/es_systems.xml");
            put(file, format!("<?xml version=\"1.0\"?>\n<systemList>{systems}</systemList>"));
            assert_eq!(ListLayout::of(&list, home).root, home.join(expected), "{written}");
        }
        put(home.join("ES-DE/downloaded_media/snes/covers/sub/A & B (USA).png"), "x");
        put(home.join("ES-DE/downloaded_media/snes/covers/C.jpg"), "x");
        let layout = ListLayout::of(&list, home);
        assert_eq!(layout.root, home.join("my & games/snes"));
        let cover =
            |game: &str| layout.media_of("cover", &layout.root.join(game).to_string_lossy());
        assert!(cover("sub/A & B (USA).sfc").ends_with("covers/sub/A & B (USA).png"));
        assert!(cover("C.zip").ends_with("covers/C.jpg"));
        assert_eq!((cover("D.zip"), layout.media_of("cover", "/elsewhere/C.zip")), ("", ""));
        // A list next to its games has the media of the front end too.
        let beside = ListLayout::of(&home.join("roms/snes/gamelist.xml"), home);
        assert_eq!(beside.root, home.join("roms/snes"));
        let game = home.join("roms/snes/C.zip");
        assert!(beside.media_of("cover", &game.to_string_lossy()).ends_with("C.jpg"));
    }

    #[test]
    fn games_with_their_front_end_come_before_those_of_the_home() {
        let home = tempfile::tempdir().expect("a home");
        let home = home.path();
        let root =
            |list: &str| ListLayout::of(&home.join(list).join("snes/gamelist.xml"), home).root;
        fs::create_dir_all(home.join("roms/snes")).expect("made");
        fs::create_dir_all(home.join("retrodeck/roms/nes")).expect("made");
        // What the front end does not have is looked for in the home.
        assert_eq!(root("retrodeck/ES-DE/gamelists"), home.join("roms/snes"));
        fs::create_dir_all(home.join("retrodeck/roms/snes")).expect("made");
        for list in ["retrodeck/ES-DE/gamelists", "retrodeck/gamelists"] {
            assert_eq!(root(list), home.join("retrodeck/roms/snes"), "{list}");
        }
        fs::create_dir_all(home.join("RetroPie/roms/snes")).expect("made");
        assert_eq!(root(".emulationstation/gamelists"), home.join("RetroPie/roms/snes"));
        fs::remove_dir_all(home.join("roms")).expect("removed");
        fs::remove_dir_all(home.join("RetroPie")).expect("removed");
        let list = home.join("retrodeck/ES-DE/gamelists/gba/gamelist.xml");
        assert_eq!(
            ListLayout::of(&list, home).root,
            home.join("retrodeck/roms/gba"),
            "not there yet"
        );
    }

    #[test]
    fn a_folder_holds_the_lists_of_its_systems() {
        let home = tempfile::tempdir().expect("a home");
        let home = home.path();
        for list in ["ES-DE/gamelists/nes", "ES-DE/gamelists/snes", "roms/gba", "roms/gba/deep"] {
            put(home.join(list).join(LIST), "");
        }
        let shown = |folder: &str| lists(&home.join(folder)).len();
        assert_eq!((shown("ES-DE"), shown("ES-DE/gamelists"), shown("roms")), (2, 2, 1));
        assert_eq!((shown("roms/gba"), shown("none")), (2, 1));
        for list in ["content_history.lpl", "playlists/NES.lpl", "playlists/note.txt"] {
            put(home.join("retroarch").join(list), "");
        }
        assert_eq!((shown("retroarch"), shown("retroarch/playlists")), (2, 1));
        for list in ["content_favorites", "content_history", "content_music_history"] {
            put(home.join("retroarch/playlists/builtin").join(list).with_extension("lpl"), "");
        }
        put(home.join("retroarch/content_video_history.lpl"), "");
        put(home.join("retroarch/content_image_history.lpl"), "");
        let (all, inner) = (shown("retroarch"), shown("retroarch/playlists"));
        assert_eq!((all, inner, shown("retroarch/playlists/builtin")), (4, 3, 2));
    }
}
