//! The folder of the older launcher (LaunchBox) around one of its lists: the files of a game next to its
//! main one, the names of emulators, and pictures by title.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

use super::list_layout::{ListLayout, MediaFile};
use crate::{
    base::text,
    formats::{
        sheet_text,
        xml_rows::{self, Row, Shape},
    },
    model::media,
    names::regions::{self, Region},
    scan::{
        Tree as _,
        tree::{Disk, EntryKind},
    },
};

/// The folder of the lists, below that of the launcher.
const LISTS: &str = "Data/Platforms";
/// The list of emulators, below the folder of the launcher.
const EMULATORS: &str = "Data/Emulators.xml";
/// The folder of the playlists, below that of the launcher.
const PLAYLISTS: &str = "Data/Playlists";
/// Bytes of all playlists.
const PLAYLISTS_BYTES: u64 = 32 << 20;
/// Bytes of the list of emulators.
const EMULATORS_BYTES: u64 = 8 << 20;
/// The start of the folders of videos.
const VIDEOS: &str = "Videos/";
/// The root of every list.
pub const ROOTS: &[&str] = &["launchbox"];
/// Folders of media with the fields they are for; the first that has a file counts, and all of screenshots.
pub const KINDS: [(&str, &str); 29] = [
    ("Images/{}/Box - Front", "cover"),
    ("Images/{}/Box - Front - Reconstructed", "cover"),
    ("Images/{}/Box - Back", "box_back"),
    ("Images/{}/Box - Back - Reconstructed", "box_back"),
    ("Images/{}/Box - Spine", "box_spine"),
    ("Images/{}/Box - 3D", "box_3d"),
    ("Images/{}/Clear Logo", "clear_logo"),
    ("Images/{}/Fanart - Background", "background"),
    ("Images/{}/Fanart - Box - Front", "fanart"),
    ("Images/{}/Fanart - Box - Back", "fanart"),
    ("Images/{}/Banner", "banner"),
    ("Images/{}/Icon", "icon"),
    ("Images/{}/Screenshot - Gameplay", "screenshots"),
    ("Images/{}/Screenshot - Game Select", "screenshots"),
    ("Images/{}/Screenshot - Game Over", "screenshots"),
    ("Images/{}/Screenshot - High Scores", "screenshots"),
    ("Images/{}/Screenshot - Game Title", "title_screen"),
    ("Images/{}/Cart - Front", "cart_front"),
    ("Images/{}/Cart - Back", "cart_back"),
    ("Images/{}/Disc", "disc"),
    ("Images/{}/Fanart - Disc", "disc"),
    ("Images/{}/Advertisement Flyer - Front", "advertisement"),
    ("Images/{}/Advertisement Flyer - Back", "advertisement"),
    ("Videos/{}", "video_snap"),
    ("Videos/{}/Theme", "video_theme"),
    ("Videos/{}/Trailer", "video_trailer"),
    ("Videos/{}/Recordings", "video_recording"),
    ("Manuals/{}", "manual"),
    ("Music/{}", "music"),
];
/// Characters of a title that names of files have as `_`.
const REPLACED: [char; 10] = [':', '?', '*', '"', '<', '>', '|', '/', '\\', '\''];

/// The form of an id.
const ID: &str = "00000000-0000-0000-0000-000000000000";

/// Facts of a list and its folder about games, outside of their own elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// More files by the id of the game.
    pub files: HashMap<String, Vec<Row>>,
    /// Other names by the id of the game.
    pub names: HashMap<String, Vec<String>>,
    /// The games with fields that the user of the launcher made, by their ids.
    pub with_custom_fields: HashSet<String>,
    /// The names of emulators by their ids.
    pub emulators: BTreeMap<String, String>,
}

/// A playlist of the launcher.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playlist {
    /// Its name.
    pub name: String,
    /// What is noted about it.
    pub notes: String,
    /// The ids of its games in their order.
    pub games: Vec<String>,
}

