//! Playlists of RetroArch (`.lpl`): JSON, and the older form of six lines a game.

use serde_json::Value;

/// One game of a playlist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its file.
    pub path: String,
    /// The file in an archive that it is; blank for the archive itself.
    pub member: String,
    /// Its name; blank when the playlist has none.
    pub label: String,
    /// The playlist of its system, without ending; blank when unknown.
    pub system: String,
}

/// What stands for an unknown value.
const UNKNOWN: &str = "DETECT";
/// Lines of a game in the older form.
const LINES: usize = 6;
const ENDING: &str = ".lpl";

/// The games of a playlist; `None` for a text that is none.
pub fn parse(text: &str) -> Option<Vec<Entry>> {
    let text = text.trim_start();
    if text.starts_with('{') { parse_json(text) } else { parse_lines(text) }
}

fn parse_json(text: &str) -> Option<Vec<Entry>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let items = value.get("items")?.as_array()?;
    let entry = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        Entry::new(text("path"), text("label"), text("db_name"))
    };
    Some(items.iter().map(entry).collect())
}

fn parse_lines(text: &str) -> Option<Vec<Entry>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let (games, _) = lines.as_chunks::<LINES>();
    // Behind the games settings of the playlist may stand.
    let is_game = |game: &&[&str; LINES]| {
        let is_path = game[0].contains(['/', '\\']);
        is_path && (game[5].is_empty() || game[5].ends_with(ENDING))
    };
    let games: Vec<Entry> = games
        .iter()
        .take_while(is_game)
        .map(|game| Entry::new(game[0], game[1], game[5]))
        .collect();
    if games.is_empty() { None } else { Some(games) }
}

impl Entry {
    fn new(path: &str, label: &str, list: &str) -> Self {
        let path = path.trim();
        // A `#` may be a part of a name; behind an archive it names what is inside.
        let is_archive = |path: &str| {
            let path = path.to_lowercase();
            [".zip", ".7z", ".apk"].iter().any(|ending| path.ends_with(ending))
        };
        let inside = path.rsplit_once('#').filter(|(archive, _)| is_archive(archive));
        let (path, member) = inside.unwrap_or((path, ""));
        let known = |text: &str| {
            let text = text.trim();
            if text == UNKNOWN { String::new() } else { text.to_owned() }
        };
        let system = known(list);
        Self {
            path: path.to_owned(),
            member: member.to_owned(),
            label: known(label),
            system: system.strip_suffix(ENDING).unwrap_or(&system).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, member: &str, label: &str, system: &str) -> Entry {
        let own = str::to_owned;
        Entry { path: own(path), member: own(member), label: own(label), system: own(system) }
    }

    #[test]
    fn both_forms_are_read() {
        let json = r#"{"version": "1.5", "default_core_path": "", "items": [
            {"path": "/r/a.zip#in side.sfc", "label": "A & B", "core_path": "DETECT", "core_name": "DETECT",
             "crc32": "00000000|crc", "db_name": "Nintendo - SNES.lpl"},
            {"path": "/r/C #2.nes", "label": "DETECT"}]}"#;
        let games = [
            entry("/r/a.zip", "in side.sfc", "A & B", "Nintendo - SNES"),
            entry("/r/C #2.nes", "", "", ""),
        ];
        assert_eq!(parse(json).expect("a playlist"), games);
        let lines = "/r/a.zip#in side.sfc\nA & B\nDETECT\nDETECT\n0|crc\nNintendo - SNES.lpl\n\
            /r/C #2.nes\r\nDETECT\nDETECT\nDETECT\nDETECT\nDETECT.lpl\ndefault_core_path = \"\"\n";
        let mut older = games;
        older[1].system = "DETECT".to_owned();
        assert_eq!(parse(lines).expect("a playlist"), older);
        for other in ["", "{}", "{\"items\": 3}", "<gameList/>", "a\nb\nc\nd\ne\nf\n", "{broken"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
