//! Playlists of RetroArch (`.lpl`): JSON, and the older form of six lines a game.

use serde_json::Value;

use crate::base::Moment;

/// One game of a playlist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its file.
    pub path: String,
    /// The file in an archive that it is; blank for the archive itself.
    pub member: String,
    /// Its name; blank when the playlist has none.
    pub label: String,
    /// The playlist of its system, without extension; blank when unknown.
    pub system: String,
    /// The core that it was played with; blank when unknown.
    pub core: String,
}

/// How long a game was played with a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayLog {
    /// Seconds.
    pub seconds: u64,
    /// Local time of the last play; blank when unknown.
    pub last: String,
}

/// What stands for an unknown value.
const UNKNOWN: &str = "DETECT";
/// Lines of a game in the older form.
const LINES: usize = 6;
const ENDING: &str = ".lpl";
/// Extensions of archives that a game may be inside of.
const ARCHIVES: [&str; 3] = [".zip", ".7z", ".apk"];

/// The games of a playlist; `None` for a text that is not a playlist.
pub fn parse(text: &str) -> Option<Vec<Entry>> {
    let text = text.trim_start();
    if text.starts_with('{') { parse_json(text) } else { parse_lines(text) }
}

fn parse_json(text: &str) -> Option<Vec<Entry>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let items = value.get("items")?.as_array()?;
    let entry = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        Entry::new(text("path"), text("label"), text("core_name"), text("db_name"))
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
        .map(|game| Entry::new(game[0], game[1], game[3], game[5]))
        .collect();
    if games.is_empty() { None } else { Some(games) }
}

/// The content of a log of one game (`.lrtl`); `None` for anything else.
pub fn play_log(text: &str) -> Option<PlayLog> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let field = |key: &str| value.get(key).and_then(Value::as_str).map(str::trim);
    let mut parts = field("runtime")?.split(':').map(|part| part.parse::<u32>().ok());
    let mut part = || parts.next().flatten().map(u64::from);
    let (hours, minutes, seconds) = (part()?, part()?, part()?);
    let last = field("last_played").unwrap_or_default().replacen(' ', "T", 1);
    let last = if Moment::parse(&last).is_some() { last } else { String::new() };
    Some(PlayLog { seconds: hours * 3_600 + minutes * 60 + seconds, last })
}

/// The file and what it is inside of it; blank for the file itself. A `#` may be a part of either name: the
/// first one behind the extension of an archive stands between them.
fn split_member(path: &str) -> (&str, &str) {
    let is_archive = |before: &str| {
        let before = before.to_ascii_lowercase();
        ARCHIVES.iter().any(|ending| before.ends_with(ending))
    };
    let signs = path.match_indices('#').map(|(at, _)| (&path[..at], &path[at + 1..]));
    signs.into_iter().find(|(before, _)| is_archive(before)).unwrap_or((path, ""))
}

impl Entry {
    fn new(path: &str, label: &str, core: &str, list: &str) -> Self {
        let path = path.trim();
        let (path, member) = split_member(path);
        let known = |text: &str| {
            let text = text.trim();
            if text == UNKNOWN { String::new() } else { text.to_owned() }
        };
        let list = list.trim();
        let system = known(list.strip_suffix(ENDING).unwrap_or(list));
        Self {
            path: path.to_owned(),
            member: member.to_owned(),
            label: known(label),
            core: known(core),
            system,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, member: &str, label: &str, system: &str) -> Entry {
        let own = str::to_owned;
        let core = String::new();
        Entry { path: own(path), member: own(member), label: own(label), system: own(system), core }
    }

    #[test]
    fn logs_of_games_are_read() {
        let log = |runtime: &str, last: &str| {
            let text =
                format!(r#"{{"version": "1.0", "runtime": "{runtime}", "last_played": "{last}"}}"#);
            play_log(&text).map(|log| (log.seconds, log.last))
        };
        let last = "2024-05-06T07:08:09".to_owned();
        assert_eq!(log("1:02:03", "2024-05-06 07:08:09"), Some((3_723, last)));
        assert_eq!(log("0:00:59", "never"), Some((59, String::new())));
        assert_eq!(log("1:02", "2024-05-06 07:08:09"), None);
        assert_eq!(log("99999999999:0:0", ""), None);
        assert_eq!(play_log("{}"), None);
        assert_eq!(play_log("1:02:03"), None);
    }

    #[test]
    fn the_archive_ends_at_the_first_sign_behind_its_ending() {
        for (path, expected) in [
            ("/r/Golf #1.zip#Golf #1.sfc", ("/r/Golf #1.zip", "Golf #1.sfc")),
            ("/r/A.ZIP#b.zip#c", ("/r/A.ZIP", "b.zip#c")),
            ("/r/A.7z#B", ("/r/A.7z", "B")),
            ("/r/A #1.sfc", ("/r/A #1.sfc", "")),
            ("/r/A.zip", ("/r/A.zip", "")),
        ] {
            assert_eq!(split_member(path), expected, "{path}");
        }
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
        assert_eq!(parse(lines).expect("a playlist"), games);
        for other in ["", "{}", "{\"items\": 3}", "<gameList/>", "a\nb\nc\nd\ne\nf\n", "{broken"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
