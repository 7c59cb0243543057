//! The record of a game in a folder.
//!
//! Its title is the file's own name; nothing is guessed from tags, and no progress is set.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::{Record, media};

use super::discs::Entry;

/// A game with the paths that stand for its versions, the best first and never none.
#[derive(Debug)]
pub struct Located<'a> {
    /// The version to import.
    pub entry: &'a Entry,
    /// Its path and those of the other versions.
    pub versions: Vec<String>,
}

/// The row of one game, without the stamps of an import. `chosen` are the package ids of the emulators
/// that the user chose, by platform.
pub fn record(game: &Located<'_>, chosen: &BTreeMap<String, String>) -> Record {
    let platform = game.entry.platform();
    let title = game.entry.title();
    // A name of nothing but blanks could not be saved again in an edit.
    let name = if title.trim().is_empty() { game.entry.file_name() } else { title.into() };
    let mut row = of_file(&name, platform, &game.versions[0], game.entry.disc_paths());
    if game.versions.len() > 1 {
        row.set("version_candidates", game.versions.clone());
    }
    if let Some(app) = chosen.get(platform) {
        row.set("recommended_emulator", app.as_str());
    }
    row
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

/// Reads the choices of a request: platforms to package ids. Null is no choice at all, a blank id
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
        super::{candidates, tree::memory::MemoryTree},
        *,
    };

    fn chosen() -> BTreeMap<String, String> {
        BTreeMap::from([("NES".to_owned(), "org.x".to_owned())])
    }

    #[track_caller]
    fn check(files: &[&str], expected: Value) {
        let tree = MemoryTree::with(files);
        let games = candidates::find(&tree, "/r", Path::new("/data")).games;
        let versions = std::iter::once(&games[0].best).chain(&games[0].others);
        let located =
            Located { entry: &games[0].best, versions: versions.map(Entry::path).collect() };
        assert_eq!(json!(record(&located, &chosen())), expected);
    }

    #[test]
    fn a_row_has_the_shape_of_the_contract() {
        check(
            &["/r/Zelda (USA).nes", "/r/Zelda (Japan).nes"],
            json!({
                "name": "Zelda (USA)", "platform": "NES", "genre": "",
                "path": "/r/Zelda (USA).nes", "discs": [],
                "video_snap": "", "video_theme": "", "video_trailer": "", "video_recording": "",
                "recommended_emulator": "org.x",
                "version_candidates": ["/r/Zelda (USA).nes", "/r/Zelda (Japan).nes"],
            }),
        );
        check(
            &["/r/G CD1.cue", "/r/G CD2.cue"],
            json!({
                "name": "G", "platform": "Disc image", "genre": "", "path": "/r/G.m3u",
                "discs": ["/r/G CD1.cue", "/r/G CD2.cue"],
                "video_snap": "", "video_theme": "", "video_trailer": "", "video_recording": "",
            }),
        );
    }

    #[test]
    fn a_blank_stem_still_has_a_name() {
        let tree = MemoryTree::with(&["/r/ .nes"]);
        let games = candidates::find(&tree, "/r", Path::new("/data")).games;
        let located = Located { entry: &games[0].best, versions: vec!["/r/ .nes".to_owned()] };
        assert_eq!(record(&located, &chosen()).text("name"), " .nes");
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
