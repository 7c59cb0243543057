//! The record of a game in a folder.
//!
//! Its title comes from the name of its file; the tags in it go to fields of their own. The
//! name of an arcade set stands for a title, a year and makers. No progress is set.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::{Map, Value, json};

use crate::{
    base::text,
    config::settings::read,
    model::{Record, media},
    names::{
        DumpStatus, ParsedName, ReleaseStatus, Tags,
        arcade::{self, ArcadeSet},
    },
    scan::{
        discs::Entry,
        extensions::{self, Role},
        ranking,
        systems::FolderSystems,
        tree::Tree,
    },
};

use super::{apps, candidates, known};

/// A game with the paths that stand for its versions, the best first and never none.
#[derive(Debug)]
pub struct Located<'a> {
    /// The version to import.
    pub entry: &'a Entry,
    /// Its path, those of the other versions and of its other programs.
    pub versions: Vec<String>,
}

/// The extension of packed programs, whose names carry versions in another way.
const PACKED: &str = ".appimage";

/// The setting that says how files are named in the library.
const TITLE_STYLE: &str = "import_title_style";

/// How the title of a game follows from the name of its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TitleStyle {
    /// Without tags, the article in front.
    #[default]
    Clean,
    /// The name of the file without its extension.
    File,
}

impl TitleStyle {
    /// The style of these settings.
    pub fn of(settings: &Map<String, Value>) -> Self {
        if read::text(settings, TITLE_STYLE) == "file" { Self::File } else { Self::Clean }
    }

    /// The title of a game whose file has this name and stem, which was read already.
    fn title(self, file_name: &str, stem: &str, parsed: ParsedName) -> String {
        let is_packed = file_name.to_ascii_lowercase().ends_with(PACKED);
        match self {
            Self::Clean if is_packed => apps::packed_title(stem),
            Self::Clean => parsed.title,
            Self::File => stem.to_owned(),
        }
    }
}

/// The row of one game, without the stamps of an import. `chosen` are the package ids of the emulators
/// that the user chose, by platform.
pub fn record(game: &Located<'_>, chosen: &BTreeMap<String, String>, style: TitleStyle) -> Record {
    let platform = game.entry.platform();
    let stem = game.entry.title();
    let (parsed, set) = arcade::read(platform, stem);
    let tags = if set.is_some() { parsed.tags.clone() } else { ranking::tags_of(game.entry) };
    let discs = game.entry.disc_paths();
    // Where no playlist stands for the discs, the first one does.
    let is_disc = discs.first() == game.versions.first();
    let first = discs.first().and_then(|disc| disc.rsplit('/').next()).filter(|_| is_disc);
    let file_name = first.map_or_else(|| game.entry.file_name(), Cow::from);
    let title = match game.entry.app() {
        Some(app) => app.title.clone(),
        None => style.title(&file_name, stem, parsed),
    };
    // A name of nothing but blanks could not be saved again in an edit.
    let title = text::one_line(&title);
    let name = if title.trim().is_empty() { text::one_line(&file_name) } else { title };
    let mut row = of_file(&name, platform, &game.versions[0], discs.clone());
    row.set("rom_name", &*file_name);
    set_tags(&mut row, &tags);
    set_makers(&mut row, set);
    if let Some(app) = game.entry.app().filter(|app| !app.launch.is_empty()) {
        row.set("launch", app.launch.as_str());
    }
    for (field, id) in game.entry.app().into_iter().flat_map(|app| &app.ids) {
        row.set(field, id.as_str());
    }
    if game.versions.len() > 1 {
        row.set("version_candidates", game.versions.clone());
    }
    if let Some(app) = chosen.get(platform) {
        row.set("recommended_emulator", app.as_str());
    }
    row
}

/// Writes the tags of a name to the fields of a row; fields without a tag are not set.
fn set_tags(row: &mut Record, tags: &Tags) {
    let year = tags.release_year.map(|year| year.to_string());
    let release = tags.release_status.map(ReleaseStatus::name);
    let dump = tags.dump_status.map(DumpStatus::name);
    for (key, value) in [
        ("region", Some(tags.region_text())),
        ("revision", tags.revision.clone()),
        ("release_status", release.map(str::to_owned)),
        ("dump_status", dump.map(str::to_owned)),
        ("release_year", year.clone()),
        ("year", year),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            row.set(key, value);
        }
    }
    if !tags.languages.is_empty() {
        row.set("languages", tags.languages.clone());
    }
}

/// Writes the command that an import chose for a platform. It counts while the game has that platform
/// (`launch::invocation`), so both are kept next to it.
pub fn set_command(row: &mut Record, command: &str, platform: &str) {
    row.set("launch", command);
    row.set("import_command", json!({"launch": command, "platform": platform}));
}

/// Writes what is known of an arcade set to the fields of a row.
pub fn set_makers(row: &mut Record, set: Option<ArcadeSet<'_>>) {
    let Some(set) = set else { return };
    for (key, value) in
        [("year", set.year), ("developer", set.developer), ("publisher", set.publisher)]
    {
        if !value.is_empty() {
            row.set(key, value);
        }
    }
}