/// The playlists of the launcher that a list belongs to, with their content for a comparison.
/// Those that are filled by a rule, or cannot be read, are left out.
pub fn playlists(list: &Path) -> (Vec<Playlist>, Vec<u8>) {
    let mut found = Vec::new();
    let mut all = Vec::new();
    let Some(launcher) = launcher_of(list) else { return (found, all) };
    let mut files = files_below(&launcher.join(PLAYLISTS), 0);
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "xml")) {
        let left = PLAYLISTS_BYTES.saturating_sub(all.len() as u64);
        let bytes = Disk.read_start(file, left).unwrap_or_default();
        match playlist(&sheet_text::decode(&bytes)) {
            Ok(playlist) if !playlist.name.is_empty() && !playlist.games.is_empty() => {
                found.push(playlist);
            }
            Ok(_) => {}
            Err(error) => log::warn!("a playlist was not read: {error}"),
        }
        all.extend(bytes);
    }
    (found, all)
}

fn playlist(text: &str) -> Result<Playlist, xml_rows::Broken> {
    let mut playlist = Playlist::default();
    let shape = |row| Shape { roots: ROOTS, row, direct: false };
    xml_rows::each(text, shape("playlist"), &mut |row| {
        row.first(&["name"]).clone_into(&mut playlist.name);
        row.first(&["notes"]).clone_into(&mut playlist.notes);
    })?;
    let mut games: Vec<(u64, String)> = Vec::new();
    xml_rows::each(text, shape("playlistgame"), &mut |row| {
        let place = row.first(&["manualorder"]).parse().unwrap_or(0);
        games.push((place, row.first(&["gameid"]).to_owned()));
    })?;
    games.sort_by_key(|(place, _)| *place);
    playlist.games = games.into_iter().map(|(_, game)| game).collect();
    Ok(playlist)
}

/// The lists at a path: itself, or those of the launcher's folder.
pub fn lists(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let below = path.join(LISTS);
    let folder = if below.is_dir() { below } else { path.to_owned() };
    let entries = Disk.list(&folder).map(|listing| listing.entries).unwrap_or_default();
    let files = entries.into_iter().filter(|entry| entry.kind == EntryKind::File);
    let mut lists: Vec<PathBuf> = files.map(|entry| folder.join(entry.name)).collect();
    lists.retain(|list| list.extension().is_some_and(|ending| ending == "xml"));
    lists.sort();
    lists
}

/// Where the games and media of a list are; the home means nothing to this launcher.
pub fn layout(list: &Path, _: &Path) -> ListLayout {
    let folder = list.parent().unwrap_or(Path::new("/"));
    let system = list.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let Some(launcher) = launcher_of(list) else {
        return ListLayout::new(folder, system);
    };
    let mut layout = ListLayout::new(launcher, system);
    for (kind, (folder, field)) in KINDS.into_iter().enumerate() {
        let top = launcher.join(folder.replace("{}", &layout.system));
        let is_list = media::MEDIA.iter().any(|kind| kind.field == field && kind.list);
        // Folders of videos are kinds of their own.
        let mut files = files_below(&top, usize::from(!folder.starts_with(VIDEOS)));
        files.sort();
        for file in files {
            let (Some(stem), Some(path)) = (file.file_stem(), file.to_str()) else { continue };
            let key = key_of_file(&stem.to_string_lossy());
            let region = file.parent().filter(|folder| **folder != *top).and_then(Path::file_name);
            let region = region.unwrap_or_default().to_string_lossy().into_owned();
            layout.add_media(
                field,
                key,
                MediaFile { kind, region, path: path.to_owned() },
                is_list,
            );
        }
    }
    layout
}

/// The folder of the launcher that a list belongs to.
fn launcher_of(list: &Path) -> Option<&Path> {
    let folder = list.parent()?;
    folder.ends_with(LISTS).then(|| folder.ancestors().nth(2)).flatten()
}

fn files_below(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let entries = Disk.list(folder).map(|listing| listing.entries).unwrap_or_default();
    let mut files = Vec::new();
    for entry in entries {
        let path = folder.join(entry.name);
        match entry.kind {
            EntryKind::File => files.push(path),
            // A region.
            EntryKind::Folder if depth > 0 => files.extend(files_below(&path, depth - 1)),
            _ => {}
        }
    }
    files
}