/// The row of a file that was named by itself, without the stamps of an import.
pub fn of_single_file(file_name: &str, platform: &str, path: &str, style: TitleStyle) -> Record {
    let mut row = of_file("", platform, path, Vec::new());
    set_name(&mut row, file_name, style);
    row
}

/// Writes the title, the name of the file and its tags to a row.
pub fn set_name(row: &mut Record, file_name: &str, style: TitleStyle) {
    let stem = extensions::stem(file_name);
    let (parsed, set) = arcade::read(row.text("platform"), stem);
    set_tags(row, &parsed.tags);
    set_makers(row, set);
    let title = style.title(file_name, stem, parsed);
    let title = text::one_line(&title);
    let name = if title.trim().is_empty() { text::one_line(file_name) } else { title };
    row.set("name", &*name);
    row.set("rom_name", file_name);
}

/// The fields of every row that an import of files adds.
pub fn of_file(name: &str, platform: &str, path: &str, discs: Vec<String>) -> Record {
    let mut row = Record::default();
    for (key, value) in [("name", name), ("platform", platform), ("genre", ""), ("path", path)] {
        row.set(key, value);
    }
    row.set("discs", discs);
    for video in media::SPECIAL_VIDEOS {
        row.set(video, "");
    }
    row
}

/// What an import of a game's file would write now: title, tags and platform, without a title that the user typed and a
/// platform that nothing shows. `None` for a game without a file, as those of stores.
pub fn reread(
    tree: &dyn Tree,
    record: &Record,
    systems: &FolderSystems,
    style: TitleStyle,
) -> Option<Record> {
    let path = record.text("path");
    let name = path.rsplit('/').next()?;
    let extension = extensions::find(name.as_bytes())?;
    let is_file =
        path.starts_with('/') && known::is_file(record) && tree.size(path.as_ref()).is_ok();
    if !is_file {
        return None;
    }
    let open = [extensions::UNKNOWN_PLATFORM, extensions::DISC_IMAGE];
    // The platform of a program follows from the files around it.
    let told = (extension.role != Role::Program)
        .then(|| candidates::platform_of(tree, path, systems))
        .flatten()
        .filter(|platform| !open.contains(platform));
    let mut row = Record::default();
    row.set("platform", told.unwrap_or(record.text("platform")));
    set_name(&mut row, name, style);
    if told.is_none() {
        row.remove("platform");
    }
    let title = record.text("name").trim();
    let is_name_of = |file: &str| extensions::stem(file).trim() == title;
    if !is_name_of(name) && !is_name_of(record.text("rom_name")) {
        row.remove("name");
    }
    Some(row)
}

/// Reads the choices of a request: platforms to package ids. Null is not a choice at all, a blank id
/// none for its platform; anything but an object of texts is refused.
pub fn read_choices(value: Option<&Value>) -> Option<BTreeMap<String, String>> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Some(BTreeMap::new()) };
    let mut choices = BTreeMap::new();
    for (platform, app) in value.as_object()? {
        let app = match app {
            Value::Null => "",
            Value::String(app) => app.trim(),
            _ => return None,
        };
        if !app.is_empty() {
            choices.insert(platform.clone(), app.to_owned());
        }
    }
    Some(choices)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::{
        super::candidates::{self, Preferences},
        *,
    };
    use crate::scan::tree::memory::MemoryTree;

    #[track_caller]
    fn check_reread(game: Value, expected: Option<[&str; 3]>) {
        let tree = MemoryTree::with(&["/r/snes/Legend, The (USA).zip", "/r/a.exe", "/r/b.iso"]);
        let record: Record = serde_json::from_value(game).expect("a record");
        let found = reread(&tree, &record, &FolderSystems::default(), TitleStyle::Clean);
        let found = found.as_ref();
        let texts = found.map(|row| ["platform", "name", "region"].map(|key| row.text(key)));
        assert_eq!(texts, expected);
    }

    #[test]
    fn titles_are_one_line() {
        for (style, name) in [(TitleStyle::Clean, "A B"), (TitleStyle::File, "A B")] {
            let row = row_of(&["/r/A\r\n\tB\u{1}.nes"], style);
            assert_eq!(row["name"], name, "{style:?}");
            assert_eq!(row["path"], "/r/A\r\n\tB\u{1}.nes", "the path is as it is");
            let row = of_single_file("A\nB.nes", "NES", "/r/A\nB.nes", style);
            assert_eq!(row.text("name"), name);
        }
    }

    #[test]
    fn folder_extension_and_name_of_a_game_are_read_again() {
        let path = "/r/snes/Legend, The (USA).zip";
        check_reread(
            json!({"name": "Legend, The (USA)", "path": path}),
            Some(["SNES", "The Legend", "USA"]),
        );
        check_reread(json!({"name": "Typed", "path": path}), Some(["SNES", "", "USA"]));
        check_reread(json!({"name": "b", "path": "/r/b.iso"}), Some(["", "b", ""]));
        check_reread(json!({"name": "a", "path": "/r/gone.nes"}), None);
        check_reread(json!({"name": "a", "path": ""}), None);
        check_reread(json!({"name": "a", "path": "/r/a.exe", "store_a_app_id": "7"}), None);
    }

    fn chosen() -> BTreeMap<String, String> {
        BTreeMap::from([("NES".to_owned(), "org.x".to_owned())])
    }

    fn row_of(files: &[&str], style: TitleStyle) -> Value {
        let tree = MemoryTree::with(files);
        let order = Preferences::default();
        let games = candidates::find(&tree, "/r", Path::new("/data"), &order).games;
        let versions = std::iter::once(&games[0].best).chain(&games[0].others);
        let located =
            Located { entry: &games[0].best, versions: versions.map(Entry::path).collect() };
        json!(record(&located, &chosen(), style))
    }

    #[test]
    fn a_row_has_every_field_of_a_file() {
        let files = ["/r/Zelda, The (USA) (En,Fr) (Rev 1).nes", "/r/Zelda, The (Japan).nes"];
        let mut expected = json!({
            "name": "The Zelda", "platform": "NES", "genre": "", "path": files[0], "discs": [],
            "rom_name": "Zelda, The (USA) (En,Fr) (Rev 1).nes",
            "region": "USA", "languages": ["En", "Fr"], "revision": "Rev 1",
            "video_snap": "", "video_theme": "", "video_trailer": "", "video_recording": "",
            "recommended_emulator": "org.x", "version_candidates": files,
        });
        assert_eq!(row_of(&files, TitleStyle::Clean), expected);
        expected["name"] = json!("Zelda, The (USA) (En,Fr) (Rev 1)");
        assert_eq!(row_of(&files, TitleStyle::File), expected);
        let row = row_of(&["/r/G v1.2 (1987-05-01)(P)(US)(beta)[b].nes"], TitleStyle::Clean);
        for (key, value) in [
            ("name", "G"),
            ("region", "USA"),
            ("revision", "v1.2"),
            ("release_status", "beta"),
            ("dump_status", "bad"),
            ("release_year", "1987"),
            ("year", "1987"),
        ] {
            assert_eq!(row[key], value, "{key}");
        }
    }

    #[test]
    fn arcade_sets_have_titles_and_makers() {
        let row = row_of(&["/r/arcade/10yard85.zip"], TitleStyle::Clean);
        for (key, value) in [
            ("name", "10-Yard Fight '85"),
            ("region", "USA"),
            ("year", "1985"),
            ("developer", "Irem"),
            ("publisher", "Taito"),
            ("rom_name", "10yard85.zip"),
        ] {
            assert_eq!(row[key], value, "{key}");
        }
        let row = row_of(&["/r/fbneo/1942abl.zip"], TitleStyle::File);
        assert_eq!(row["name"], "1942abl");
        assert_eq!(row["release_status"], "pirate");
        assert_eq!(row["developer"], Value::Null);
        assert_eq!(row_of(&["/r/nes/1942.zip"], TitleStyle::Clean)["name"], "1942");
        assert_eq!(row_of(&["/r/nes/1942.zip"], TitleStyle::Clean)["year"], Value::Null);
    }

    #[test]
    fn discs_are_one_row() {
        let row = row_of(&["/r/G (Europe) CD1.cue", "/r/G (Europe) CD2.cue"], TitleStyle::Clean);
        assert_eq!(row["name"], "G");
        assert_eq!(row["region"], "Europe");
        assert_eq!(row["path"], "/r/G (Europe).m3u");
        assert_eq!(row["rom_name"], "G (Europe).m3u");
        assert_eq!(row["discs"], json!(["/r/G (Europe) CD1.cue", "/r/G (Europe) CD2.cue"]));
    }

    #[test]
    fn a_blank_stem_still_has_a_name() {
        assert_eq!(row_of(&["/r/ .nes"], TitleStyle::Clean)["name"], " .nes");
    }

    #[test]
    fn settings_choose_the_style() {
        let style = |value: Value| TitleStyle::of(value.as_object().expect("settings"));
        assert_eq!(style(json!({})), TitleStyle::Clean);
        assert_eq!(style(json!({"import_title_style": "file"})), TitleStyle::File);
        assert_eq!(style(json!({"import_title_style": 3})), TitleStyle::Clean);
    }

    #[track_caller]
    fn check_choices(value: Value, expected: Option<&[(&str, &str)]>) {
        let expected = expected
            .map(|pairs| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect());
        assert_eq!(read_choices(Some(&value)), expected);
    }

    #[test]
    fn choices_are_texts_by_platform() {
        assert_eq!(read_choices(None), Some(BTreeMap::new()));
        check_choices(json!(null), Some(&[]));
        check_choices(json!({"NES": " a ", "SNES": "", "Wii": null}), Some(&[("NES", "a")]));
        check_choices(json!([]), None);
        check_choices(json!("NES"), None);
        check_choices(json!({"NES": 3}), None);
    }
}