/// The game named by a media file: the id, `<id>-01` or `<title>.<id>-01`, else the
/// title, `<title>-01`.
fn key_of_file(stem: &str) -> String {
    let numbered = stem.rsplit_once('-').filter(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let bare = numbered.map_or(stem, |(bare, _)| bare);
    // The last part of an id may be all digits, as numbers are.
    let id = id_at_end(stem).or_else(|| id_at_end(bare));
    id.unwrap_or(bare).to_lowercase()
}

/// The id of a game that is the whole name, or stands behind a title and a dot.
fn id_at_end(stem: &str) -> Option<&str> {
    let start = stem.len().checked_sub(ID.len())?;
    let (before, id) = (stem.get(..start)?, stem.get(start..)?);
    let fits = |(letter, form): (u8, u8)| match form {
        b'-' => letter == form,
        _ => letter.is_ascii_hexdigit(),
    };
    let is_id = id.bytes().zip(ID.bytes()).all(fits);
    (is_id && (before.is_empty() || before.ends_with('.'))).then_some(id)
}

/// How a title stands in the names of files.
pub fn key_of_title(title: &str) -> String {
    title.replace(REPLACED, "_").to_lowercase()
}

/// The rank of a folder of a region, blank for none, among pictures of a game of the region `own`; the
/// lowest counts: the regions of the game, those that the user prefers in their order, none, any other.
pub fn rank_of_region(folder: &str, own: &str, preferred: &[String]) -> usize {
    let of_game = || own.split([',', ';', '/']).map(str::trim).filter(|region| !region.is_empty());
    let last = preferred.len() + 2;
    if folder.is_empty() {
        let none = preferred.iter().position(|region| region.trim().is_empty());
        return none.map_or(last, |at| at + 2);
    }
    if of_game().any(|region| is_same_region(folder, region)) {
        return 0;
    }
    if of_game().any(|region| is_in_area(folder, region)) {
        return 1;
    }
    let at = preferred.iter().position(|region| is_in_area(folder, region.trim()));
    at.map_or(last + 1, |at| at + 2)
}

fn is_same_region(one: &str, other: &str) -> bool {
    let known = |name: &str| regions::by_name(name).map(|region: &Region| region.name);
    text::fold(one) == text::fold(other) || known(one).is_some() && known(one) == known(other)
}

/// Whether a region is another one, or the whole of the area that the other one is in, or a part of it.
fn is_in_area(one: &str, other: &str) -> bool {
    let areas = (regions::by_name(one), regions::by_name(other));
    let is_near = matches!(areas, (Some(one), Some(other)) if one.area == other.area
        && (one.is_whole_area() || other.is_whole_area()));
    is_near || is_same_region(one, other)
}

/// What stands around the games of a list.
///
/// # Errors
/// [`xml_rows::Broken`].
pub fn extras(text: &str, list: &Path) -> Result<Extras, xml_rows::Broken> {
    let mut extras = Extras::default();
    let shape = |row| Shape { roots: ROOTS, row, direct: false };
    xml_rows::each(text, shape("additionalapplication"), &mut |row| {
        let game = row.first(&["gameid"]).to_owned();
        extras.files.entry(game).or_default().push(row);
    })?;
    xml_rows::each(text, shape("alternatename"), &mut |row| {
        let (game, name) = (row.first(&["gameid"]).to_owned(), row.first(&["name"]).to_owned());
        extras.names.entry(game).or_default().push(name);
    })?;
    xml_rows::each(text, shape("customfield"), &mut |row| {
        extras.with_custom_fields.insert(row.first(&["gameid"]).to_owned());
    })?;
    let emulators = launcher_of(list).map(|launcher| launcher.join(EMULATORS));
    let bytes = emulators.and_then(|list| Disk.read_start(&list, EMULATORS_BYTES).ok());
    let text = sheet_text::decode(&bytes.unwrap_or_default());
    let found = xml_rows::each(&text, shape("emulator"), &mut |row| {
        extras.emulators.insert(row.first(&["id"]).to_owned(), row.first(&["title"]).to_owned());
    });
    // A launcher without emulators, or with a list that is damaged, still has its games.
    if let Err(error) = found {
        log::debug!("no emulators were read: {error}");
    }
    Ok(extras)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing;
    use crate::metadb::kinds;

    /// What types of the database begin with that stores give; the launcher has no folders of them.
    const STORES: [&str; 4] = ["Steam ", "GOG ", "Epic Games ", "Amazon "];

    #[test]
    fn manuals_and_music_are_found_by_title() {
        let home = tempfile::tempdir().expect("a home");
        let launcher = home.path();
        for file in ["Manuals/NES/Alpha-01.pdf", "Music/NES/Alpha.mp3"] {
            testing::put(launcher.join(file), "x");
        }
        let layout = layout(&launcher.join(LISTS).join("NES.xml"), Path::new("/"));
        let first = |field| layout.media_under(field, "alpha")[0].path.as_str();
        assert!(first("manual").ends_with("Manuals/NES/Alpha-01.pdf"));
        assert!(first("music").ends_with("Music/NES/Alpha.mp3"));
    }

    #[test]
    fn every_kind_of_the_database_has_its_folder_in_the_same_order() {
        for types in kinds::KINDS {
            let of_kind = KINDS.iter().filter(|(_, field)| *field == types.kind);
            let folders: Vec<&str> =
                of_kind.filter_map(|(folder, _)| folder.strip_prefix("Images/{}/")).collect();
            let mut listed = types.types.to_vec();
            listed.retain(|name| !STORES.iter().any(|store| name.starts_with(store)));
            assert!(folders.starts_with(&listed), "{}: {folders:?} {listed:?}", types.kind);
        }
    }

    #[test]
    fn pictures_of_the_region_of_a_game_come_first() {
        let order = |own: &str, preferred: &[&str]| {
            let preferred: Vec<String> = preferred.iter().map(|name| (*name).to_owned()).collect();
            let mut folders = ["", "Brazil", "Europe", "France", "Japan", "North America", "World"];
            folders.sort_by_key(|folder| (rank_of_region(folder, own, &preferred), *folder));
            folders
        };
        let usual = ["North America", "World", "Europe", "Japan", ""];
        for (own, preferred, expected) in [
            ("", &usual[..], ["North America", "World", "Europe", "France", "Japan", "", "Brazil"]),
            (
                "Japan",
                &usual,
                ["Japan", "North America", "World", "Europe", "France", "", "Brazil"],
            ),
            (
                "USA, Brazil",
                &[],
                ["Brazil", "North America", "", "Europe", "France", "Japan", "World"],
            ),
            (
                "France",
                &["", "Japan"],
                ["France", "Europe", "", "Japan", "Brazil", "North America", "World"],
            ),
        ] {
            assert_eq!(order(own, preferred), expected, "{own}");
        }
    }

    #[test]
    fn titles_are_found_in_the_names_of_files() {
        for (title, file) in [
            ("Zelda: A Link", "Zelda_ A Link-01"),
            ("Spider-Man", "Spider-Man-02"),
            ("Spider-Man", "Spider-Man"),
            ("Q*bert's", "Q_bert_s-10"),
        ] {
            assert_eq!(key_of_title(title), key_of_file(file), "{file}");
        }
    }

    #[test]
    fn ids_are_found_in_the_names_of_files() {
        let id = "0b6f1a2c-1d2e-4f5a-8b9c-123456789012";
        for file in [
            id.to_owned(),
            format!("{}-01", id.to_uppercase()),
            format!("Alpha_ x.{id}-02"),
            format!("Alpha.{id}"),
        ] {
            assert_eq!(key_of_file(&file), id, "{file}");
        }
        for (file, key) in [
            (format!("x{id}-01"), format!("x{id}")),
            (id.replace('f', "g"), "0b6g1a2c-1d2e-4g5a-8b9c".to_owned()),
            ("\u{e4}".repeat(18), "\u{e4}".repeat(18)),
        ] {
            assert_eq!(key_of_file(&file), key, "{file}");
        }
    }
}
